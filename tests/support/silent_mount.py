"""A folder of a real file system that reports no changes: bindfs shows another folder there, which is changed itself."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.waiting import wait_until


@contextmanager
def mount_silently(folder: Path, place: Path) -> Iterator[bool]:
    """Shows the folder at `place`; yields whether that worked, for which bindfs and the right to mount are needed."""
    program = shutil.which("bindfs")
    if program is None:
        yield False
        return
    place.mkdir()
    with subprocess.Popen(
        [program, "-f", "--no-allow-other", folder, place], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as mounting:
        try:
            wait_until(lambda: os.path.ismount(place) or mounting.poll() is not None)
            yield os.path.ismount(place)
        finally:
            mounting.terminate()
