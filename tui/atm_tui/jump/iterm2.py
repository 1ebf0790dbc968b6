"""Jumps in iTerm2, by AppleScript, the unique id of iTerm2's session and the tty."""

from atm_tui.jump.applescript import plan_applescript
from atm_tui.jump.processes import read_tty
from atm_tui.jump.values import JumpPlan, Outcome, OwnTerminal
from atm_tui.model.session import Session

_SCRIPT = """
on run argv
  tell application "iTerm2"
    repeat with aWindow in windows
      repeat with aTab in tabs of aWindow
        repeat with aSession in sessions of aTab
          if id of aSession is item 1 of argv and (item 2 of argv is "" or tty of aSession is item 2 of argv) then
            select aWindow
            select aTab
            select aSession
            activate
            return
          end if
        end repeat
      end repeat
    end repeat
  end tell
  error "iTerm2 has no such session any more"
end run
"""


def plan(session: Session, _own: OwnTerminal) -> JumpPlan:
    """Plans the jump to iTerm2's session, by its variable `w0t1p2:UNIQUE-ID`."""
    unique = (session.terminal.pane or "").rpartition(":")[2]
    if not unique:
        return JumpPlan(outcome=Outcome.REFUSED, text="iTerm2 did not say in which of its sessions this one runs.")
    tty = read_tty(session.pid) if session.pid is not None else None
    return plan_applescript(_SCRIPT, (unique, tty or ""), "Going to its iTerm2 session.")
