"""The command strings, run by real shells: in any folder they work, and when something is gone they are silent."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from atm_tui.settings.command import Commands, find_interpreter, find_wrapped, is_ours, make_stable, split_command
from atm_tui.settings.errors import SettingsError

SHELLS = [shell for shell in ("/bin/sh", "/bin/bash", "/bin/dash", "/usr/bin/zsh") if Path(shell).exists()]
AWKWARD = """quo'te "double" $HOME `id`; & ü 日本 back\\slash #hash
new line"""
"""A folder name with everything that means something to a shell, all at once."""
NAMES = [
    "plain",
    "with blank",
    "quo'te",
    'double"quote',
    "$HOME",
    "`id`",
    "a;b&c",
    "日本",
    "back\\slash",
    "#hash",
    "new\nline",
]
"""The same one by one, so that no character makes up for another."""
HOOK = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read()); print('noise'); sys.exit(2)"
LINE = "import sys, subprocess\nraw = sys.stdin.buffer.read()\nopen(sys.argv[1], 'ab').write(raw)\n"
LINE += "sys.exit(subprocess.run(['/bin/sh', '-c', sys.argv[3]], input=raw).returncode if len(sys.argv) > 3 else print('ours'))\n"
OWN = "cat; printf '\\033[31mtwo\\nlines\\033[0m\\n'; echo \"it's $((1+1))\"; exit 7"


def run(shell: str, command: str, stdin: str = "payload") -> subprocess.CompletedProcess[str]:
    words = [shell, "-c", command]
    return subprocess.run(words, input=stdin, capture_output=True, text=True, timeout=60, check=False)


def place(root: Path) -> Commands:
    """Stand-ins for the hook's files in a new folder, and a link to Python beside them."""
    hooks = root / "atm_hooks"
    hooks.mkdir(parents=True)
    (hooks / "hook.py").write_text(HOOK)
    (hooks / "statusline.py").write_text(LINE)
    (root / "python").symlink_to(find_interpreter())
    return Commands(root / "python", hooks, root / "seen")


@pytest.fixture
def placed(tmp_path: Path) -> Commands:
    """Stand-ins in a folder with an awkward name."""
    return place(tmp_path / AWKWARD)


@pytest.mark.parametrize("name", NAMES)
def test_each_awkward_folder_name_is_quoted(name, tmp_path):
    placed = place(tmp_path / name)
    run("/bin/sh", placed.make_hook_command())
    assert placed.state.read_text() == "payload"
    assert split_command(placed.make_hook_command()) == (placed.interpreter, placed.hooks / "hook.py", placed.state)


@pytest.mark.parametrize("shell", SHELLS)
def test_hook_command_reaches_the_hook_and_always_exits_0(shell, placed):
    result = run(shell, placed.make_hook_command())
    assert placed.state.read_text() == "payload"
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("gone", ["file", "interpreter", "folder", "state"])
def test_hook_and_statusline_are_silent_when_files_are_missing(shell, gone, placed):
    _take_away(gone, placed)
    for command in (placed.make_hook_command(), placed.make_statusline_command()):
        result = run(shell, command)
        assert result.returncode == 0
        assert result.stderr == ""
        if gone != "state":
            assert result.stdout == ""


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("gone", ["nothing", "file", "interpreter", "folder"])
def test_a_wrapped_statusline_still_runs_when_our_files_are_missing(shell, gone, placed):
    wanted = run("/bin/sh", OWN)
    _take_away(gone, placed)
    got = run(shell, placed.wrap(OWN))
    assert (got.returncode, got.stdout, got.stderr) == (wanted.returncode, wanted.stdout, wanted.stderr)
    assert got.returncode == 7
    if gone == "nothing":
        assert placed.state.read_text() == "payload"


def _take_away(what: str, placed: Commands) -> None:
    if what == "file":
        (placed.hooks / "hook.py").unlink()
        (placed.hooks / "statusline.py").unlink()
    elif what == "interpreter":
        placed.interpreter.unlink()
    elif what == "folder":
        shutil.rmtree(placed.hooks.parent)
    elif what == "state":
        placed.state.mkdir()


def test_commands_are_recognized_and_parsed(placed):
    for command, script in (
        (placed.make_hook_command(), "hook.py"),
        (placed.make_statusline_command(), "statusline.py"),
        (placed.wrap("x"), "statusline.py"),
    ):
        assert is_ours(command)
        assert split_command(command) == (placed.interpreter, placed.hooks / script, placed.state)
    assert find_wrapped(placed.wrap(OWN)) == OWN
    assert find_wrapped(placed.make_statusline_command()) is None


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("/old/python -I -S '/a b/atm_hooks/hook.py' /s", True),
        ("python /x/atm_hooks/statusline.py", True),
        ('"C:\\Python\\python.exe" "C:\\x\\atm_hooks\\hook.py"', True),
        ("anything at all # atm-tui", True),
        ("echo '# atm-tui' > x", False),
        ("/x/my_atm_hooks/hook.py", False),
        ("/x/atm_hooks/hook.pyc", False),
        ("atm-tui status", False),
    ],
)
def test_commands_are_marked_as_ours(command, ours):
    assert is_ours(command) is ours


def test_the_interpreter_is_a_real_one_outside_of_any_environment():
    found = find_interpreter()
    assert found.is_absolute()
    assert not found.is_symlink()
    code = "import sys; print(sys.prefix == sys.base_prefix, sys.version_info[:2])"
    output = subprocess.run([found, "-I", "-S", "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.split() == ["True", f"({sys.version_info[0]},", f"{sys.version_info[1]})"]


def test_the_homebrew_path_without_the_patch_version_is_used(tmp_path):
    real = tmp_path / "Cellar/python@3.12/3.12.4/bin/python3.12"
    real.parent.mkdir(parents=True)
    real.touch()
    assert make_stable(real) == real
    (tmp_path / "opt").mkdir()
    (tmp_path / "opt/python@3.12").symlink_to(tmp_path / "Cellar/python@3.12/3.12.4")
    assert make_stable(real) == tmp_path / "opt/python@3.12/bin/python3.12"


def test_a_name_that_is_not_utf_8_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="not UTF-8"):
        Commands(find_interpreter(), tmp_path / "\udcff", tmp_path)
