"""Our modules are found and loaded quickly, and as Python itself would load them."""

import os
import py_compile
import sys
from collections.abc import Callable
from importlib.util import cache_from_source, module_from_spec
from pathlib import Path
from types import ModuleType

import pytest

from atm_tui.cli.quick_finder import QuickFinder, QuickLoader
from tests.support.command_home import Home


def load(folder: Path, name: str = "atm_tui.thing") -> ModuleType:
    spec = QuickFinder(sys.implementation.cache_tag or "").find_spec(name, [str(folder)])
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(folder: Path, text: str, at: int, name: str = "thing.py") -> Path:
    source = folder / name
    source.parent.mkdir(exist_ok=True)
    source.write_text(text)
    os.utime(source, (at, at))
    return source


def test_a_module_is_loaded_from_its_cached_bytecode_while_that_is_of_its_source(tmp_path: Path) -> None:
    source = write(tmp_path, "value = 1\n", 1_000)
    py_compile.compile(str(source))
    first = load(tmp_path)
    cached = Path(cache_from_source(str(source)))
    assert (first.value, first.__file__, first.__cached__) == (1, str(source), str(cached))
    write(tmp_path, "value = 2\n", 1_000)
    assert load(tmp_path).value == 1  # same time and size: by Python's rule the same source
    write(tmp_path, "value = 3\n", 2_000)
    assert load(tmp_path).value == 3


@pytest.mark.parametrize("damage", ["empty", "short", "magic", "by hash", "missing"])
def test_bytecode_that_is_not_as_usual_is_left_to_python(tmp_path: Path, damage: str) -> None:
    source = write(tmp_path, "def find():\n    return __file__\n", 1_000)
    py_compile.compile(str(source))
    cached = Path(cache_from_source(str(source)))
    data = cached.read_bytes()
    if damage == "by hash":
        py_compile.compile(str(source), invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    elif damage == "missing":
        cached.unlink()
    else:
        cached.write_bytes({"empty": b"", "short": data[:40], "magic": b"\0" * 4 + data[4:]}[damage])
    if damage == "short":  # Python says so, too
        with pytest.raises(EOFError):
            load(tmp_path)
        return
    assert load(tmp_path).find() == str(source)


def test_packages_and_what_is_not_ours(tmp_path: Path) -> None:
    write(tmp_path, "value = 1\n", 1_000, "room/__init__.py")
    package = load(tmp_path, "atm_tui.room")
    assert (package.value, list(package.__path__)) == (1, [str(tmp_path / "room")])
    finder = QuickFinder("x")
    assert finder.find_spec("atm_tui.none", [str(tmp_path)]) is None
    assert finder.find_spec("other.room", [str(tmp_path)]) is None
    assert finder.find_spec("atm_tui", None) is None


STATUS = """
import sys
sys.argv = ["atm-tui", "status"]
from atm_tui.__main__ import main
import os
def leave(code):
    from atm_tui.cli import status
    late = [name for name in ("re", "datetime", "fcntl") if type(sys.modules[name]).__name__ == "LateModule"]
    os.write(2, f"{type(status.__loader__).__name__} {status.__file__} {','.join(late)} {code}".encode())
    sys.exit(code)
os._exit = leave
main()
"""


def test_a_command_uses_it_and_loads_no_patterns_dates_or_locks(home: Home, python_of: Callable) -> None:
    (home.folder / ".claude").mkdir()
    name, file, late, code = python_of(STATUS, home).err.split()[-4:]
    wanted = (
        "re,datetime,fcntl" if sys.version_info < (3, 12) else "datetime,fcntl"
    )  # later versions of pathlib use re at once
    assert (name, Path(file).name, late, code) == (QuickLoader.__name__, "status.py", wanted, "0")
