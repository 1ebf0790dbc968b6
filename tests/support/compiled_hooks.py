"""Compiles the copy of the hooks once for all tests of a process: each install takes what the first one compiled."""

import marshal
import os
import sys
import tempfile
from pathlib import Path

import pytest

from atm_tui.settings import hookfiles

_compile = hookfiles._compile
_compiled: dict[tuple[str, ...], dict[str, bytes]] = {}
"""By the texts of the modules: the contents of the compiled files, with PLACE as their folder."""
PLACE = Path("/place/of/the/copy")


def reuse_compiled_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets installs in this process and its forks take compiled files from a cache; tests of compiling don't call this."""
    monkeypatch.setattr(hookfiles, "_compile", _take_or_compile)


def compile_hooks_once() -> None:
    """Fills the cache, for the processes that are forked from this one."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for file in hookfiles.list_modules(hookfiles.find_source_dir()):
            (folder / file.name).write_bytes(file.read_bytes())
        _take_or_compile(folder, Path(sys.executable), PLACE)


def use_compiled_hooks() -> None:
    """Lets all installs in this process take compiled files from the cache."""
    hookfiles._compile = _take_or_compile


def _take_or_compile(folder: Path, interpreter: Path, final: Path) -> None:
    if not Path(interpreter).samefile(sys.executable):
        _compile(folder, interpreter, final)
        return
    texts = tuple(path.read_text("utf-8") for path in sorted(folder.glob("*.py")))
    if texts not in _compiled:
        _compile(folder, interpreter, PLACE)
        made = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".py"]
        _compiled[texts] = {str(path.relative_to(folder)): path.read_bytes() for path in made}
    before = os.umask(hookfiles.PRIVATE)
    try:
        (folder / "__pycache__").mkdir(exist_ok=True)
        for name, data in _compiled[texts].items():
            (folder / name).write_bytes(data if name.endswith(".pyc") else _move_bundle(data, final))
    finally:
        os.umask(before)


def _move_bundle(data: bytes, final: Path) -> bytes:
    """Returns a bundle with the paths of another folder."""
    loader, (libraries, modules, on_demand) = marshal.loads(data)
    moved = tuple((name, path.replace(str(PLACE), str(final)), code) for name, path, code in modules)
    later = {name: (path.replace(str(PLACE), str(final)), code) for name, (path, code) in on_demand.items()}
    return marshal.dumps((loader, (libraries, moved, later)))
