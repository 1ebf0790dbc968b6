"""Changing the configuration from a program: everything else keeps its bytes, and no file is lost."""

import os
import stat
from pathlib import Path

import pytest

from atm_tui.settings import config_write
from atm_tui.settings.config_document import DocumentError, remove_value, set_value
from atm_tui.settings.config_write import ConfigWriteError, change_config
from tests.support.privileges import without_privileges

WRITTEN = """\
# how I like it
theme   =  'nord'   # since May
budget_day = 1_000

dangers = [
  "a", # first
  "b", # second
]  # end

# mine
[[commands]]
key = "C" # x
title = "t"
run = ["x"]

[pricing]
web_search = 0.01 # ws
"""


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("theme", '"dracula"', "'nord'", '"dracula"'),
        ("budget_day", "2_000.0", "1_000", "2_000.0"),
        ("dangers", '["b"]', '  "a", # first\n', ""),
        ("dangers", '["a", "c", "b", "d"]', '"b", # second\n', '"c",\n  "b", # second\n  "d",\n'),
        ("ascii", "true", "]  # end\n", "]  # end\nascii = true\n"),
        ("pricing.web_search", "0.02", "0.01", "0.02"),
        ("commands", "[]", None, None),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_one_key_changes_and_everything_else_keeps_its_bytes(
    key: str, value: str, old: str | None, new: str | None, end: str
) -> None:
    text = WRITTEN.replace("\n", end)
    changed = set_value(text, key.split("."), value)
    if old is None or new is None:
        assert changed.startswith(text[:40])
        return
    assert changed.replace("\r\n", "\n") == WRITTEN.replace(old, new)
    if old != "]  # end\n" and "\n" not in new:
        assert changed == WRITTEN.replace(old, new).replace("\n", end)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("", "budget_day = 4\n"),
        ("# only", "# only\nbudget_day = 4\n"),
        ('theme = "x"\r\nascii = true\r\n', 'theme = "x"\r\nascii = true\r\nbudget_day = 4\r\n'),
        ("[pricing]\nweb_search = 1\n", "budget_day = 4\n\n[pricing]\nweb_search = 1\n"),
        ("ascii = true\n\n\n# p\n[pricing]\n", "ascii = true\nbudget_day = 4\n\n\n# p\n[pricing]\n"),
    ],
)
def test_a_new_key_stands_below_the_last_one(text: str, changed: str) -> None:
    assert set_value(text, ["budget_day"], "4") == changed
    assert remove_value(changed, ["budget_day"]).strip() == text.strip()


def test_a_table_changes_entry_by_entry() -> None:
    written = "[column_widths]\nsession = 30 # wide\nbranch = 9\n\n[pricing]\nweb_search = 1\n"
    assert set_value(written, ["column_widths"], "{session = 30, cost = 8}") == (
        "[column_widths]\nsession = 30 # wide\ncost = 8\n\n[pricing]\nweb_search = 1\n"
    )
    inline = "column_widths = { session = 30 } # w\nascii = true\n"
    assert set_value(inline, ["column_widths"], "{session = 20}") == inline.replace("30", "20")


def test_a_removed_key_goes_with_a_table_that_has_nothing_else() -> None:
    assert "[pricing]" not in remove_value(WRITTEN, ["pricing", "web_search"])
    assert remove_value(WRITTEN, ["theme"]) == WRITTEN.replace("theme   =  'nord'   # since May\n", "")
    assert remove_value(WRITTEN, ["ascii"]) == WRITTEN
    with pytest.raises(DocumentError, match="no valid TOML"):
        remove_value("x = ", ["theme"])


def test_the_target_of_a_link_is_written_and_keeps_its_mode(tmp_path: Path) -> None:
    real, path = tmp_path / "dotfiles.toml", tmp_path / "config.toml"
    real.write_text(WRITTEN)
    real.chmod(0o640)
    path.symlink_to(real)
    assert change_config(path, ["theme"], "'dracula'").config.theme == "dracula"
    assert path.is_symlink()
    assert real.read_text() == WRITTEN.replace("'nord'", "'dracula'")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == ["config.toml", "dotfiles.toml"]


def test_a_new_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    assert change_config(path, ["ascii"], "true").config.ascii
    assert path.read_text() == "ascii = true\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert change_config(path, ["ascii"], None).text == ""


def test_what_would_be_wrong_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(WRITTEN)
    for key, value, words in (
        ("theme", '"norrd"', 'did you mean "nord"'),
        ("budget_day", "-1", "budget_day: "),
        ("dangers", '["("]', r"dangers\[0\]: "),
        ("context_thresholds", "[1]", "context_thresholds: "),
        ("ascii", "yes", "Nothing was changed"),
    ):
        with pytest.raises(ConfigWriteError, match=words):
            change_config(path, [key], value)
    assert path.read_text() == WRITTEN


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (("theme", "x"), "1", "theme: expected a text, not a table"),
        (("hosts", "gpu", "answers"), "true", "hosts.gpu: give either ssh"),
        (("fleet", "level", "x"), "1", "fleet.level: expected a text, not a table"),
    ],
)
def test_what_would_make_the_table_around_it_wrong_is_not_written(
    tmp_path: Path, key: tuple[str, ...], value: str, words: str
) -> None:
    path = tmp_path / "config.toml"
    path.write_text("budget_day = 5\n")
    with pytest.raises(ConfigWriteError, match=words):
        change_config(path, key, value)
    assert path.read_text() == "budget_day = 5\n"


def test_another_bad_key_does_not_keep_one_from_being_set(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('theme = "norrd"\n')
    reading = change_config(path, ["ascii"], "true")
    assert (reading.config.ascii, len(reading.problems)) == (True, 1)
    assert change_config(path, ["theme"], '"nord"').problems == ()
    path.write_text("theme = norrd\n")
    with pytest.raises(ConfigWriteError, match=r":1: not TOML: Invalid value.*correct that line first"):
        change_config(path, ["ascii"], "true")


def test_what_another_program_wrote_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "config.toml"
    path.write_text("theme = 'nord'\n")
    with pytest.raises(ConfigWriteError, match="changed meanwhile: theme is 'nord' there now"):
        change_config(path, ["theme"], "'dracula'", shown="gruvbox")
    with pytest.raises(ConfigWriteError, match="changed meanwhile"):
        change_config(path, ["theme"], "'dracula'", shown=None)

    put, others = config_write.put_in_place, ["ascii = true\ntheme = 'nord'\n", "# theirs\nascii = true\n"]

    def interrupt(temporary: Path, real: Path, before: bytes | None) -> bool:
        if others:  # an editor saves at this very moment
            real.write_text(others.pop(0))
        return put(temporary, real, before)

    monkeypatch.setattr(config_write, "put_in_place", interrupt)
    change_config(path, ["theme"], "'dracula'")
    assert path.read_text() == "# theirs\nascii = true\ntheme = 'dracula'\n"
    others.extend(f"closed_after = {number}\n" for number in range(9))
    with pytest.raises(ConfigWriteError, match="keeps writing"):
        change_config(path, ["theme"], "'nord'")
    assert path.read_text().startswith("closed_after = ")
    assert len(list(tmp_path.iterdir())) == 1


def test_a_file_that_cannot_be_written_is_named_and_stays(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    path = folder / "config.toml"
    path.write_text(WRITTEN)
    tmp_path.chmod(0o755)
    for mode, words in ((0o555, "no permission to write"), (0o755, "write-protected")):
        path.chmod(0o444 if mode == 0o755 else 0o644)
        folder.chmod(mode)
        with without_privileges(), pytest.raises(ConfigWriteError, match=words) as raised:
            change_config(path, ["theme"], "'dracula'")
        assert str(path) in str(raised.value)
        assert "Nothing was changed" in str(raised.value)
    assert path.read_text() == WRITTEN
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ConfigWriteError, match="can't be read"):
        change_config(path, ["theme"], "'dracula'")
