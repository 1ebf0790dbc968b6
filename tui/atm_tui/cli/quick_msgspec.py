"""Loads msgspec without two modules that take longer to load than all the rest of it.

msgspec prefers three names of typing_extensions to those of typing; since Python 3.11 they are the same for what is used here.
It loads uuid, which loads platform to ask for the name of the system; os.uname knows it too.
"""

import os
import sys
from types import ModuleType


def _load() -> None:
    platform = ModuleType("platform")
    vars(platform)["system"] = lambda: os.uname().sysname
    # None is the import system's sign for: there is no such module
    stand_ins = {"typing_extensions": None, "platform": platform}
    absent = {name: each for name, each in stand_ins.items() if name not in sys.modules}
    sys.modules.update(absent)  # type: ignore[arg-type]
    try:
        import msgspec  # noqa: F401
    finally:
        for name in absent:
            del sys.modules[name]


if "msgspec" not in sys.modules:
    _load()
