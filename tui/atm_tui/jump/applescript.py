"""What the terminals of macOS have in common: a script that gets what it looks for as arguments."""

from atm_tui.jump.run import is_there
from atm_tui.jump.values import Jump, Outcome


def by_script(script: str, arguments: tuple[str, ...], text: str) -> Jump:
    """A jump by AppleScript; the script ends with an error when what it looks for is not there."""
    if not is_there("osascript"):
        return Jump(outcome=Outcome.REFUSED, text="This terminal can only be told on the Mac it runs on.")
    lines = [word for line in script.strip().splitlines() for word in ("-e", line.strip())]
    return Jump(outcome=Outcome.GO, text=text, commands=(("osascript", *lines, *arguments),))
