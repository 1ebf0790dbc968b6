"""Jumps in Ghostty, by AppleScript (1.3, macOS only). It has no ttys: a terminal is found by its folder, if that is unique."""

from atm_tui.jump.applescript import plan_applescript
from atm_tui.jump.run import has_program
from atm_tui.jump.values import JumpPlan, Outcome, OwnTerminal
from atm_tui.model.session import Session

_SCRIPT = """
on run argv
  tell application "Ghostty"
    set found to every terminal whose working directory is item 1 of argv
    if (count of found) is 1 then
      focus item 1 of found
      activate
      return
    end if
    error "Ghostty has " & (count of found) & " terminals in this folder, and does not tell them apart"
  end tell
end run
"""


def plan(session: Session, _own: OwnTerminal) -> JumpPlan:
    """Plans the jump to the only terminal in the session's folder."""
    if not has_program("osascript"):
        return JumpPlan(outcome=Outcome.REFUSED, text="Ghostty takes no commands from outside on this system.")
    return plan_applescript(_SCRIPT, (session.cwd,), f"Going to the Ghostty terminal in {session.cwd}.")
