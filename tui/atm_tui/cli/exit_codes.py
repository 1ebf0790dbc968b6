"""The exit codes of all commands, and their lists for help and documentation."""

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """The exit code of a command, with its `meaning` in words."""

    meaning: str

    def __new__(cls, code: int, meaning: str) -> "ExitCode":
        """Creates a code with its meaning."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    DONE = 0, "done, or there was nothing to do"
    FAILED = 1, "failed: a file can't be read or written, or a check found something broken"
    USAGE = 2, "the command line is wrong, or a terminal is needed and there is none"
    NOT_FOUND = 3, "no such session or request, or none is waiting for you"
    SEVERAL = 4, "several match; they are listed"
    NOT_POSSIBLE = 5, "not possible now; the message says what to do instead"
    PROGRAM_FAILED = 6, "a command of the terminal or of Claude Code failed"
    DECLINED = 7, "you declined or cancelled"
    ANSWERED_ELSEWHERE = 8, "the request was answered elsewhere first"
    NO_PERSON = 9, "refused: only a person may do this, in a terminal that no agent started"
    SESSION_ENDED = 10, "a session ended and can't become what was waited for"
    TIMED_OUT = 124, "the time given with --timeout is over"
    HANGUP = 129, "the terminal was closed"
    INTERRUPTED = 130, "interrupted by Ctrl-C"
    TERMINATED = 143, "terminated by a signal"


ALWAYS = (ExitCode.DONE, ExitCode.FAILED, ExitCode.USAGE, ExitCode.INTERRUPTED)
"""Exit codes of every command."""


def list_exit_code_rows() -> list[str]:
    """Returns the rows of the table in the documentation, in Markdown."""
    return [f"| `{code.value}` | {code.meaning} |" for code in ExitCode]


def format_exit_codes(codes: Iterable[ExitCode] = ExitCode) -> str:
    """Returns the end of a help text: the given codes, one per line."""
    lines = (f"  {code.value:<4} {code.meaning}" for code in sorted(set(codes)))
    return "\n".join(["exit codes:", *lines])
