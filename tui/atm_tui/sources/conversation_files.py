"""The files of a conversation, for a machine that mirrors them: their list, and bytes of each."""

import os

from atm_hooks.regular_file import open_regular, read_range, read_start
from atm_tui.model.stream_commands import ConversationFile
from atm_tui.sources.transcript_agents import AgentFolder, AgentMetaFile

MAIN = "main"
"""The name of the session's own transcript."""
MOST_FILES = 500
"""Transcripts of subagents that are listed."""
_META = 4096
"""Bytes of what Claude Code notes of a subagent."""


def list_conversation(path: str) -> dict[str, str]:
    """Returns the paths of a conversation's transcripts by their names; `path` is that of the session."""
    folder = f"{path.removesuffix('.jsonl')}/subagents"
    agents = AgentFolder(folder).list_files()[-MOST_FILES:]
    return {MAIN: path, **{each.removeprefix(f"{folder}/"): each for each in agents}}


def describe_transcript(name: str, path: str) -> ConversationFile:
    """Describes a transcript; one that is gone has no bytes."""
    try:
        found = os.stat(path)  # noqa: PTH116  of many files, each half a second
    except OSError:
        return ConversationFile(name=name)
    meta = b""
    if name != MAIN:
        try:
            meta = read_start(AgentMetaFile(path).path, _META)
        except OSError:  # the client notes it later
            meta = b""
    return ConversationFile(name=name, size=found.st_size, inode=found.st_ino, meta=meta)


def read_piece(path: str, begin: int, size: int) -> bytes:
    """Returns bytes of a transcript, fewer where it ends. Raises OSError."""
    file = open_regular(path)
    try:
        return read_range(file, begin, size)
    finally:
        os.close(file)
