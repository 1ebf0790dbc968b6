"""What a jump is before anyone runs it: frozen values, so that it can be shown, printed and tested."""

from enum import StrEnum

import msgspec

from atm_tui.model.session import Terminal

Command = tuple[str, ...]
"""A program and its arguments; no shell reads them."""


class Outcome(StrEnum):
    """What a jump to a session amounts to."""

    GO = "go"
    """`commands` do it."""
    THERE = "there"
    """The screen shows the session already: nothing to do."""
    ATTACH = "attach"
    """No screen shows it now; `takeover` brings it into this terminal."""
    RESUME = "resume"
    """Nothing runs any more; `takeover` starts it again in this terminal."""
    REFUSED = "refused"
    """It can't be done; `text` says why and what can be done instead."""


class JumpPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How to get to a session, or why that is not possible."""

    outcome: Outcome
    text: str
    """What happens, or why not and what to do instead: for a person, one or two sentences."""
    commands: tuple[Command, ...] = ()
    """Run one after the other, in the background; the first that fails ends the jump."""
    takeover: Command = ()
    """Needs the terminal in which atm-tui runs: run it in atm-tui's place, or while the app is suspended."""
    directory: str = ""
    """Where `takeover` is to run; empty: anywhere."""
    copy: str = ""
    """A line for a shell, for the clipboard: what brings the session here, or resumes it once it has ended."""
    resumes: bool = False
    """Whether it starts the session again, which a person must agree to."""
    popup: bool = False
    """Whether atm-tui runs in a tmux popup, which hides what is jumped to until it closes."""


class OwnTerminal(msgspec.Struct, frozen=True, kw_only=True):
    """Where atm-tui itself runs."""

    terminal: Terminal = Terminal()
    pid: int = 0
    """Its process. Its ancestors are the better evidence: the environment may be inherited from elsewhere."""


class JumpError(Exception):
    """A command of a jump failed; the text says which and why."""
