"""Picks the way to a session: by what still runs of it, then by the terminal that it runs in."""

import importlib
import os
import shlex

import msgspec

from atm_tui.jump.here import here as find_here
from atm_tui.jump.processes import runs, tty_of
from atm_tui.jump.resume import Place, claude, place_of, resume_command
from atm_tui.jump.run import output
from atm_tui.jump.values import Command, Here, Jump, Outcome
from atm_tui.model.session import Liveness, Session
from atm_tui.text import clean

_ADAPTERS = ("tmux", "kitty", "wezterm", "iterm2", "ghostty", "apple", "zellij", "screen", "vscode")
"""Kinds of terminal; each has a module of its name with a `plan(session, here)`."""


def plan_jump(session: Session, here: Here | None = None) -> Jump:
    """The way to a session, from here (None: where this process runs). Asks terminals and processes, and moves nothing.

    Takes up to some tenths of a second: in the app, call it in a thread.
    """
    if session.liveness is not Liveness.LIVE or (session.pid is not None and not runs(session.pid)):
        return _resume(session)
    if session.kind == "background":
        return Jump(
            outcome=Outcome.ATTACH,
            text="It runs in the background, without a terminal.",
            takeover=(*claude(session.config_dir), "attach", session.session_id[:8]),
        )
    if session.kind == "headless":
        return Jump(outcome=Outcome.REFUSED, text=f"It runs without a screen (claude -p), as process {session.pid}.")
    kind = session.terminal.kind
    if kind in _ADAPTERS:
        jump: Jump = importlib.import_module(f"atm_tui.jump.{kind}").plan(session, here or find_here())
    else:
        jump = Jump(outcome=Outcome.REFUSED, text="Its terminal is not one that atm-tui can tell to come forward.")
    return jump if jump.outcome is not Outcome.REFUSED else _refused(session, jump)


def plan_resume(session: Session, here: Here | None = None, launched: str = "") -> Jump:
    """How a session that is over goes on: in a new tmux window (GO) where we run in tmux, else in this terminal (RESUME).

    `launched` is the state file's project_dir. REFUSED when its directory is gone, or the session still runs.
    """
    if session.liveness is Liveness.LIVE:
        return Jump(outcome=Outcome.REFUSED, text="It still runs: jump to it.")
    offer = _resume(session, launched)
    if not offer.directory:
        return Jump(outcome=Outcome.REFUSED, text=offer.text, copy=printed(offer))
    tmux = importlib.import_module("atm_tui.jump.tmux")
    window: Command | None = tmux.new_window(offer.takeover, offer.directory, here or find_here())
    if window is None:
        return offer
    return Jump(outcome=Outcome.GO, text=f"Resuming it in a new tmux window, in {offer.directory}.", commands=(window,))


def run(jump: Jump) -> None:
    """Runs the commands of a jump. Raises JumpError when one fails; those after it are not run."""
    for command in jump.commands:
        output(command)


def printed(jump: Jump) -> str:
    """What `run`, or a person who takes an offer, would run: one command a line, quoted for a shell."""
    lines = [_joined(command) for command in jump.commands]
    if jump.takeover:
        there = f"cd {_quoted(jump.directory)} && " if jump.directory else ""
        lines.append(there + _joined(jump.takeover))
    return "\n".join(lines)


def _joined(command: Command) -> str:
    return " ".join(map(_quoted, command))


def _quoted(word: str) -> str:
    """As a shell reads it back, with no character in it that a terminal would obey or hide."""
    if clean(word) == word or (word.isascii() and word.isprintable()):
        return shlex.quote(word)
    plain = {ord("\\"): "\\\\", ord("'"): "\\'"}
    escaped = "".join(
        plain.get(byte, chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}") for byte in os.fsencode(word)
    )
    return f"$'{escaped}'"


def _resume(session: Session, launched: str = "") -> Jump:
    place = place_of(session, launched)
    how = "It has ended." if session.liveness is Liveness.ENDED else "Its process is gone."
    return Jump(
        outcome=Outcome.RESUME,
        text=_resume_text(how, place),
        takeover=resume_command(session.session_id, session.config_dir),
        directory=place.path if place and place.there else "",
    )


def _resume_text(how: str, place: Place | None) -> str:
    if place is None:
        return f"{how} Its directory isn't known."
    if not place.there:
        return f"{how} Its directory {place.path} is gone too."
    differs = f" Its transcript is kept under the name of {place.differs}." if place.differs else ""
    return f"{how} It belongs to {place.path}.{differs}"


def _refused(session: Session, jump: Jump) -> Jump:
    """With the tty, by which a person can find it, and a line that resumes it elsewhere once it has ended."""
    tty = tty_of(session.pid) if session.pid is not None else None
    text = jump.text if tty is None or tty in jump.text else f"{jump.text} It is on {tty}."
    return msgspec.structs.replace(jump, text=text, copy=printed(_resume(session)))
