"""Answering from the app: real hook processes wait, keys go in, and what the hook prints for the client comes out."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.answering_world import World, client
from tests.app.answer_world import Asking


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asking]:
    for name in ("NO_COLOR", "TEXTUAL_THEME", "TMUX", "TMUX_PANE", "STY", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with client() as process:
        yield Asking(World(tmp_path, process.pid))


async def test_one_key_allows_what_stands_on_the_screen_in_whole(asking: Asking) -> None:
    async with asking.shown() as app:
        with asking.asks(given={"command": "npm test"}) as hook:
            await app.until_text("a allow")
            print(app.text)
            asking.settle()
            await app.press("a")
            await app.until_text("allowed here")
            assert hook.decision() == {"behavior": "allow"}
            print(app.text)
