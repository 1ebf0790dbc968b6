"""The pages of the install wizard as text: files, options, summary, checks, backups."""

from pathlib import Path

from rich.cells import cell_len

from atm_tui.settings.backup_copies import BackupCopy
from atm_tui.settings.check import Check, Level
from atm_tui.settings.locations import Scope
from atm_tui.settings.options import EVENTS, EventSet, Options
from atm_tui.settings.plan import Plan
from atm_tui.settings.survey import Found, Target, Trouble
from atm_tui.view.list_line import ListLine
from atm_tui.view.present import ASCII, UNICODE
from atm_tui.view.wizard_backups import write_backups
from atm_tui.view.wizard_change import Preview, write_summary
from atm_tui.view.wizard_checks import format_verdict, write_applied, write_checks
from atm_tui.view.wizard_files import write_file, write_files
from atm_tui.view.wizard_options import write_meaning, write_options
from atm_tui.view.wizard_text import cut_start, fit_remark, format_short_path, write_trouble

HOME = "/home/user"
SETTINGS = Path("/home/user/.claude/settings.json")
SHARED = Path("/home/user/src/shop/.claude/settings.json")
TROUBLE = Trouble(
    "a comma is missing", "Claude Code ignores the file", "Correct it.", 3, 5, ((2, "  {"), (3, '  "a" 1'))
)


def join_text(lines: list[ListLine]) -> list[str]:
    return ["".join(part for part, _ in line.parts).rstrip() for line in lines]


def make_found(path: Path = SETTINGS, **given: object) -> Found:
    scope = Scope.USER if path == SETTINGS else Scope.PROJECT
    return Found(Target(path, scope), **({"data": b"{}"} | given))  # type: ignore[arg-type]


def test_each_file_has_a_line_with_checkbox_path_and_state() -> None:
    files = [make_found(ours=("Stop",)), make_found(SHARED, trouble=TROUBLE)]
    lines = write_files(60, found=files, picked={SETTINGS}, glyphs=UNICODE, home=HOME)
    assert [line.key for line in lines] == [SETTINGS, SHARED]
    assert join_text(lines)[0].startswith("[x] ~/.claude/settings.json")
    assert join_text(lines)[0].endswith("✓ installed")
    assert join_text(lines)[1].startswith("[ ] ~/src/shop/.claude/settings.json")
    assert join_text(lines)[1].endswith("✗ can't be changed")


def test_a_file_lists_entries_of_other_tools() -> None:
    file = make_found(hooks=(("Stop", ("/opt/other/bell.sh",)),), line="echo mine", notes=("a matcher is null",))
    lines = "\n".join(join_text(write_file(70, found=file, policy=["policy.json: env"], glyphs=UNICODE, home=HOME)))
    for each in ("1 hook of other tools", "/opt/other/bell.sh", "echo mine", "policy.json: env", "a matcher is null"):
        assert each in lines
    assert write_file(70, found=None, policy=[], glyphs=UNICODE, home=HOME) == []


def test_a_refused_file_shows_the_place_of_the_fault() -> None:
    lines = join_text(write_trouble(TROUBLE, 60, ASCII))
    assert lines[0] == "x line 3, column 5: a comma is missing"
    assert lines[3] == '    3 |   "a" 1'
    assert lines[4].index("^") == lines[3].rindex('"')
    assert lines[-2:] == ["Claude Code ignores the file.", "Correct it."]


def test_every_option_and_every_event_can_be_selected() -> None:
    lines = write_options(80, options=Options(events=EventSet.LEAN))
    keys = [line.key for line in lines if line.key is not None]
    assert len(set(keys)) == len(keys) == 7 + len(EVENTS)
    assert any("not with lean events" in line for line in join_text(lines))
    assert all(write_meaning(60, options=Options(), name=str(key)) for key in keys)


def test_at_80_columns_no_option_and_no_reason_of_an_event_is_cut() -> None:
    for options in (Options(), Options(events=EventSet.LEAN), Options(answers=True), Options(answers=False)):
        lines = join_text(write_options(80, options=options))
        assert [line for line in lines if len(line.rstrip()) > 80 - 2] == []  # the cursor's cell, and the scrollbar


def test_the_summary_counts_lines_and_names_the_backup() -> None:
    plan = Plan(SETTINGS, b"{}\n", b'{"a": 1}\n', (), (), None)
    preview = Preview(((plan, ["@@ -1 +1 @@", "-{}", '+{"a": 1}']),), backup="settings.json.bak")
    lines = join_text(write_summary(80, preview=preview, glyphs=UNICODE, home=HOME))
    assert lines == ["0 lines added, 1 changed, 0 removed", "A copy is kept: settings.json.bak"]
    assert join_text(write_summary(80, preview=Preview(), glyphs=UNICODE, home=HOME)) == [
        "Nothing to change. Everything is up to date."
    ]


def test_checks_are_grouped_by_file_and_say_what_to_do() -> None:
    checks = [
        Check("hooks", Level.OK, str(SETTINGS), "installed"),
        Check("hook", Level.BROKEN, str(SETTINGS), "does not run", "Install again."),
        Check("tmux", Level.WARNING, "machine", "is old, 12 ms", "", 12.0),
    ]
    lines = join_text(write_checks(60, checks=checks, running=True, glyphs=UNICODE, home=HOME))
    assert [line for line in lines if line and not line.startswith((" ", "✓", "✗", "⚠"))] == [
        "~/.claude/settings.json",
        "machine",
        "◐ checking",
    ]
    assert any("Install again." in line for line in lines)
    assert any("is old  " in line and line.endswith("12 ms") for line in lines)
    assert format_verdict(checks, UNICODE) == ("✗ 1 broken", "error")
    assert format_verdict(checks[::2], UNICODE) == ("⚠ 1 warning", "needs")


def test_an_unchanged_file_is_reported() -> None:
    lines = write_applied(60, done=(), verb="written", trouble=None, more="", glyphs=UNICODE, home=HOME)
    assert join_text(lines) == ["Nothing was written: everything is up to date."]


def test_backups_are_listed_with_date_and_size() -> None:
    copy = SETTINGS.with_name("settings.json.2026-11-27T12-00-01.atm.bak")
    lines = write_backups(60, path=SETTINGS, found=[BackupCopy(copy, 2400, has_ours=True)], home=HOME)
    assert join_text(lines)[0] == "1 copy of ~/.claude/settings.json"
    assert lines[-1].key == copy
    assert join_text(lines)[-1].startswith("2026-11-27  12:00:01")
    assert join_text(lines)[-1].endswith("with our hooks")
    assert "2.4 " in join_text(lines)[-1]


def test_a_long_path_keeps_its_end() -> None:
    assert format_short_path(SHARED, HOME, 24) == "…p/.claude/settings.json"
    assert cut_start("日本語", 5) == "…本語"
    assert cell_len(cut_start("日本語日本語", 6)) <= 6
    assert cut_start("abc", 0) == ""


def test_the_longest_name_of_a_check_is_shown_in_full() -> None:
    checks = [Check("notifications", Level.OK, "bell", "all that gives notifications is there")]
    lines = join_text(write_checks(60, checks=checks, running=False, glyphs=UNICODE, home=HOME))
    assert lines[-1] == "✓ notifications  all that gives notifications is there"


def test_a_remark_is_shown_whole_or_not_at_all_and_a_path_by_its_end() -> None:
    assert fit_remark("nothing is written yet", 22) == "nothing is written yet"
    assert fit_remark("nothing is written yet", 21) == ""
    assert fit_remark("~/.claude/settings.json", 14) == "…settings.json"
    assert fit_remark("~/.claude/settings.json", 0) == ""
