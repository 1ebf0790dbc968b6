"""Loads msgspec without typing_extensions, which takes as long to load as all the rest of msgspec.

msgspec prefers three names of typing_extensions to those of typing. Since Python 3.11 they are the same for what is used here.
"""

import sys

_NAME = "typing_extensions"

if "msgspec" not in sys.modules and _NAME not in sys.modules:
    sys.modules[_NAME] = None  # type: ignore[assignment]  # the import system's sign for: there is none
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules[_NAME]
