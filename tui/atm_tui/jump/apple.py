"""Jumps in Terminal.app, by AppleScript and the tty of the tab."""

from atm_tui.jump.applescript import plan_applescript
from atm_tui.jump.processes import read_tty
from atm_tui.jump.values import JumpPlan, Outcome, OwnTerminal
from atm_tui.model.session import Session

_SCRIPT = """
on run argv
  tell application "Terminal"
    repeat with aWindow in windows
      repeat with aTab in tabs of aWindow
        if tty of aTab is item 1 of argv then
          set selected of aTab to true
          set index of aWindow to 1
          activate
          return
        end if
      end repeat
    end repeat
  end tell
  error "Terminal has no tab on this tty any more"
end run
"""


def plan(session: Session, _own: OwnTerminal) -> JumpPlan:
    """Plans the jump to the tab on the session's tty."""
    tty = (read_tty(session.pid) if session.pid is not None else None) or session.terminal.tty
    if not tty:
        return JumpPlan(
            outcome=Outcome.REFUSED, text="The session's process has no tty by which Terminal could find it."
        )
    return plan_applescript(_SCRIPT, (tty,), f"Going to the Terminal tab on {tty}.")
