"""The copied hook files: complete and compiled before anything points to them, swapped at once, gone without a trace."""

import json
import marshal
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from atm_hooks import bundle, bundle_loader
from atm_tui.settings import hookfiles
from atm_tui.settings.command import find_interpreter
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.hookfiles import copy_hooks, is_current, is_same, remove_hooks_copy


@pytest.fixture
def link(tmp_path: Path) -> Path:
    return tmp_path / "data" / "hooks" / "atm_hooks"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A stand-in for the package, which a test may change."""
    folder = tmp_path / "source"
    folder.mkdir()
    for name in ("__init__", "hook", "journal", "statusline"):
        (folder / f"{name}.py").write_text(f'NAME = "{name} 1"\n')
    for needed in (bundle, bundle_loader):
        shutil.copy(needed.__file__, folder)
    return folder


def test_the_copy_is_the_real_package_with_bytecode(link):
    assert not is_current(link)
    assert copy_hooks(link, find_interpreter())
    assert is_current(link)
    assert not copy_hooks(link, find_interpreter())
    names = {file.name for file in hookfiles.find_source_dir().glob("*.py")}
    assert {file.name for file in link.glob("*.py")} == names
    compiled = {file.name.split(".")[0] for file in (link / "__pycache__").iterdir()}
    assert compiled == {Path(name).stem for name in names}
    assert {file.name for file in link.glob(f"*.{sys.implementation.cache_tag}")} == {
        Path(bundle.locate_bundle("", entry)).name for entry in bundle.MODULES
    }
    assert link.stat().st_mode & 0o077 == 0


def record_event(link: Path, state: Path) -> bool:
    """Whether the copied hook records an event, in silence."""
    command = [find_interpreter(), "-I", "-S", link / "hook.py", state]
    given = b'{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"go"}'
    done = subprocess.run(command, input=given, capture_output=True, check=True)
    return (state / "sessions/s1.json").is_file() and done.stdout + done.stderr == b""


def test_a_hook_loads_its_modules_from_the_bundle_or_else_from_their_files(link, tmp_path):
    copy_hooks(link, find_interpreter())
    one = Path(bundle.locate_bundle(str(link)))
    whole = one.read_bytes()
    for number, damaged in enumerate((b"", b"no bundle", whole[: len(whole) // 2], None)):
        if damaged is None:
            one.unlink()
        else:
            one.write_bytes(damaged)
        assert record_event(link, tmp_path / f"state{number}")
    one.write_bytes(whole)
    for name in bundle.MODULES["hook"]:
        (link / f"{name}.py").unlink()
        (link / "__pycache__" / f"{name}.{sys.implementation.cache_tag}.pyc").unlink()
    assert record_event(link, tmp_path / "state")


def test_a_library_that_is_gone_from_its_place_is_looked_for(link, tmp_path):
    """An update of the interpreter can move its libraries."""
    copy_hooks(link, find_interpreter())
    file = Path(bundle.locate_bundle(str(link)))
    loader, (libraries, modules, on_demand) = marshal.loads(file.read_bytes())
    libraries = tuple((name, f"/gone/{name}.so") for name, _ in libraries if name != "gc")
    on_demand |= dict.fromkeys(bundle.LIBRARIES_ON_DEMAND, ("/gone/library.so", b""))
    file.write_bytes(marshal.dumps((loader, (libraries, modules, on_demand))))
    event = b'{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t1","tool_input":{}}'
    command = [find_interpreter(), "-I", "-S", link / "hook.py", tmp_path / "state"]
    subprocess.run(command, input=event, check=True)
    state = json.loads((tmp_path / "state/sessions/s1.json").read_text())
    assert state["main"]["tools"]["t1"]["hash"]


SAMPLE = b'{"session_id":"s1","model":{"id":"m","display_name":"M"}}'


def test_a_status_line_loads_its_modules_from_one_file_and_from_their_own_without_it(link, tmp_path):
    copy_hooks(link, find_interpreter())
    command = [find_interpreter(), "-I", "-S", link / "statusline.py", tmp_path / "state"]
    for names in ((), bundle.MODULES["statusline"]):
        for name in names:
            (link / f"{name}.py").unlink()
            (link / "__pycache__" / f"{name}.{sys.implementation.cache_tag}.pyc").unlink()
        assert (
            subprocess.run(command, input=SAMPLE, capture_output=True, check=True).stdout
            == b"M\x1b[2m \xc2\xb7 \xe2\x97\x8b\x1b[0m\n"
        )


def list_imports(*arguments: str | Path, given: bytes = b"") -> set[str]:
    """Returns what a process looks for when it is imported."""
    command = [find_interpreter(), "-I", "-S", "-X", "importtime", *arguments]
    output = subprocess.run(command, input=given, capture_output=True, check=True).stderr.decode()
    return {line.rpartition("|")[2].strip() for line in output.splitlines()}


def test_nothing_that_is_always_needed_is_looked_for(link, tmp_path):
    """Finding one library of the interpreter's takes as long as recording an event."""
    copy_hooks(link, find_interpreter())
    state, bare = tmp_path / "state", list_imports("-c", "pass")
    event = b'{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"t1"}'
    assert list_imports(link / "hook.py", state, given=event) <= bare
    assert list_imports(link / "statusline.py", state, given=SAMPLE) <= bare
    assert sorted(file.name for file in (state / "sessions").iterdir()) == ["s1.json"]


def test_bytecode_is_used_without_recompiling(link, source):
    """Written without a look at the source's time: a copied home keeps it valid."""
    copy_hooks(link, find_interpreter(), source)
    (link / "hook.py").write_text('NAME = "other"\n')
    code = f"import sys; sys.path.insert(0, {str(link.parent)!r}); from atm_hooks import hook; print(hook.NAME)"
    output = subprocess.run(
        [find_interpreter(), "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert output == "hook 1\n"


def test_a_new_version_replaces_the_old_one_which_stays_for_hooks_that_run(link, source):
    copy_hooks(link, find_interpreter(), source)
    first = link.resolve()
    for number in (2, 3, 4):
        (source / "hook.py").write_text(f"NAME = {number}\n")
        assert not is_same(link, source)
        assert copy_hooks(link, find_interpreter(), source)
        assert is_current(link, source)
    assert len(list(first.parent.iterdir())) == 2
    assert not first.exists()


def test_damaged_copies_are_replaced(link, source):
    copy_hooks(link, find_interpreter(), source)
    for damaged in ("hook.py", "journal.py", ""):
        (link / damaged).unlink()
        assert not is_current(link, source)
        assert copy_hooks(link, find_interpreter(), source)
        assert is_current(link, source)
    shutil.rmtree(link / "__pycache__")
    assert is_same(link, source)
    assert copy_hooks(link, find_interpreter(), source)


def test_a_plain_folder_of_an_older_version_is_replaced(link, source):
    link.mkdir(parents=True)
    (link / "hook.py").write_text("old")
    assert copy_hooks(link, find_interpreter(), source)
    assert link.is_symlink()


def test_the_file_is_there_at_every_moment_of_a_swap(link, source):
    copy_hooks(link, find_interpreter(), source)
    missing, done = [], threading.Event()

    def look():
        while not done.is_set():
            if not os.path.exists(link / "hook.py"):  # noqa: PTH110  as cheap as can be
                missing.append(1)

    watcher = threading.Thread(target=look)
    watcher.start()
    for number in range(6):
        (source / "hook.py").write_text(f"NAME = {number}\n")
        copy_hooks(link, find_interpreter(), source)
    done.set()
    watcher.join()
    assert missing == []


@pytest.mark.parametrize(
    ("python", "message"), [("/gone/python", "can't run this Python"), ("/bin/false", "can't compile")]
)
def test_a_python_that_does_not_run_is_refused_and_leaves_the_old_copy(link, source, python, message):
    copy_hooks(link, find_interpreter(), source)
    before = link.resolve()
    (source / "hook.py").write_text("NAME = 2\n")
    with pytest.raises(SettingsError, match=message):
        copy_hooks(link, Path(python), source)
    assert link.resolve() == before
    assert [each.name for each in before.parent.iterdir()] == [before.name]


def test_source_that_does_not_compile_is_refused(link, source):
    (source / "hook.py").write_text("def (\n")
    with pytest.raises(SettingsError, match="can't compile"):
        copy_hooks(link, find_interpreter(), source)
    assert not link.exists()


def test_a_folder_that_cannot_be_made_is_reported(tmp_path, source):
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match=r"can't copy the hook's files: Not a directory.*\n.*ATM_DATA_DIR"):
        copy_hooks(tmp_path / "file/hooks/atm_hooks", find_interpreter(), source)


def test_removal_takes_our_folders_and_no_others(link, source):
    copy_hooks(link, find_interpreter(), source)
    remove_hooks_copy(link)
    assert not link.parent.parent.exists()
    copy_hooks(link, find_interpreter(), source)
    (link.parent.parent / "theirs").write_text("x")
    remove_hooks_copy(link)
    assert [each.name for each in link.parent.parent.iterdir()] == ["theirs"]
    remove_hooks_copy(link)


def test_the_bytecode_is_looked_up_for_the_installed_interpreter(link, source):
    copy_hooks(link, find_interpreter(), source)
    assert list((link / "__pycache__").glob(f"*.{sys.implementation.cache_tag}.pyc"))
