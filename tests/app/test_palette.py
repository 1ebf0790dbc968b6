"""The command palette: every command, session and theme, found by name and run as by its key, on real state files."""

import re

import pytest
from rich.cells import cell_len
from textual.command import CommandInput
from textual.events import Key
from textual.fuzzy import FuzzySearch
from textual.widgets import Input

from atm_tui import commands
from atm_tui.config import Config
from atm_tui.screens.palette import FRAME, WIDTH, PaletteScreen
from atm_tui.screens.palette_entries import Entry, rate_match, write_entry_line
from atm_tui.view.command import format_keys
from atm_tui.view.line_filters import AsciiFilter
from atm_tui.view.present import ASCII, UNICODE
from atm_tui.widgets.tree_view import TreeView
from tests.support.app_files import AppDriver, HomeOnDisk
from tests.support.effort import sample
from tests.support.session_ids import A, B, C

SIZES = [(140, 45), (80, 24), (44, 16)]


@pytest.fixture
def disk(disk: HomeOnDisk) -> HomeOnDisk:
    disk.start(A, 100)
    disk.start(B, 90)
    disk.ask(B, 30, {"command": "npm run migrate"})
    return disk


async def open_palette(driver: AppDriver, typed: str = "") -> None:
    await driver.press("ctrl+p")
    assert isinstance(driver.app.screen, PaletteScreen)
    if typed:
        driver.app.screen.query_one(Input).insert_text_at_cursor(typed)
        await driver.pilot.pause()
    await driver.wait_until(lambda: driver.app.screen.has_class("-ready"))
    await driver.pilot.pause(0.3)


async def choose(driver: AppDriver, typed: str) -> None:
    await open_palette(driver, typed)
    await driver.press("enter")
    await driver.wait_until(lambda: not isinstance(driver.app.screen, PaletteScreen))
    await driver.pilot.pause(0.1)


def list_all(driver: AppDriver) -> list[str]:
    """All entries, those below the edge too."""
    options = driver.app.screen.query_one("CommandList").options  # type: ignore[attr-defined]
    return [str(each.prompt) for each in options]


async def test_every_command_session_and_theme_is_listed_and_an_empty_result_says_so(disk: HomeOnDisk) -> None:
    async with disk.run_app((140, 45)) as driver:
        await open_palette(driver)
        found = list_all(driver)
        for each in commands.COMMANDS:
            if each.id != "palette":
                keys = " ".join(format_keys(each))
                assert any(text[9:].startswith(f"{each.title} ") and text.endswith(f" {keys}") for text in found), each
        assert any("do aaaaaaaa" in text and "thinking" in text for text in found)
        assert any("do bbbbbbbb" in text and "permission" in text for text in found)
        for theme in driver.app.available_themes:
            assert any(text.split()[-4:-3] == [theme] or f" {theme} " in text for text in found), theme
        await driver.press(*"zzzzz")
        await driver.wait_for_text("No matches found")
        await driver.press("enter", "escape")
        assert not isinstance(driver.app.screen, PaletteScreen)


async def test_keys_that_are_typed_fast_keep_their_order(disk: HomeOnDisk) -> None:
    async with disk.run_app((140, 45)) as driver:
        await open_palette(driver)
        typed = driver.app.screen.query_one(CommandInput)
        for key in ("b", "x", "backspace", "o", "home", "a", "end", "r"):  # at once
            driver.app.post_message(Key(key, key if len(key) == 1 else None))
        await driver.wait_until(lambda: len(typed.value) == 4)
        assert typed.value == "abor"


async def test_a_disabled_command_says_why_in_the_list_and_when_chosen(disk: HomeOnDisk) -> None:
    async with disk.run_app((140, 45)) as driver:
        await open_palette(driver, "transc")
        assert "it has no transcript yet" in list_all(driver)[0]
        await driver.press("enter")
        await driver.wait_until(lambda: not isinstance(driver.app.screen, PaletteScreen))
        assert driver.said == "transcript: it has no transcript yet"
        await choose(driver, "previous s")
        assert driver.said == "previous span: on the usage screen"
        await choose(driver, "1st to 9th")
        assert driver.said == "select: press its key"


async def test_a_command_runs_as_by_its_key_and_a_theme_is_chosen(disk: HomeOnDisk) -> None:
    runs = {"board": "Needs you  1", "timeline": "Timeline", "history": "History", "usage": "yesterday", "help": "What you do most",
            "theme": "atm-contrast", "walk": "1 of 3", "peek": "╭─ do bbbbbbbb ─", "sort": "sorted by"}  # fmt: skip
    async with disk.run_app((140, 45)) as driver:
        for typed in sample(runs, "board", "sort"):
            seen = runs[typed]
            assert seen not in driver.text, typed
            await choose(driver, typed)
            await driver.wait_for_text(seen)
            if driver.app.screen is not driver.app.fleet_screen:
                await driver.press("escape")
            await driver.press("t")
            assert isinstance(driver.view, TreeView), typed
        await choose(driver, "atm-light")
        assert driver.app.theme == "atm-light"


async def test_a_command_of_the_tree_acts_where_the_focus_is(disk: HomeOnDisk) -> None:
    async with disk.run_app() as driver:
        assert driver.selected == ("session", B)
        await choose(driver, "first row")
        assert driver.selected == ("project", str(disk.work))
        await driver.press("b")
        await choose(driver, "last row")
        assert driver.app.screen.selection.session is not None  # type: ignore[attr-defined]


async def test_a_session_is_selected_from_every_view(disk: HomeOnDisk) -> None:
    async with disk.run_app() as driver:
        for key in sample(("t", "b", "L", "u", "H"), "u"):
            assert driver.selected == ("session", B), key
            await driver.press(key)
            await choose(driver, "do aaaa")
            selection = driver.app.screen.selection  # type: ignore[attr-defined]
            assert selection.session.session_id == A, key
            await driver.press("t")
            assert driver.selected == ("session", A), key
            driver.tree.select(("session", B), by_user=True)
            await driver.pilot.pause()


async def test_escape_changes_nothing_and_the_focus_is_where_it_was(disk: HomeOnDisk) -> None:
    async with disk.run_app() as driver:
        await open_palette(driver)
        await driver.press(*"boa")
        await driver.press("escape")
        assert driver.app.screen is driver.app.screen_stack[0]
        await driver.press("k")
        assert driver.selected == ("session", A)


async def test_names_from_outside_are_not_parsed_as_markup_or_control_sequences(disk: HomeOnDisk) -> None:
    name = "[/] [@click=app.quit]x[/] \x1b]52;c;AAAA\x07 \u202egnp 日本語"
    disk.send_hook(80, "SessionStart", C, source="startup")
    disk.send_hook(79, "UserPromptSubmit", C, prompt=name, prompt_id="c")
    async with disk.run_app((140, 45)) as driver:
        for typed in sample(("", "gnp", "click"), "gnp"):
            await open_palette(driver, typed)
            assert any("[/] [@click=app.quit]x[/]" in text or "[@click" in text for text in list_all(driver))
            assert not {"\x1b", "\u202e", "\x07"} & set("".join(list_all(driver)) + driver.text)
            await driver.press("escape")
        await choose(driver, "app.quit")
        assert driver.app.is_running
        assert driver.selected == ("session", C)


@pytest.mark.parametrize("ascii_only", sample([False, True], True))
async def test_the_palette_fits_after_a_resize(disk: HomeOnDisk, *, ascii_only: bool) -> None:
    async with disk.run_app(SIZES[0], Config(ascii=ascii_only)) as driver:
        for size in SIZES:
            await driver.resize(size)
            await open_palette(driver)
            assert "jump" in driver.text, size
            if ascii_only:
                background = driver.app.screen.styles.background
                strips = driver.app.screen._compositor.render_strips()
                box = [strip.crop(0, size[0] - 1) for strip in strips[1 : size[1] - 2]]
                sent = [part.text for strip in box for part in AsciiFilter().apply(list(strip), background)]
                # the scrollbar's own blocks are Textual's
                assert re.sub(r"[\u2580-\u259f]", "", "".join(sent)).isascii(), size
            await driver.resize((60, 20))
            await driver.wait_until(lambda: all(cell_len(text) == 55 for text in list_all(driver)))
            await driver.press("escape")
            assert not isinstance(driver.app.screen, PaletteScreen), size


def make_entry(title: str, note: str = "", **more: object) -> Entry:
    return Entry("app", title, ((note, "muted"),), lambda: None, **more)  # type: ignore[arg-type]


def test_title_matches_come_first_then_words_then_scattered_letters() -> None:
    fuzzy = FuzzySearch()
    entries = [
        make_entry("board"),
        make_entry("boards of all"),
        make_entry("keyboard"),
        make_entry("cards", "the board"),
        make_entry("backward", fuzzy=True),
        make_entry("backward"),
    ]
    scores = [rate_match(each, "board", fuzzy) for each in entries]
    assert scores[:4] == sorted(scores[:4], reverse=True)
    assert rate_match(make_entry("next waiting", fuzzy=True), "nwa", fuzzy) > 0
    assert rate_match(make_entry("next waiting"), "nwa", fuzzy) == 0
    assert rate_match(make_entry("jump"), "jump", fuzzy) > rate_match(make_entry("jump", able=False), "jump", fuzzy)


@pytest.mark.parametrize("width", [20, 40, 55, 80, 95])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_a_line_fills_the_given_width(width: int, glyphs) -> None:
    long = make_entry("日本語" * 20, "x" * 200, key="⇧← {", sign=(glyphs.needs, "needs"))
    for each in (long, make_entry("a"), make_entry("select", key="1 … 9", able=False)):
        assert sum(cell_len(text) for text, _ in write_entry_line(each, width)) == width
    assert "…" in "".join(text for text, _ in write_entry_line(long, width))


@pytest.mark.parametrize("width", [55, 75, 95])
def test_notes_are_aligned_in_one_column(width: int) -> None:
    entries = [
        make_entry("jump", "note", key="Enter"),
        make_entry("seek", "note", key="} Shift+Right"),
        make_entry("x", "note"),
    ]
    texts = ["".join(text for text, _ in write_entry_line(each, width)) for each in entries]
    assert len({text.index("note") for text in texts}) == 1


def test_in_a_wide_terminal_what_commands_do_is_written_in_full() -> None:
    for each in commands.COMMANDS:
        entry = make_entry(each.title, each.help, key=" ".join(format_keys(each, ascii_only=False)))
        assert each.help in "".join(text for text, _ in write_entry_line(entry, WIDTH - FRAME))


async def test_the_palette_does_not_open_over_a_question(disk: HomeOnDisk) -> None:
    """What is asked in front of all is answered first."""
    async with disk.run_app() as driver:
        await driver.press("W", "ctrl+p")
        assert not isinstance(driver.app.screen, PaletteScreen)


def test_each_group_has_a_label() -> None:
    assert {each.group for each in commands.COMMANDS} <= set(commands.GROUPS)
