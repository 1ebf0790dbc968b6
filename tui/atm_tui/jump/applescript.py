"""Jumps by AppleScript, for all terminals of macOS. A script gets what it looks for as arguments."""

from atm_tui.jump.run import has_program
from atm_tui.jump.values import JumpPlan, Outcome


def plan_applescript(script: str, arguments: tuple[str, ...], text: str) -> JumpPlan:
    """Makes a plan that runs a script. The script must end with an error when it does not find the terminal."""
    if not has_program("osascript"):
        return JumpPlan(outcome=Outcome.REFUSED, text="This terminal takes commands only on the Mac on which it runs.")
    lines = [word for line in script.strip().splitlines() for word in ("-e", line.strip())]
    return JumpPlan(outcome=Outcome.GO, text=text, commands=(("osascript", *lines, *arguments),))
