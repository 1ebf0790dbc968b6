"""Small terminals show who waits first, a wider one never shows less than a narrower one, and a pane can take the whole screen."""

from rich.cells import set_cell_size

from tests.support.effort import sample
from tests.support.fleets import make_busy_fleet

SMALL = {(60, 20): 2, (40, 24): 2, (80, 12): 1, (60, 40): 2, (100, 20): 2, (120, 16): 2, (60, 10): 1}
"""Sizes, the half of a split among them, and the rows of the queue there."""
FIRST = "✗ infra/upgrade"
"""Who waits longest."""


def count_tree_lines(app) -> int:
    return app.tree.size.height - app.tree.HEADING


async def test_every_small_terminal_shows_who_waits_first_and_a_wider_one_no_less(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 40)) as app:
        for size in sample(SMALL, (60, 20), (80, 12), (100, 20)):
            rows = SMALL[size]
            await app.resize(size)
            await app.wait_until(lambda rows=rows: any(FIRST in line for line in app.lines))
            at = next(n for n, line in enumerate(app.lines) if "waiting for you" in line)
            assert FIRST in app.lines[at + 1], size
            assert sum(line.startswith((" ●", " ✗")) for line in app.lines[at + 1 : at + 4]) == rows, size
            if size[1] < 24:
                assert app.main.query_one("#panes").size.height == 0 or size[0] >= 116, f"{size}: panes give way"
            assert count_tree_lines(app) >= min(5, size[1] - 6), f"{size}:\n{app.text}"

        for height in sample(range(12, 61, 6), 30):
            seen: tuple[int, int, int] = (0, 0, 0)
            for width in sample(range(80, 161), 80, 100, 116):
                await app.resize((width, height))
                heading = app.line_with("SESSION · ").split("┬")[0].split("│")[0]
                words = len([each for each in ("SESSION", "BRANCH", "STATE", "CTX", "COST", "FOR") if each in heading])
                panes = sum(f"─ {name} " in app.text for name in ("context", "cost"))
                shown = (words, app.tree.outer_size.width >= 79, panes)
                no_less = all(now >= before for now, before in zip(shown, seen, strict=True))
                assert no_less, f"{width}x{height}: {shown} after {seen}"
                seen = shown


async def test_a_pane_is_zoomed_to_the_whole_screen_and_back(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 30)) as app:
        tree = app.app.focused

        def read_left() -> list[str]:
            """Header, queue and tree, without the panes and their scrollbar."""
            return [set_cell_size(line, 79) for line in app.lines]

        before = read_left()
        await app.press("f")
        assert app.lines[1].startswith("─▌1 ")
        assert len(app.lines[1].rstrip()) == 120
        assert " f zoom out " in app.lines[-1]
        assert not any("SESSION" in line or "waiting for you" in line for line in app.lines)
        assert app.main.panes.widget.region.height == 28
        await app.press("tab")
        assert app.lines[1].startswith("─▌2 context")
        await app.press("3")
        assert app.lines[1].startswith("─▌3 cost")
        await app.resize((60, 20))
        assert app.lines[1].startswith("─▌3 cost")
        await app.resize((120, 30))
        await app.press("f")
        assert app.app.focused is tree
        assert read_left() == before
        await app.press("tab", "tab", "f", "f")
        assert app.main.panes.widget.focused == "context"
        assert app.line_with("SESSION")
        assert "zoom" in app.lines[-1]
        assert "zoom out" not in app.lines[-1]
        await app.press("f")
        assert " f zoom out " in app.lines[-1]
        await app.press("escape")
        assert app.app.focused is tree
        assert app.line_with("waiting for you")
        await app.press("f", "b")
        assert app.line_with("Needs you")
        await app.press("t")
        assert app.line_with("SESSION")
        assert app.line_with("waiting for you")


async def test_the_footer_offers_other_sizes_only_where_there_are_some(drive) -> None:
    async with drive(make_busy_fleet(), size=(140, 40)) as app:
        await app.press("tab", "tab")
        assert "+ larger   - smaller" in app.lines[-1]
        layout = app.main.panes.widget._divided
        await app.press("f")
        assert not {"larger", "smaller"} & set(app.lines[-1].split())
        for key, title in (("plus", "larger"), ("minus", "smaller")):
            await app.press(key)
            assert f"{title}: it has the whole screen" in app.lines[-1]
        assert app.main.panes.widget._divided == layout
        await app.press("f")
        app.main.footer.clear_message()
        assert "+ larger   - smaller" in app.lines[-1]
        await app.resize((100, 20))
        await app.wait_until(lambda: "larger" not in app.lines[-1])
        assert "1 … 6 pane" in app.lines[-1]
        await app.press("plus")
        assert "larger: there is room for only one pane" in app.lines[-1]
        app.main.footer.clear_message()
        await app.resize((100, 40))
        await app.wait_until(lambda: "+ larger" in app.lines[-1])
