"""A folder for a while, as those of the tempfile module, whose removal never fails: what can't be removed stays."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def find_scratch_folder(prefix: str) -> Iterator[Path]:
    """Makes a folder of this user's alone, and removes it with all in it afterwards. Raises OSError when it can't be made."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
