"""The configuration in the app: it follows the file, goes on with a bad one and says so; the settings screen changes it."""

import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from atm_tui.config import MEANINGS, Config
from atm_tui.screens import settings
from atm_tui.screens.choices import ChoicesScreen
from atm_tui.screens.settings import SettingsScreen
from atm_tui.sources.followed_config import FollowedConfig
from atm_tui.sources.theme import ThemeFile
from tests.support.effort import sample
from tests.support.fleets import make_busy_fleet

MINE = """\
# mine
budget_day = 40   # dollars
theme = "nord"
"""


class ConfigFile:
    """A configuration, as a person sees and writes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.write(MINE)

    def write(self, text: str) -> None:
        self.path.write_text(text)

    def read(self) -> str:
        return self.path.read_text()

    def remove(self) -> None:
        self.path.unlink()

    def follow(self, overrides: dict[str, tuple[object, str]] | None = None) -> FollowedConfig:
        return FollowedConfig(self.path, overrides)


@pytest.fixture
def file(tmp_path: Path) -> ConfigFile:
    return ConfigFile(tmp_path / "config.toml")


async def test_the_app_follows_the_file(drive, file: ConfigFile) -> None:
    async with drive(make_busy_fleet(), followed=file.follow()) as app:
        assert app.app.theme == "nord"
        await app.press("s", "j", "j", "j", "slash", *"shop", "enter", "b")
        await app.wait_until(lambda: app.main.view.VIEW == "board")
        before, chosen = app.main, app.main.view.key
        file.write('theme = "dracula"\nascii = true\nread_only = true\n')
        await app.wait_until(lambda: app.app.theme == "dracula" and app.main is not before)
        await app.wait_until(lambda: app.main.view.VIEW == "board" and app.main.view.key == chosen)
        assert app.main.visible_sessions.filter
        assert app.main.visible_sessions.order is before.visible_sessions.order
        await app.wait_until(lambda: "●" not in app.text and "! 3 need you" in app.text)
        assert app.monitor.configs[-1].read_only

        # a bad file changes nothing but the header, which names line, key and what was meant
        file.write('ascii = true\ntheme = "drakula"\nread_only = yes\n')
        await app.wait_until(
            lambda: 'config.toml:2: theme: unknown value "drakula"; did you mean "dracula"?' in app.text
        )
        assert "and 1 more" in app.text
        assert app.app.theme == "dracula"
        assert app.monitor.configs[-1].read_only

        # while a dialog is open, the screen below waits for it to close
        await app.press("question_mark")
        file.write('[[commands]]\nkey = "C"\ntitle = "mine"\nrun = ["true"]\n')
        await app.wait_until(lambda: app.app.theme == "atm-dark")
        assert len(app.app.screen_stack) == 2
        await app.press("escape")
        await app.wait_until(lambda: "C mine" in app.text and "did you mean" not in app.text)
        assert "●" in app.text
        file.remove()
        await app.wait_until(lambda: "C mine" not in app.text)


async def test_a_bad_file_at_the_start_and_a_key_that_is_taken(drive, file: ConfigFile) -> None:
    file.write(MINE.replace("40", "-1") + '[[commands]]\nkey = "q"\ntitle = "mine"\nrun = ["true"]\n')
    async with drive(make_busy_fleet(), followed=file.follow()) as app:
        assert "config.toml:2: budget_day: expected a number of at least 0" in app.text
        assert app.app.theme == "nord"
        await app.press("exclamation_mark")
        assert "and 1 more" in " ".join(app.text.split())
        await app.press("escape")
        file.write(file.read().replace("-1", "1"))
        await app.wait_until(lambda: 'commands[0].key: "q" is the key of "quit"' in app.text)


def select(app, key: str) -> None:
    app.app.screen._lines.move_to(key)


def read_line(app, key: str) -> str:
    return next(line for line in app.lines if line.strip(" ▌>").startswith(f"{key} "))


async def test_every_key_is_shown_and_changed(drive, file: ConfigFile, tmp_path: Path) -> None:
    themes = ThemeFile(tmp_path / "state")
    async with drive(
        make_busy_fleet(), followed=file.follow({"read_only": (True, "--read-only")}), themes=themes
    ) as app:
        await app.press("comma")
        await app.wait_until(lambda: isinstance(app.app.screen, SettingsScreen) and "closed_after" in app.text)
        for key in MEANINGS:
            assert read_line(app, key)
        assert read_line(app, "budget_day").split()[-3:] == ["budget_day", "40", "config.toml:2"]
        assert read_line(app, "closed_after").split()[-1] == "default"
        assert read_line(app, "read_only").split()[-2:] == ["true", "--read-only"]
        assert "2 set in" in app.lines[0]

        # a switch
        select(app, "ascii")
        await app.wait_until(lambda: MEANINGS["ascii"] in app.text)
        assert "true or false" in app.text
        await app.press("enter")
        await app.wait_until(lambda: "ascii is written" in app.text)
        assert file.read() == MINE + "ascii = true\n"
        await app.press("d")
        await app.wait_until(lambda: read_line(app, "ascii").split()[-2:] == ["false", "default"])
        assert file.read() == MINE

        # a number, wrong at first
        select(app, "budget_day")
        await app.press("enter", "backspace", "backspace", "backspace", "backspace", *"-1", "enter")
        await app.wait_until(lambda: "expected a number of at least 0" in app.text)
        assert file.read() == MINE
        await app.press("backspace", "backspace", *"7.5", "enter")
        await app.wait_until(lambda: "budget_day is written" in app.text)
        assert file.read() == MINE.replace("40 ", "7.5 ")

        # one of a list; it takes precedence over what was chosen in the app
        themes.save("gruvbox", "nord")
        select(app, "theme")
        await app.press("enter")
        await app.wait_until(lambda: isinstance(app.app.screen, ChoicesScreen) and "monokai" in app.text)
        size = app.app.size
        await app.resize((60, 20))
        await app.press("end")
        await app.wait_until(lambda: app.line_with("▌").strip(" │▌") == "tokyo-night")  # it scrolls
        await app.resize(size)
        await app.press("home", "down", "enter")
        await app.wait_until(lambda: app.app.theme == "atm-light")
        assert 'theme = "atm-light"\n' in file.read()
        assert themes.find_theme("atm-light") == "atm-light"

        # several of a list, in an order
        select(app, "statusline")
        await app.press("enter")
        await app.wait_until(lambda: isinstance(app.app.screen, ChoicesScreen) and "agents" in app.text)
        await app.press("home", "space", "down", "J", "enter")
        await app.wait_until(lambda: "statusline is written" in app.text)
        assert 'statusline = ["cost", "context", "limits", "cache", "branch", "agents"]\n' in file.read()

        # the columns of the tree: which, and how wide
        select(app, "columns")
        await app.press("enter")
        await app.wait_until(lambda: isinstance(app.app.screen, ChoicesScreen) and "branch" in app.text)
        await app.press("home", "down", "space", "J", "J", "J", "J", "up", "K", "K", "K", "enter")
        await app.wait_until(lambda: "columns is written" in app.text)
        assert 'columns = ["session", "for", "state", "context", "cost"]\n' in file.read()
        select(app, "column_widths")
        await app.press("enter", "backspace", *" session = 20 }", "enter")
        await app.wait_until(lambda: "column_widths is written" in app.text)
        assert "column_widths = { session = 20 }\n" in file.read()

        # a text, and a value that an option has instead
        select(app, "quiet_hours")
        await app.press("enter", *"22:00-07:00", "enter")
        await app.wait_until(lambda: "quiet_hours is written" in app.text)
        assert 'quiet_hours = "22:00-07:00"\n' in file.read()
        select(app, "read_only")
        await app.press("space")
        await app.wait_until(lambda: "--read-only takes precedence" in app.text)

        # the file changes while the screen is open; what was shown is not written over
        file.write("ascii = yes\nthem = 1\n")
        await app.wait_until(lambda: "config.toml:2: them: unknown key" in " ".join(app.text.split()))
        select(app, "theme")
        await app.press("enter")
        await app.wait_until(lambda: isinstance(app.app.screen, ChoicesScreen))
        await app.press("enter")
        await app.wait_until(lambda: "correct that line first" in " ".join(app.text.split()))
        assert file.read() == "ascii = yes\nthem = 1\n"
        await app.press("comma")
        assert app.app.screen is app.main
        await app.wait_until(lambda: "SESSION" in app.text and "BRANCH" not in app.text)
        heading = app.line_with("SESSION")
        assert heading.index("FOR") < heading.index("STATE") < heading.index("CTX") < heading.index("COST")
        row = app.line_with("refactor-db")
        assert row[: heading.index("FOR") + 3].endswith(" 41s")


async def test_what_changed_since_it_was_shown_is_not_written_over(drive, file: ConfigFile, monkeypatch) -> None:
    followed = file.follow()
    async with drive(make_busy_fleet(), followed=followed) as app:
        await app.press("comma")
        await app.wait_until(lambda: "closed_after" in app.text)
        monkeypatch.setattr(followed, "has_changed", lambda: False)
        theirs = MINE.replace("40", "55")
        file.write(theirs)
        select(app, "budget_day")
        await app.press("enter", *"1", "enter")
        await app.wait_until(lambda: "changed meanwhile: budget_day is 55 there now" in " ".join(app.text.split()))
        assert file.read() == theirs


async def test_the_file_opens_in_an_editor(drive, file: ConfigFile, tmp_path: Path, monkeypatch) -> None:
    opened: list[tuple[str, ...]] = []
    monkeypatch.setattr(settings, "run_suspended", lambda _, command: opened.append(tuple(command)))
    monkeypatch.setenv("VISUAL", sys.executable)
    file.remove()
    async with drive(make_busy_fleet(), followed=file.follow()) as app:
        await app.press("comma")
        select(app, "commands")
        await app.press("enter")
        assert opened == [(sys.executable, str(file.path))]
        assert '# theme = "atm-dark"' in file.read()
        await app.press("q")
        assert app.app.screen is app.main


async def test_without_a_file_the_key_says_so(drive) -> None:
    async with drive(make_busy_fleet(), config=Config()) as app:
        await app.press("comma")
        await app.wait_until(lambda: "there is no configuration file here" in app.text)


async def test_every_size_is_filled_exactly(drive, file: ConfigFile) -> None:
    async with drive(make_busy_fleet(), size=(80, 24), followed=file.follow()) as app:
        await app.press("comma")
        await app.wait_until(lambda: "closed_after" in app.text)
        for size in sample([(40, 12), (60, 20), (80, 24), (120, 40), (200, 60)], (40, 12), (80, 24)):
            await app.resize(size)
            assert {cell_len(line) for line in app.lines} == {size[0]}
            await app.press("end")
            await app.wait_until(lambda: "[[" in app.text or "commands" in app.text)
            await app.press("home")
