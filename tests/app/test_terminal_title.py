"""The title of the terminal: how many sessions need you, written only when changed, and restored at the end."""

import pytest

from atm_tui.view.terminal_title import TerminalTitle, format_title
from tests.support.app_files import HomeOnDisk
from tests.support.session_ids import A, B


def test_the_title_counts_sessions_by_state() -> None:
    assert [format_title(n, "·") for n in (0, 1, 12)] == ["atm-tui", "1 needs you · atm-tui", "12 need you · atm-tui"]


def test_the_title_is_saved_set_when_it_differs_and_restored() -> None:
    written: list[str] = []
    title = TerminalTitle(written.append)
    title.restore()
    title.repeat()
    assert written == []
    for each in ("one", "one", "two"):
        title.show(each)
    title.repeat()
    title.restore()
    title.restore()
    assert written == [
        "\x1b[22;0t\x1b]0;one\x1b\\",
        "\x1b]0;two\x1b\\",
        "\x1b]0;two\x1b\\",
        "\x1b]0;\x1b\\\x1b[23;0t",
    ]


def test_the_title_contains_no_control_sequences() -> None:
    written: list[str] = []
    TerminalTitle(written.append).show("a\x1b]52;c;eA==\x07b\x9cc")
    assert written[0].count("\x1b") == 3
    assert "\x07" not in written[0]
    assert "\x9c" not in written[0]


async def test_the_app_says_how_many_need_you(disk: HomeOnDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr("textual.drivers.headless_driver.HeadlessDriver.write", lambda _, data: written.append(data))

    def list_titles() -> list[str]:
        return [text.split("\x1b]0;")[1].split("\x1b")[0] for text in written if "\x1b]0;" in text]

    disk.start(A)
    disk.start(B)
    async with disk.run_app() as app:
        await app.wait_until(lambda: list_titles() == ["atm-tui"])
        disk.ask(A, 20, {"command": "make"})
        await app.wait_until(lambda: list_titles()[-1] == "1 needs you · atm-tui")
        disk.ask(B, 10, {"command": "make"})
        await app.wait_until(lambda: list_titles()[-1] == "2 need you · atm-tui")
        before = len(list_titles())
        disk.send_hook(1, "PostToolUse", B, tool_name="Bash", tool_input={"command": "make"}, tool_use_id="t10")
        await app.wait_until(lambda: list_titles()[-1] == "1 needs you · atm-tui")
        assert len(list_titles()) == before + 1
    assert written[-1] == "\x1b]0;\x1b\\\x1b[23;0t"
