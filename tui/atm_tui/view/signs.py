"""The meaning of the signs before and after a name, for the help screen and the documentation."""

from atm_tui.view.present import Glyphs


def list_signs(glyphs: Glyphs) -> list[tuple[str, str, str]]:
    """Returns each sign with its role and its meaning, most urgent first."""
    return [
        (glyphs.needs, "needs", "needs you: permission, question, plan"),
        (glyphs.failed, "error", "needs you: its turn failed"),
        (glyphs.armed, "armed", "can be answered from here; in the header: answers are taken here"),
        (glyphs.working, "working", "working"),
        (glyphs.finished, "finished", "finished since you last looked"),
        (glyphs.idle, "muted", "idle"),
        (glyphs.lost, "faint", "lost: its process is gone"),
        (glyphs.ended, "faint", "ended"),
        (glyphs.marked, "key", "behind a name: marked by you"),
        (glyphs.pinned, "faint", "behind a name: pinned"),
        (glyphs.snoozed, "faint", "behind a name: snoozed"),
    ]
