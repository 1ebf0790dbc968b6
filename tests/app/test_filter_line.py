"""The filter line completes, remembers and saves; `!` lists what needs you; an empty result says why: with real state files."""

import json

from atm_tui.widgets.filter_line import HINT, write_hint
from tests.support.app_files import HomeOnDisk
from tests.support.session_ids import A, B, C


async def test_what_is_typed_is_completed_remembered_and_saved_for_the_next_start(disk: HomeOnDisk) -> None:
    for session in (A, B, C):
        disk.start(session)
    disk.ask(B, 20, {"command": "make"})
    kept = disk.state / "app" / "filters.json"
    async with disk.run_app() as app:
        await app.wait_until(lambda: all(key[:8] in app.text for key in (A, B, C)))
        text = app.app.screen_stack[0].visible_sessions

        def list_found() -> list[str]:
            return [row.id[1] for row in app.tree.rows if row.id[0] == "session"]

        await app.press("slash", *"sta")
        await app.wait_until(
            lambda: app.line_with(" / ").startswith(" / state:")
        )  # the rest of the term, not typed yet
        assert text.filter.text == "sta"
        await app.press("tab", "n")
        await app.wait_until(lambda: app.line_with(" / ").startswith(" / state:needs_you"))
        await app.press("tab", "enter")
        assert text.filter.text == "state:needs_you"
        assert list_found() == [B]
        assert app.app.focused is app.tree

        await app.press("slash", "ctrl+s")
        assert "a name for" in app.line_with(" save as ")
        await app.press(*"mine", "enter")
        assert "saved: /@mine" in app.lines[-1]
        assert text.filter.text == "state:needs_you"
        await app.press("escape", "slash", *"aaaa", "enter", "escape")
        assert list_found() == [A, B, C]
    assert json.loads(kept.read_bytes()) == {
        "recent": ["aaaa", "state:needs_you"],
        "saved": {"mine": "state:needs_you"},
    }
    assert kept.stat().st_mode & 0o777 == 0o600

    async with disk.run_app() as app:
        await app.wait_until(lambda: all(key[:8] in app.text for key in (A, B, C)))
        text = app.app.screen_stack[0].visible_sessions
        await app.press("slash", "x", "up")
        assert text.filter.text == "aaaa"
        await app.press("up", "up")
        assert text.filter.text == "state:needs_you"
        await app.press("down", "down")
        assert text.filter.text == "x"
        assert app.app.focused is not app.tree
        await app.press("down")
        assert app.app.focused is app.tree

        await app.press("escape", "slash", "@")
        await app.wait_until(lambda: app.line_with(" / ").startswith(" / @mine"))
        await app.press("tab", "enter")
        assert list_found() == [B]
        await app.press("slash", "ctrl+r")
        assert "removed: @mine" in app.lines[-1]
        assert list_found() == []
        assert "@mine hides all 3 sessions" in app.text
        assert "SESSION" not in app.text  # no headings of nothing
        assert "Esc  shows all again" in app.text
        await app.press("escape")
        assert list_found() == [A, B, C]
        assert "hides all" not in app.text
        assert "SESSION" in app.text

        await app.press("slash", *"bbbb", "enter", "exclamation_mark")
        assert (text.filter.text, list_found()) == ("state:needs_you", [B])
        assert "1 of 3" in app.line_with(" / state:needs_you")
        assert app.app.focused is app.tree
        await app.press("exclamation_mark")
        assert text.filter.text == "bbbb"
        await app.press("escape", "exclamation_mark", "b")
        assert app.line_with(" / state:needs_you")
        assert A[:8] not in app.text
        await app.press("exclamation_mark")
        assert A[:8] in app.text
        assert not app.app.screen_stack[0].has_class("-filtering")
    assert json.loads(kept.read_bytes())["saved"] == {}


def test_the_hint_is_cut_between_words() -> None:
    assert write_hint(200) == HINT
    assert write_hint(47) == "any word shown · waiting state: project: …"
    for width in range(20, len(HINT) + 1):
        text = write_hint(width)
        assert len(text) <= width
        assert HINT.startswith(text.removesuffix("…"))
