"""Figures whose transcript is still being read are marked wherever they are shown, and come in once they are known."""

from msgspec.structs import replace

from atm_tui.messages import FleetChanged
from atm_tui.model.session import Context, Cost, Session
from tests.support.fleets import NOW

KNOWN = Session(
    session_id="known", name="known one", cwd="/a", cost=Cost(usd=2.0), context=Context(percent=40.0), since=NOW - 60
)
READ = Session(session_id="read", name="being read", cwd="/a", since=NOW - 60)
PENDING = replace(READ, cost=Cost(is_pending=True), context=Context(is_pending=True))


async def test_figures_that_are_still_being_read_are_marked(drive) -> None:
    async with drive([KNOWN, PENDING], size=(140, 40)) as app:
        row = next(line for line in app.lines if "being read" in line)[: app.tree.size.width]
        assert row.count("…") == 2
        assert "–" not in row
        assert "total $2.00…" in app.lines[0]
        await app.press("j")
        await app.wait_until(lambda: app.text.count("reading the transcript…") == 2)  # the panes of context and cost
        app.monitor.put([KNOWN, replace(READ, cost=Cost(usd=1.5), context=Context(percent=10.0))])
        app.app.post_message(FleetChanged())
        await app.wait_until(lambda: "total $3.50" in app.lines[0])
        assert "…" not in app.lines[0]
        await app.wait_until(lambda: "reading the transcript" not in app.text)
        assert any("being read" in line and "$1.50" in line for line in app.lines)


async def test_cards_mark_figures_that_are_still_being_read(drive) -> None:
    async with drive([PENDING], size=(140, 40)) as app:
        await app.press("b")
        await app.wait_until(lambda: any(line.count("…") == 2 for line in app.lines))
