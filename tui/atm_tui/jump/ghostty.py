"""Ghostty: its AppleScript (1.3, macOS only) knows no tty; the folder tells the terminal, as long as it is the only one there."""

from atm_tui.jump.applescript import by_script
from atm_tui.jump.run import is_there
from atm_tui.jump.values import Here, Jump, Outcome
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
    error "Ghostty has " & (count of found) & " terminals in this folder, and tells no more of them"
  end tell
end run
"""


def plan(session: Session, _here: Here) -> Jump:
    """The way to the only terminal in the session's folder."""
    if not is_there("osascript"):
        return Jump(outcome=Outcome.REFUSED, text="Ghostty takes no commands from outside on this system.")
    return by_script(_SCRIPT, (session.cwd,), f"Going to the Ghostty terminal in {session.cwd}.")
