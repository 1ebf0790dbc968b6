"""`atm-tui purge`: removes what atm-tui has stored about sessions, or all of it."""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import write_line, write_lines
from atm_tui.cli.parser import parse_duration
from atm_tui.cli.session_filter import is_of_project
from atm_tui.cli.targets import confirm_change
from atm_tui.cli.tmux_conf import find_tmux_file
from atm_tui.model.session import Liveness
from atm_tui.monitor.live import LiveMonitor
from atm_tui.settings.backups import list_backups
from atm_tui.settings.files_in_use import list_files_in_use
from atm_tui.settings.kept_files import (
    KeptFile,
    Kind,
    is_config_folder,
    list_cache_files,
    list_data_files,
    list_given_files,
    list_state_files,
    remove_empty_folders,
    remove_files,
)
from atm_tui.settings.kept_reports import KEPT as HOOK_REPORT
from atm_tui.settings.locations import list_shared_folders, locate_receipts_dir
from atm_tui.settings.receipt import Receipts
from atm_tui.settings.session_notes import list_noted_sessions, remove_session_notes
from atm_tui.sources.checkpoints import SUFFIX, TRANSCRIPTS, read_transcript_path
from atm_tui.sources.exists import exists, is_link
from atm_tui.sources.folders import encode_folder
from atm_tui.sources.state_schema import is_newer
from atm_tui.text import clean, format_bytes, format_count

_MOST_ERRORS = 20
"""Number of errors that are listed."""
_UNITS = {"h": 3600, "d": 86400, "w": 7 * 86400}


def add_purge_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `purge`."""
    parser.add_argument(
        "--older", type=parse_age, metavar="AGE", help="only sessions without an event for AGE, as 12h, 7d or 4w"
    )
    parser.add_argument("--project", metavar="NAME", help="only sessions of the project with this name or folder")
    parser.add_argument("--all", action="store_true", help="all that atm-tui stores, of running sessions too")
    parser.add_argument("--backups", action="store_true", help="with --all: the backups of settings files as well")
    parser.add_argument("--dry-run", action="store_true", help="list every file and remove none")
    parser.add_argument("--yes", action="store_true", help="don't ask")


def parse_age(given: str) -> float:
    """Parses "12h", "7d" or "4w" to seconds. Raises ArgumentTypeError."""
    if (seconds := parse_duration(given, _UNITS)) is None:
        raise argparse.ArgumentTypeError(f'"{given}" is no age, such as 12h, 7d or 4w')
    return seconds


@dataclass(frozen=True)
class Places:
    """The folders in which atm-tui stores its files."""

    state: Path
    data: Path
    cache: Path

    @classmethod
    def find(cls) -> "Places":
        """Returns the folders of this environment. Raises CommandError if one is a config folder of Claude Code."""
        found = cls(paths.find_state_dir(), paths.find_data_dir(), paths.find_cache_dir())
        for folder in (found.state, found.data):
            if is_config_folder(folder):
                raise CommandError(
                    f"{folder} is a config folder of Claude Code as well; nothing was removed.\n"
                    "  Next: give atm-tui a folder of its own (ATM_STATE_DIR, ATM_DATA_DIR).",
                    ExitCode.FAILED,
                )
        return found


def run_purge(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Shows what is stored, asks, and removes it; returns the exit code. Raises CommandError."""
    if args.all and (args.older is not None or args.project is not None):
        raise CommandError("--all can't be combined with --older or --project.", ExitCode.USAGE)
    if args.backups and not args.all:
        raise CommandError("--backups needs --all: backups belong to no session.", ExitCode.USAGE)
    if args.all:
        return purge_all(args)
    places, remarks = Places.find(), list[str]()
    if is_newer(places.state):
        raise CommandError(
            f"{places.state} is of a newer atm-tui: which of its sessions run can't be read, and nothing was removed.\n"
            "  Next: update atm-tui. --all removes everything.",
            ExitCode.FAILED,
        )
    files, ids, roots = _list_chosen(args, monitor, places, remarks)
    if not _is_confirmed(files, remarks, args):
        return ExitCode.DONE if args.dry_run or not files else ExitCode.DECLINED
    errors = remove_files(files, places.state)
    return _report(files, errors + remove_session_notes(places.state, ids, roots))


def purge_all(args: argparse.Namespace) -> int:
    """Shows everything that atm-tui stores, asks, and removes it; returns the exit code. Raises CommandError.

    `args`: backups, dry_run and yes.
    """
    places, remarks = Places.find(), list[str]()
    files = _list_all(places, remarks, backups=args.backups)
    if not _is_confirmed(files, remarks, args):
        return ExitCode.DONE if args.dry_run or not files else ExitCode.DECLINED
    errors = remove_files(files, places.state)
    remove_empty_folders(places.state, places.data, places.cache, list_shared_folders())
    return _report(files, errors)


def _is_confirmed(files: Sequence[KeptFile], remarks: list[str], args: argparse.Namespace) -> bool:
    """Shows what would be removed; returns whether the user agrees."""
    if args.dry_run:
        write_lines(sorted(file.path for file in files))
        return False
    write_lines([*_summarize(files), *remarks])
    size = format_bytes(sum(file.size for file in files))
    question = f"Remove {format_count(len(files), 'file')} ({size})?"
    return bool(files) and (args.yes or confirm_change(question, "nothing was removed"))


def _report(files: Sequence[KeptFile], errors: Sequence[OSError]) -> int:
    if errors:
        lines = [f"  {clean(str(error.filename))}: {error.strerror or error}" for error in errors[:_MOST_ERRORS]]
        raise CommandError("\n".join([f"{len(errors)} could not be removed:", *lines]), ExitCode.FAILED)
    write_line(f"Removed {format_count(len(files), 'file')}.")
    return ExitCode.DONE


def _list_all(places: Places, remarks: list[str], *, backups: bool) -> list[KeptFile]:
    receipts = Receipts(locate_receipts_dir())
    files = [*list_state_files(places.state), *list_cache_files(places.cache)]
    remarks += [
        f"{folder} is a link: it stays, and so does the folder that it leads to."
        for folder in (places.state, places.data, places.cache)
        if is_link(folder)
    ]
    edited = dict.fromkeys(
        [*receipts.list_targets(), paths.find_claude_config_dir() / "settings.json", find_tmux_file()]
    )
    if used := list_files_in_use(receipts, paths.find_claude_config_dir()):
        remarks += [
            f"Installed in {', '.join(map(str, used))}: the copied hooks and the receipts stay, and running",
            "sessions are recorded again. `atm-tui uninstall --purge` takes all of it away.",
        ]
    else:
        files += list_data_files(places.data)
    kept = [backup for path in edited for backup in list_backups(path)]
    if backups:
        files += list_given_files(kept, Kind.BACKUPS)
    elif kept:
        stay = "stays; --backups removes it" if len(kept) == 1 else "stay; --backups removes them"
        remarks.append(f"{format_count(len(kept), 'backup')} of settings files {stay} too.")
    if exists(config := paths.find_config_file()):
        remarks.append(f"Your configuration stays: {config}")
    return files


def _list_chosen(
    args: argparse.Namespace, monitor: LiveMonitor, places: Places, remarks: list[str]
) -> tuple[list[KeptFile], frozenset[str], frozenset[str]]:
    """Returns the files of sessions that are not running and match the options, and the cache of their transcripts.

    Also returns the ids of these sessions, and the folders of the given project, if any.
    """
    files = [file for file in list_state_files(places.state) if file.session_id]  # a refresh removes the oldest
    monitor.refresh()
    sessions = monitor.fleet.sessions
    running = {name for name, session in sessions.items() if session.liveness is Liveness.LIVE}
    if running:
        is_one = len(running) == 1
        remarks.append(f"{format_count(len(running), 'session')} {'is' if is_one else 'are'} running and not removed.")
    newest: dict[str, float] = {}
    for file in files:
        newest[file.session_id] = max(file.changed, newest.get(file.session_id, 0.0))
    before = time.time() - (args.older or 0.0)
    chosen = {name for name, changed in newest.items() if name not in running and changed <= before}
    roots = frozenset[str]()
    if args.project is not None:
        of_project = [session for session in sessions.values() if is_of_project(session, args.project)]
        chosen &= {session.session_id for session in of_project}
        roots = frozenset(session.project.root for session in of_project if session.project.root)
    folders = None if args.project is None else {encode_folder(root) for root in (args.project.rstrip("/"), *roots)}
    cached = [
        file
        for file in list_cache_files(places.cache)
        if (name := _get_session_id(file, places)) in chosen
        or (name not in newest and name not in running and _is_chosen_cache(file, places, folders, before))
    ]
    files = [file for file in files if file.session_id in chosen]
    forgotten = monitor.config.forget_after * 3600  # all sessions without files ended longer ago
    if args.project is None and (args.older is None or args.older <= forgotten):
        chosen |= list_noted_sessions(places.state) - running - newest.keys()
    return files + cached, frozenset(chosen), roots


def _get_session_id(file: KeptFile, places: Places) -> str:
    """Returns the session whose transcript a file of the cache is about; empty for one that is about several."""
    path = Path(file.path)
    return path.name.partition(".")[0] if path.parent == places.cache / TRANSCRIPTS else ""


def _is_chosen_cache(file: KeptFile, places: Places, folders: set[str] | None, before: float) -> bool:
    """Whether to remove a file of the cache about sessions that are not in the state folder.

    `folders`: encoded names of the project's folders; None: any. `before`: epoch seconds.
    """
    path = Path(file.path)
    if path.parent != places.cache / TRANSCRIPTS:  # about several sessions, and rebuilt when missing; or about hooks
        return not path.name.startswith(HOOK_REPORT)
    if path.suffix != SUFFIX:
        return False
    transcript = Path(read_transcript_path(file.path))
    if folders is not None and not any(
        part == folder or part.startswith(f"{folder}-") for part in transcript.parts for folder in folders
    ):
        return False
    try:
        return transcript.stat().st_mtime <= before
    except (OSError, ValueError):  # the transcript is gone, or the file is damaged
        return True


def _summarize(files: Sequence[KeptFile]) -> list[str]:
    """Returns a line for each kind of file."""
    lines = []
    for kind in Kind:
        if found := [file for file in files if file.kind is kind]:
            size = format_bytes(sum(file.size for file in found))
            lines.append(f"{kind.value:26} {format_count(len(found), 'file'):>13} {size:>9}")
    return lines or ["There is nothing to remove."]
