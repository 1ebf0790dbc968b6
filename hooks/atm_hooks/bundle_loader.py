"""Loads the modules of a bundle (see bundle.py), whose first part is the code of this module: it runs without being imported.

Finding a library of the interpreter's, an extension module, takes longer than loading it, so a bundle names their files.
"""

import _imp
import sys
from _frozen_importlib import ModuleSpec  # loaded already, unlike importlib
from _frozen_importlib_external import ExtensionFileLoader
from marshal import loads
from posix import F_OK, access

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType

    Parts = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str, CodeType], ...], dict[str, tuple[str, bytes]]]


def load_modules(entry: str, parts: "Parts") -> None:
    """Loads the parts of a bundle, which stands beside the file `entry`.

    First libraries by name and file ("" for one that is built in), then our modules by name, file and code, in this order.
    The others are loaded when they are imported: our modules by file and bytecode, libraries by file and b"".
    """
    libraries, modules, on_demand = parts
    for name, path in libraries:
        _load_library(name, path)
    if "gc" in sys.modules:
        sys.modules["gc"].disable()  # collecting garbage would scan a large state again and again
    for name, path, code in modules:
        module = sys.modules[name] = type(sys)(name)
        module.__file__ = path
        if name == "atm_hooks":
            package, module.__path__ = module, [entry.rpartition("/")[0]]
        else:
            setattr(package, name.rpartition(".")[2], module)
        exec(code, module.__dict__)  # noqa: S102  our own code, compiled by the installer
    sys.meta_path.insert(0, _Finder(on_demand))


def _load_library(name: str, path: str) -> None:
    """Loads a library; leaves it to the usual import when the file is gone, since the interpreter was updated."""
    spec = ModuleSpec(name, None, origin=path)
    try:
        module = sys.modules[name] = _imp.create_dynamic(spec) if path else _imp.create_builtin(spec)
        (_imp.exec_dynamic if path else _imp.exec_builtin)(module)
    except ImportError:
        sys.modules.pop(name, None)


class _Finder:
    """Finds and loads the modules that only some events need."""

    def __init__(self, parts: "dict[str, tuple[str, bytes]]") -> None:
        self._parts = parts

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """Returns how a module is loaded; None when the bundle lacks it, or its library is gone."""
        path, code = self._parts.get(name, ("", b""))
        if code:
            return ModuleSpec(name, self, origin=path)  # type: ignore[arg-type]
        return ModuleSpec(name, ExtensionFileLoader(name, path), origin=path) if path and access(path, F_OK) else None

    def create_module(self, _spec: ModuleSpec) -> None:
        """Leaves it to importlib to make the module."""

    def exec_module(self, module: "ModuleType") -> None:
        """Runs the code of a module."""
        module.__file__, code = self._parts[module.__name__]
        exec(loads(code), module.__dict__)  # noqa: S102, S302  our own code, compiled by the installer
