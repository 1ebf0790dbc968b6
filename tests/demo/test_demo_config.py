"""The demo follows the user's configuration, without what would do something outside of it."""

from pathlib import Path

import pytest

from atm_tui.app import AtmApp
from atm_tui.cli.demo import follow_demo_config, make_app
from atm_tui.model.notification import NotifyWay
from atm_tui.screens.settings import SettingsScreen
from tests.demo.conftest import DemoPlayback
from tests.support.waiting import comes_true

MACHINES = 'fleet.nats = "nats://127.0.0.1:1"\nhosts.gpu.ssh = "gpu"\n'
MINE = f'theme = "nord"\nnotify_by = ["tmux"]\n{MACHINES}[[commands]]\nkey = "C"\ntitle = "mine"\nrun = ["true"]\n'


def read_notice(app: AtmApp) -> list[tuple[str, str]]:
    return app.fleet_screen.header._shown.get("notice", [])


async def test_the_demo_follows_the_configuration(
    playback: DemoPlayback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINE)
    monkeypatch.setenv("ATM_CONFIG", str(path))
    followed = follow_demo_config(playback.player)
    assert (followed.config.notify_by, followed.config.commands) == ((NotifyWay.BELL,), ())
    assert (followed.config.hosts, followed.config.fleet.nats) == ({}, "")
    app = make_app(playback.player, followed)
    async with app.run_test(size=(100, 30)) as pilot:
        assert app.theme == "nord"
        await pilot.pause()
        path.write_text(MINE.replace("nord", "dracula"))
        assert await comes_true(lambda: app.theme == "dracula")
        path.write_text(MINE.replace("nord", "norrd"))
        assert await comes_true(lambda: any('did you mean "nord"' in text for text, _ in read_notice(app)))
        assert app.theme == "dracula"

        # what is changed in its settings ends with it
        path.write_text(MINE)
        assert await comes_true(lambda: app.theme == "nord" and not read_notice(app))
        await pilot.press("comma")
        assert await comes_true(lambda: isinstance(app.screen, SettingsScreen))
        await pilot.pause()
        heading = app.screen._compositor.render_strips()[0].text
        assert "Settings of the demo" in heading
        assert "your file stays as it is" in heading
        app.screen._lines.move_to("ascii")
        await pilot.press("enter")
        assert await comes_true(lambda: app.configuring.config.ascii)
        await pilot.press("escape")
        assert await comes_true(lambda: app.glyphs.ascii)
        assert (path.read_text(), sorted(each.name for each in path.parent.glob("mine*"))) == (MINE, ["mine.toml"])
        path.write_text(MINE.replace("nord", "monokai"))
        assert await comes_true(lambda: app.theme == "monokai" and not app.glyphs.ascii)
