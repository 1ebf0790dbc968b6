"""Temporary folders like those of the tempfile module, whose removal never fails: files that can't be removed stay."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def find_scratch_folder(prefix: str) -> Iterator[Path]:
    """Creates a private temporary folder, and removes it with its content afterwards. Raises OSError if it can't be created."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
