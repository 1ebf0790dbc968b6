"""`atm-tui tmux-conf` loaded into a real tmux: by hand, from a file that it was installed in, and as a plugin's folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.forked import run_command
from tests.support.needs import need_tmux
from tests.support.tmux import Tmux

pytestmark = pytest.mark.terminal
ROOT = Path(__file__).parents[2]
MARK = "@meta.claude."


def test_icons_marks_and_keys_in_a_real_tmux_until_uninstall(tmp_path: Path) -> None:
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    env |= {"ATM_STATE_DIR": str(tmp_path / "state"), "ATM_DATA_DIR": str(tmp_path / "data")}
    own = tmp_path / ".tmux.conf"
    own.write_bytes(b"set -g status-right 'mine %H'\nset -g status-interval 3")
    before = own.read_bytes()
    installed = run_command(["tmux-conf", "--install"], tmp_path, env)
    assert (installed.code, installed.err) == (0, "")
    server = Tmux(need_tmux(), env)
    try:
        pane = server.start(["sleep", "100"])
        for _ in range(2):  # loading it twice changes no more than once
            server.run("source-file", str(own))
        plugin = tmp_path / "plugins" / "atm-tui" / "atm-tui.tmux"
        plugin.parent.mkdir(parents=True)
        shutil.copy(ROOT / "atm-tui.tmux", plugin)
        inside = env | {"TMUX": f"{pane.read_format('#{socket_path}')},1,0", "TMUX_PANE": pane.target}
        other = Tmux(need_tmux(), env)
        try:
            elsewhere = other.start(["sleep", "100"])
            there = inside | {"TMUX": f"{elsewhere.read_format('#{socket_path}')},1,0"}
            subprocess.run([plugin], env=there, check=True)
            assert "@atm_window_mark" in other.run("show-options", "-gv", "window-status-format")
            assert "atm-tui status --tmux" in other.run("show-options", "-gv", "status-right")
        finally:
            other.close()
        assert server.run("show-options", "-gv", "status-right").strip() == "#(atm-tui status --tmux) mine %H"
        assert server.run("show-options", "-gv", "status-interval").strip() == "3"
        for option in ("window-status-format", "window-status-current-format"):
            assert server.run("show-options", "-gv", option).count("@atm_window_mark") == 1
        second = server.run("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", pane.target, "sleep", "100").strip()

        def read_marks() -> str:
            """The icons of both panes, and the mark of their window."""
            icon = "#{E:@atm_pane_icon}"
            other_icon = server.run("display-message", "-p", "-t", second, icon).strip()
            assert pane.read_format("#{T:window-status-format}").endswith(pane.read_format("#{E:@atm_window_mark}"))
            return f"{pane.read_format(icon)},{other_icon},{pane.read_format('#{E:@atm_window_mark}').strip()}"

        def tell(target: str, name: str, value: str) -> None:
            server.run("set-option", "-pt", target, MARK + name, value)

        assert read_marks() == ",,"
        tell(pane.target, "session_id", "s1")
        assert read_marks() == "■,,"
        tell(pane.target, "status", "running")
        assert read_marks() == "▶,,"
        tell(second, "status", "stopped")
        assert read_marks() == "▶,⏸,⏸"
        tell(second, "status", "no such status")
        assert read_marks() == "▶,?,"
        tell(second, "status", "stopped")
        for state, marks in (("idle", "▶,■,"), ("needs_you", "▶,⏸,⏸"), ("working", "▶,▶,")):
            tell(second, "state", state)
            assert read_marks() == marks, state
        bound = server.run("list-keys", "-T", "prefix")
        for key, command in (("g", "display-popup"), ("N", "atm-tui next"), ("J", "atm-tui jump")):
            assert any(f" {key} " in line and command in line for line in bound.splitlines()), key
    finally:
        server.close()
    removed = run_command(["tmux-conf", "--uninstall"], tmp_path, env)
    assert (removed.code, own.read_bytes()) == (0, before)
