"""A jump as frozen values, which can be shown, printed and tested before it is run."""

from enum import StrEnum

import msgspec

from atm_tui.model.session import Terminal

Command = tuple[str, ...]
"""A program and its arguments, for no shell."""


class Outcome(StrEnum):
    """The kinds of jump plans."""

    GO = "go"
    """`commands` go there."""
    THERE = "there"
    """The session is on the screen already: nothing to do."""
    ATTACH = "attach"
    """No terminal shows the session; `takeover` shows it in this one."""
    RESUME = "resume"
    """The session has ended; `takeover` resumes it in this terminal."""
    REFUSED = "refused"
    """It is not possible; `text` says why, and what to do instead."""


class JumpPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How to get to a session, or why that is not possible."""

    outcome: Outcome
    text: str
    """For a person, in one or two sentences: what happens, or why not and what to do instead."""
    commands: tuple[Command, ...] = ()
    """Commands that run one after the other in the background; the first that fails ends the jump."""
    takeover: Command = ()
    """A command that needs our terminal: it replaces atm-tui, or runs while the app is suspended."""
    directory: str = ""
    """The directory in which to run `takeover`; empty: any."""
    copy: str = ""
    """A shell command for the clipboard, which shows the session here, or resumes it after its end."""
    runs_there: bool = False
    """Whether `copy` is for a shell on the session's machine."""
    resumes: bool = False
    """Whether it resumes the session, which a person must confirm."""
    popup: bool = False
    """Whether atm-tui runs in a tmux popup, which covers the session until it closes."""


class OwnTerminal(msgspec.Struct, frozen=True, kw_only=True):
    """The terminal in which atm-tui itself runs."""

    terminal: Terminal = Terminal()
    pid: int = 0
    """The process. Its ancestors are better evidence than the environment, which may be inherited from elsewhere."""


class JumpError(Exception):
    """A command of a jump failed; the message says which and why."""
