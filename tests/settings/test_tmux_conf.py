"""The tmux configuration in a person's file: added between markers, and out again with the bytes from before."""

from pathlib import Path

import pytest

from atm_tui.settings.errors import SettingsError
from atm_tui.settings.tmux_conf import BEGIN, END, choose_tmux_file, make_tmux_conf, plan_install, plan_uninstall

PATH = Path("/home/user/.tmux.conf")
TEXT = make_tmux_conf("atm-tui")


@pytest.mark.parametrize(
    "before", [None, b"", b"set -g mouse on\n", b"no end", b"\n\n", b"\xff\xfe\r\n", b"# <<< atm-tui\n", b"a\n\nb"]
)
def test_install_and_uninstall_restore_the_same_bytes(before: bytes | None) -> None:
    added = plan_install(PATH, before, TEXT).after
    assert added is not None
    assert added.startswith(before or b"")
    assert TEXT.encode() in added
    assert plan_install(PATH, added, TEXT).after == added, "twice is the same as once"
    newer = plan_install(PATH, added, "# newer\n").after
    assert newer is not None
    assert TEXT.encode() not in newer
    for each in (added, newer):
        assert plan_uninstall(PATH, each).after == before
    assert plan_uninstall(PATH, before).after == before


def test_text_added_around_the_block_stays() -> None:
    added = plan_install(PATH, b"first\n", TEXT).after
    assert added is not None
    assert plan_uninstall(PATH, b"top\n" + added + b"below\n").after == b"top\nfirst\nbelow\n"
    made = plan_install(PATH, None, TEXT).after
    assert made is not None
    assert plan_uninstall(PATH, made + b"mine\n").after == b"mine\n", "a file that is more than ours is not removed"


def test_damaged_markers_are_left_alone() -> None:
    added = plan_install(PATH, b"", TEXT).after or b""
    for damaged in (added + added, added.replace(END, b""), BEGIN):
        for plan in (lambda data: plan_install(PATH, data, TEXT), lambda data: plan_uninstall(PATH, data)):
            with pytest.raises(SettingsError, match="by hand"):
                plan(damaged)


def test_the_existing_configuration_file_is_used(tmp_path: Path) -> None:
    config = tmp_path / ".config"
    assert choose_tmux_file(tmp_path, config) == tmp_path / ".tmux.conf"
    second = config / "tmux" / "tmux.conf"
    second.parent.mkdir(parents=True)
    second.touch()
    assert choose_tmux_file(tmp_path, config) == second
    (tmp_path / ".tmux.conf").touch()
    assert choose_tmux_file(tmp_path, config) == tmp_path / ".tmux.conf"
