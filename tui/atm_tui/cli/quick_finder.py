"""Finds and loads the modules of atm-tui in less time than Python's own way takes, which has to look for more than these need.

It loads the same bytecode under the same conditions: whatever is not as usual is left to Python's own way.
"""

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _imp import _fix_co_filename  # type: ignore[attr-defined]
from marshal import loads
from posix import O_CLOEXEC, O_RDONLY, close, fstat, open, read, stat, stat_result  # noqa: A004

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

_OURS = ("atm_tui.", "atm_hooks.")
_HEAD = 16
"""Bytes before the bytecode: magic number, flags, and time and size of the source."""
_BY_TIME = b"\0\0\0\0"
"""The flags of bytecode that is valid as long as its source has that time and size."""


class QuickLoader(SourceFileLoader):
    """Loads a module from its cached bytecode."""

    def __init__(self, name: str, path: str, cached: str, found: stat_result) -> None:
        """`found`: what is known of the source; `cached`: where its bytecode is."""
        super().__init__(name, path)
        self._cached = cached
        self._found = found

    def get_code(self, fullname: str) -> "CodeType | None":
        """Returns the code of the module: the cached one, if it is that of this source."""
        try:
            file = open(self._cached, O_RDONLY | O_CLOEXEC)
            try:
                size = fstat(file).st_size
                data = read(file, size + 1)
            finally:
                close(file)
            source = _pack(int(self._found.st_mtime)) + _pack(self._found.st_size)
            if len(data) == size and data[:_HEAD] == MAGIC_NUMBER + _BY_TIME + source:
                code: CodeType = loads(memoryview(data)[_HEAD:])  # noqa: S302  as Python itself does
                _fix_co_filename(code, self.path)
                return code
        except (OSError, ValueError, EOFError, TypeError):
            pass
        return super().get_code(fullname)


class QuickFinder:
    """Finds the modules in the folders of our packages."""

    def __init__(self, tag: str) -> None:
        """`tag`: the version of Python in the names of files with bytecode."""
        self._end = f".{tag}.pyc"

    def find_spec(
        self,
        fullname: str,
        path: "Sequence[str] | None",
        target: "ModuleType | None" = None,  # noqa: ARG002  of the protocol
    ) -> ModuleSpec | None:
        """Returns how a module is loaded; None for one that is not ours, or not in the usual place."""
        if not path or not fullname.startswith(_OURS):
            return None
        folder, name = path[0], fullname.rpartition(".")[2]
        try:
            found, file, is_package = stat(f"{folder}/{name}.py"), f"{folder}/{name}.py", False
        except OSError:
            folder, name = f"{folder}/{name}", "__init__"
            try:
                found, file, is_package = stat(f"{folder}/__init__.py"), f"{folder}/__init__.py", True
            except OSError:
                return None
        cached = f"{folder}/__pycache__/{name}{self._end}"
        spec = ModuleSpec(fullname, QuickLoader(fullname, file, cached, found), origin=file, is_package=is_package)
        spec.has_location = True
        spec.cached = cached
        if is_package:
            spec.submodule_search_locations = [folder]
        return spec


def add_quick_finder() -> None:
    """Makes later imports find our modules quickly, where Python keeps its bytecode in the usual place."""
    tag = sys.implementation.cache_tag
    if tag and not sys.flags.optimize and sys.pycache_prefix is None:
        sys.meta_path.insert(0, QuickFinder(tag))


def _pack(number: int) -> bytes:
    return (number & 0xFFFFFFFF).to_bytes(4, "little")
