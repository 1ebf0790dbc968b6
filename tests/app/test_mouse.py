"""The mouse: headings sort and reverse; the right button opens a session's commands."""

from atm_tui.config import Config
from atm_tui.model.custom_command import CustomCommand
from atm_tui.screens.fleet import FleetScreen
from atm_tui.screens.row_menu import RowMenu
from atm_tui.widgets.line_list import RIGHT
from tests.support.fleets import make_busy_fleet
from tests.support.mouse import click


def find_line(app, text: str) -> int:
    return next(y for y, line in enumerate(app.lines) if text in line)


async def test_a_heading_sorts_and_again_reverses(drive) -> None:
    async with drive(make_busy_fleet(), size=(140, 40)) as app:

        def list_costs() -> list[float]:
            sessions = app.main._fleet.sessions
            rows = [row.id for row in app.tree.rows if row.id[0] == "session"]
            ranked = sorted(rows, key=lambda row: app.main.visible_sessions._ranks[row[1]])
            return [cost for row in ranked if (cost := sessions[row[1]].cost.usd) is not None]

        y = find_line(app, "COST")
        x = app.lines[y].index("COST")
        await click(app.pilot, x, y)
        await app.wait_until(lambda: "SESSION · cost" in app.lines[y])
        assert list_costs() == sorted(list_costs(), reverse=True)
        await click(app.pilot, x, y)
        await app.wait_until(lambda: "SESSION · cost ↑" in app.lines[y])
        assert list_costs() == sorted(list_costs())
        await click(app.pilot, app.lines[y].index("SESSION"), y)
        await app.wait_until(lambda: "SESSION · name " in app.lines[y])
        await app.press("S")
        assert "sorted by name, reversed" in app.lines[-1]
        await app.press("s")
        assert "sorted by started" in app.lines[-1]


async def test_a_menu_that_is_higher_than_the_screen_scrolls(drive) -> None:
    keys = (*(f"f{number}" for number in range(2, 12)), "C")
    made = tuple(CustomCommand(key=key, title=f"mine {key}", run=("true",)) for key in keys if key != "f5")
    async with drive(make_busy_fleet(), size=(60, 20), config=Config(commands=made)) as app:
        name = next(row.name[0] for row in app.tree.rows if row.id[0] == "session")
        await click(app.pilot, 20, find_line(app, f" {name} "), RIGHT)
        await app.wait_until(lambda: isinstance(app.app.screen, RowMenu) and "mine f3" in app.text)
        assert "+2 more" in app.lines[-1]
        assert "mine C" not in app.text
        await app.press("up")  # from the first command to the last one
        assert app.lines[-2].split("│")[1].strip("▌ ") == "C       mine C"
        await click(app.pilot, 24, find_line(app, " mark"))
        await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))
        assert len(app.main._marks.marked) == 1


async def test_the_right_button_opens_the_commands_of_a_session(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 40)) as app:
        name = next(row.name[0] for row in app.tree.rows if row.id[0] == "session")
        y = find_line(app, f" {name} ")
        await click(app.pilot, 20, y, RIGHT)
        await app.wait_until(lambda: isinstance(app.app.screen, RowMenu))
        await app.wait_until(lambda: f"╭─ {name}" in app.text)
        assert "allow" not in "\n".join(app.lines[y : y + 14])
        await click(app.pilot, 24, find_line(app, " mark"))
        await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))
        assert "1 marked" in app.lines[-1]
        await app.press("escape")
        await click(app.pilot, 110, find_line(app, "─ context ─"), RIGHT)  # a pane has no menu
        assert isinstance(app.app.screen, FleetScreen)

        await app.press("b")
        card = next(y for y, line in enumerate(app.lines) if name in line)
        await click(app.pilot, app.lines[card].index(name), card, RIGHT)
        await app.wait_until(lambda: isinstance(app.app.screen, RowMenu))
        await app.press("v")
        await app.wait_until(lambda: "1 marked" in app.lines[-1])
        await click(app.pilot, app.lines[card].index(name), card, RIGHT)
        await app.wait_until(lambda: isinstance(app.app.screen, RowMenu))
        await click(app.pilot, 1, 1)
        await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))
