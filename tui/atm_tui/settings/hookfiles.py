"""Copies the hook's files that Claude Code runs, so that they don't depend on the environment of atm-tui.

hooks/versions/<digest>-<random> is a folder for each version, complete before it is used; hooks/atm_hooks is a link to
the current one, which is replaced atomically.
"""

import hashlib
import os
import secrets
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from atm_hooks.bundle import locate_bundle
from atm_hooks.journal import make_folder
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.read import read_bytes
from atm_tui.sources.exists import exists, is_file, is_folder, is_link, list_folder, list_tree

COMPILE = """
import compileall, py_compile, sys
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
if not compileall.compile_dir(sys.argv[1], quiet=2, maxlevels=0, invalidation_mode=mode):
    sys.exit(1)
sys.path.append(sys.argv[1])
import bundle
bundle.write_bundles(sys.argv[1], sys.argv[2])
"""
"""Compiles bytecode that ignores the source's time, since the folder of a version never changes; then writes the bundles."""

COMPILE_LIMIT = 60
"""Seconds."""
PRIVATE = 0o077
"""Umask while files are copied and compiled: Claude Code runs them, so no other user may replace them."""
STAGING = ".new-"


def find_source_dir() -> Path:
    """Returns the folder of the package to copy. Raises SettingsError if it is not installed."""
    spec = find_spec("atm_hooks")
    if spec is None or not spec.submodule_search_locations:
        raise SettingsError("atm_hooks is not installed beside atm_tui.\n  Next: install atm-tui again.")
    return Path(next(iter(spec.submodule_search_locations)))


def list_modules(folder: Path) -> list[Path]:
    """Returns the Python files in a folder, sorted by name. Raises OSError if it can't be listed."""
    return [folder / name for name in sorted(os.listdir(folder)) if name.endswith(".py")]  # noqa: PTH208


def digest(folder: Path) -> str:
    """Returns 16 hex digits that identify a version of the files. Raises OSError."""
    state = hashlib.sha256()
    for file in list_modules(folder):
        state.update(f"{file.name}\0".encode() + hashlib.sha256(read_bytes(file)).digest())
    return state.hexdigest()[:16]


def is_same(link: Path, source: Path | None = None) -> bool:
    """Returns whether the copy behind `link` (…/hooks/atm_hooks) has the same bytes as this version's files."""
    try:
        return digest(link) == digest(source or find_source_dir())
    except OSError:
        return False


def is_current(link: Path, source: Path | None = None) -> bool:
    """Returns whether the copy is current: the same files, with bytecode for this process's Python."""
    compiled = is_folder(link / "__pycache__") and is_file(Path(locate_bundle(str(link))))
    return compiled and is_same(link, source)


def copy_hooks(link: Path, interpreter: Path, source: Path | None = None) -> bool:
    """Updates the copy, compiled for the Python that will run it. Returns False if it was current.

    Raises SettingsError if the folder can't be written or that Python can't run; the old copy then stays.
    """
    source = source or find_source_dir()
    versions = link.parent / "versions"
    staging = versions / f"{STAGING}{secrets.token_hex(4)}"
    try:
        _make_private(link)
        if is_current(link, source):
            return False
        with _read_umask(PRIVATE):
            make_folder(str(staging))
            for file in list_modules(source):
                (staging / file.name).write_bytes(read_bytes(file))
        _make_private(link)
        _remove_unfinished(link, versions, staging)
        final = versions / f"{digest(staging)}-{secrets.token_hex(4)}"
        _compile(staging, interpreter, final)
        staging.replace(final)
        _switch_link(link, final)
        _remove_old(versions, final)
    except OSError as error:
        raise SettingsError(
            f"{link.parent}: can't copy the hook's files: {error.strerror}.\n"
            "  Next: make that folder writable, or set ATM_DATA_DIR to one that is."
        ) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return True


def remove_hooks_copy(link: Path) -> None:
    """Removes the copy, and its folder if it contains nothing else."""
    if is_link(link) or is_file(link):
        link.unlink(missing_ok=True)
    else:
        shutil.rmtree(link, ignore_errors=True)
    shutil.rmtree(link.parent / "versions", ignore_errors=True)
    for folder in (link.parent, link.parent.parent):
        try:
            folder.rmdir()
        except OSError:
            return


def _compile(folder: Path, interpreter: Path, final: Path) -> None:
    """Compiles the files in a folder that will be moved to `final`. Raises SettingsError."""
    command = [str(interpreter), "-I", "-S", "-X", "no_debug_ranges", "-c", COMPILE, str(folder), str(final)]
    try:
        result = subprocess.run(command, capture_output=True, timeout=COMPILE_LIMIT, check=False, umask=PRIVATE)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SettingsError(f"{interpreter}: can't run this Python: {error}.\n  Next: install atm-tui again.") from None
    if result.returncode:
        message = result.stderr.decode(errors="replace").strip()[-300:]
        raise SettingsError(
            f"{interpreter}: can't compile the hook's files: {message}.\n  Next: install atm-tui again."
        )


@contextmanager
def _read_umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def _make_private(link: Path) -> None:
    """Makes the folders of the copy 0700, and removes write permission for others from their content and the data folder.

    Raises OSError if that is not permitted.
    """
    private = [link.parent, link.parent / "versions"]
    for place in (link.parent.parent, *private, *list_tree(private[-1])):
        if is_link(place) or not exists(place):
            continue
        mode = stat.S_IMODE(place.stat().st_mode)
        wanted = mode & (0o700 if place in private else 0o755)
        if mode != wanted:
            place.chmod(wanted)


def _remove_unfinished(link: Path, versions: Path, current: Path) -> None:
    """Removes the remains of a killed install. The caller holds the lock of our processes."""
    for folder in list_folder(versions, f"{STAGING}*"):
        if folder != current:
            shutil.rmtree(folder, ignore_errors=True)
    for other in list_folder(link.parent, f".{link.name}-*"):
        if is_link(other):
            other.unlink(missing_ok=True)


def _switch_link(link: Path, folder: Path) -> None:
    if is_folder(link) and not is_link(link):
        shutil.rmtree(link)
    new = link.with_name(f".{link.name}-{secrets.token_hex(4)}")
    new.symlink_to(os.path.relpath(folder, link.parent))
    new.replace(link)


def _remove_old(versions: Path, current: Path) -> None:
    """Removes all versions but the last two: a hook that just started may still import from the previous one."""
    others = [each for each in list_folder(versions) if each != current and not each.name.startswith(STAGING)]
    for old in sorted(others, key=lambda each: each.stat().st_mtime)[:-1]:
        shutil.rmtree(old, ignore_errors=True)
