"""What a start of the app or `status` doesn't need is not loaded: the parser, the tables of dangers, the library for patterns."""

import subprocess
import sys
from importlib.util import find_spec

import pytest


@pytest.mark.parametrize(
    "module", ["atm_tui.cli.main", "atm_tui.monitor.live", "atm_tui.config", "atm_hooks.hook_command"]
)
def test_the_parser_is_loaded_with_the_first_request(module):
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    late = {"tree_sitter", "tree_sitter_bash", "regex", "atm_tui.risk.commands", "atm_tui.risk.shell_process"}
    assert all(map(find_spec, late)), "a name of none is never loaded"
    assert not late & set(done.stdout.split())
