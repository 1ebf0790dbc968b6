"""`atm-tui --nats` in a real tmux, with a real nats-server and a machine that publishes: rows, no server, and all is back."""

import subprocess
import sys
from pathlib import Path

from tests.support.machines import There
from tests.support.nats_server import run_nats_server
from tests.support.program import ATM_TUI
from tests.support.terminal_events import WIDE
from tests.support.tmux import Tmux


def test_a_fleet_is_shown_and_never_as_live_while_its_server_is_gone(tmux: Tmux, tmp_path: Path) -> None:
    there = There(tmp_path / "gpu")
    there.ask("gpu-1", "make a")
    with run_nats_server(tmp_path / "nats") as server:
        words = ("publish", "--nats", server.url, "--machine", "gpu", "--level", "full")
        command = [sys.executable, "-m", "atm_tui", *words]
        with subprocess.Popen(command, env=there.environ, cwd=there.home, stderr=subprocess.DEVNULL) as publisher:
            try:
                app = tmux.start([ATM_TUI, "--nats", server.url], size=WIDE, stay=True)
                app.wait_for(r"● gpu-1 .*permission Bash make a")
                app.wait_for(r"^ *[▾▌ ]*gpu\b(?!.*no word)")

                server.kill()
                app.wait_for(r"◌ gpu .*no word for .*next try in")
                app.wait_for(r"NATS server nats://127\.0\.0\.1")
                there.ask("gpu-1", "make b")

                server.start()
                app.wait_for(r"● gpu-1 .*permission \+1")
                app.wait_gone(r"◌ gpu|no word for|NATS server")
                app.press_keys("q")
                assert app.wait_for_exit() == 0
                app.assert_clean()
            finally:
                publisher.kill()
