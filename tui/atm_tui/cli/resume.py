"""`atm-tui resume`: a session goes on in the directory that it belongs to; one that still runs is jumped to."""

import argparse
import sys
import time
from pathlib import Path

import msgspec

from atm_tui.cli.exit_codes import EPILOG, Exit
from atm_tui.cli.jump import complain, go
from atm_tui.cli.picker import Choice, pick
from atm_tui.cli.terminal import agrees, is_interactive, make_way
from atm_tui.jump.find import Named, matches, named
from atm_tui.jump.resume import SessionDirectory, find_session_directory, resume_command
from atm_tui.jump.shell_text import format_commands
from atm_tui.jump.transcripts import TranscriptFile, list_transcripts, read_label
from atm_tui.jump.values import JumpError, JumpPlan, Outcome, OwnTerminal
from atm_tui.model.session import Liveness, Session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import age, clean

LEAST = 6
"""Hexadecimal digits of an id that must be given: there are many past sessions."""


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """A session that can be meant: from the fleet, from its transcript alone, or both."""

    session_id: str
    session: Session | None = None
    past: TranscriptFile | None = None

    @property
    def live(self) -> bool:
        """Whether it runs now."""
        return self.session is not None and self.session.liveness is Liveness.LIVE

    @property
    def transcript(self) -> str | None:
        """Where its conversation is."""
        return self.past.path if self.past else self.session.transcript_path if self.session else None

    @property
    def config_dir(self) -> str | None:
        """The client's config folder that holds it."""
        return self.past.config_dir if self.past else self.session.config_dir if self.session else None

    @property
    def at(self) -> float:
        """When it last did something, in epoch seconds."""
        return max(self.past.at if self.past else 0.0, self.session.updated_at if self.session else 0.0)


def add_resume_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `resume`."""
    parser.add_argument(
        "prefix",
        metavar="PREFIX",
        nargs="?",
        help=f"start of a session's id ({LEAST} digits or more, dashes or not) or of its name; without it, choose from a list",
    )
    change = parser.add_mutually_exclusive_group()
    change.add_argument("-y", "--yes", action="store_true", help="change to the session's directory without asking")
    change.add_argument("-n", "--no", action="store_true", help="resume in the current directory")
    parser.add_argument("--print", action="store_true", help="print the command that would be run, and run nothing")
    parser.epilog, parser.formatter_class = EPILOG, argparse.RawDescriptionHelpFormatter


def run_resume(args: argparse.Namespace, monitor: LiveMonitor, own: OwnTerminal | None = None) -> int:
    """Resumes the session that is meant, in the place of this process; the exit code when that can't be."""
    monitor.refresh()
    known = _known(monitor)
    found = _meant(args.prefix, known) if args.prefix else _picked(known)
    if isinstance(found, int):
        return found
    if found.session and found.live:
        return go(found.session, monitor, only_print=args.print, own=own)
    hooks = monitor.reader.states.states.get(found.session_id)
    cwd = (hooks.cwd if hooks else "") or (found.session.cwd if found.session else "")
    place = find_session_directory(found.transcript, hooks.project_dir if hooks else "", cwd)
    directory = _directory(place, found.session_id, args)
    if isinstance(directory, int):
        return directory
    command = resume_command(found.session_id, found.config_dir)
    if args.print:
        jump = JumpPlan(outcome=Outcome.RESUME, text="", takeover=command, directory=directory)
        sys.stdout.write(f"{format_commands(jump)}\n")
        return Exit.DONE
    try:
        return make_way(command, directory)
    except JumpError as error:
        complain(str(error))
        return Exit.FAILED


def _known(monitor: LiveMonitor) -> dict[str, Known]:
    past = {each.session_id: each for each in list_transcripts(monitor.reader.registries.config_dirs)}
    fleet = monitor.fleet.sessions
    return {
        key: Known(session_id=key, session=fleet.get(key), past=past.get(key)) for key in dict.fromkeys((*fleet, *past))
    }


def _meant(prefix: str, known: dict[str, Known]) -> Known | int:
    """The session, or an exit code after saying why there is none. Names of past sessions are read when no id fits."""
    found = matches(prefix, (_named(each, read=False) for each in known.values()), LEAST)
    found = found or matches(prefix, (_named(each, read=True) for each in known.values()), LEAST)
    if not found:
        complain(
            f"no session's name starts with “{prefix}”, and no id (of which at least {LEAST} digits are needed). "
            "`atm-tui resume` lists them."
        )
        return Exit.NO_SESSION
    if len(found) > 1:
        complain(f"“{prefix}” can mean {len(found)} sessions:")
        for each in found:
            sys.stderr.write(f"  {_choice(known[each.session_id]).line}\n")
        return Exit.AMBIGUOUS
    return known[found[0].session_id]


def _named(known: Known, *, read: bool) -> Named:
    if known.session:
        return named(known.session)
    names = (read_label(known.past.path).name,) if read and known.past else ()
    return Named(session_id=known.session_id, names=tuple(filter(None, names)))


def _picked(known: dict[str, Known]) -> Known | int:
    if not is_interactive():
        complain("no terminal here to choose in: give the start of an id or name.")
        return 2
    newest = sorted(known.values(), key=lambda each: -each.at)
    if not newest:
        complain("no session has a transcript yet.")
        return Exit.NO_SESSION
    chosen = pick([each.session_id for each in newest], lambda key: _choice(known[key]))
    return known[chosen] if chosen else Exit.DECLINED


def _choice(known: Known) -> Choice:
    label = read_label(known.past.path) if known.past else None
    name = (known.session.name if known.session else "") or (label.name or label.prompt if label else "")
    cwd = (known.session.cwd if known.session else "") or (label.cwd if label else "")
    when = "runs now" if known.live else f"{age(time.time() - known.at)} ago"
    return Choice(key=known.session_id, name=clean(name), when=when, where=clean(cwd))


def _directory(place: SessionDirectory | None, session_id: str, args: argparse.Namespace) -> str | int:
    """The directory to change to; empty: stay. Or an exit code."""
    current = str(Path.cwd())
    if args.no:
        return ""
    if place is None:
        complain(f"the directory of {session_id[:8]} isn't known. With -n it is resumed here, in {current}.")
        return Exit.CANT
    if place.transcript_directory:
        complain(
            f"its hooks say {place.path}, but its transcript is kept under the name of {place.transcript_directory}."
        )
    if not place.exists:
        complain(f"its directory {place.path} is gone. With -n it is resumed here, in {current}.")
        return Exit.CANT
    if place.path == current:
        return ""
    if args.yes or (args.print and not is_interactive()):
        return place.path
    if not is_interactive():
        complain(f"it belongs to {place.path}: say -y to change there, or -n to resume it in {current}.")
        return 2
    return place.path if agrees(f"It belongs to {clean(place.path)}. Change there?") else ""
