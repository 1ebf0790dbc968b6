"""Writes one key of the configuration: completely or not at all, and never over what another program wrote meanwhile."""

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from atm_tui.config import Config, ConfigProblem
from atm_tui.model.key_path import format_key
from atm_tui.settings.apply import explain_failure, write_temporary
from atm_tui.settings.config_document import DocumentError, find_value, remove_value, set_value
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.read import read_bytes
from atm_tui.settings.swap import put_in_place
from atm_tui.sources.config_file import ConfigReading, examine_text

_ATTEMPTS = 5
"""Tries to write, while others write the same file."""
ANY: Any = object()
"""Stands for any value."""
Check = Callable[[Config], Sequence[ConfigProblem]]
"""Finds what is wrong in a configuration besides what types and values say."""


def find_nothing(_: Config) -> Sequence[ConfigProblem]:
    """The check of keys about which there is nothing else to say."""
    return ()


class ConfigWriteError(Exception):
    """The configuration was not changed; the message says why, and what to do."""


def change_config(
    path: Path, key: Sequence[str], value: str | None, shown: Any = ANY, *, check: Check = find_nothing
) -> ConfigReading:
    """Sets a key in the file, or removes it; returns what the file says then.

    `value`: as TOML; None: the key is removed, so that its default holds. `shown`: the value in the file on which the person
    decided, None: none; if it is another one now, nothing is written. `check`: what it finds only after the change forbids it.
    Raises ConfigWriteError.
    """
    for _ in range(_ATTEMPTS):
        before = _read(path)
        text = _decode(path, before)
        _refuse_change(path, text, key, shown)
        try:
            after = remove_value(text, key) if value is None else set_value(text, key, value)
        except DocumentError as error:
            raise ConfigWriteError(f"{path}: {error}. Nothing was changed.") from error
        reading = examine_text(after)
        wrong = _find_problems(reading, examine_text(text), key) if value is not None else []
        if not wrong and (found := check(reading.config)):
            known = check(examine_text(text).config)
            wrong = [each for each in found if each not in known]
        if wrong:
            raise ConfigWriteError("\n".join(f"{each.key}: {each.text}" for each in wrong))
        if after == text or _replace(path, before, after.encode()):
            return reading
    raise ConfigWriteError(f"{path}: another program keeps writing it. Nothing was changed: try again.")


def write_new_config(path: Path, text: str) -> None:
    """Creates the file, unless there is one. Raises ConfigWriteError."""
    if _read(path) is None:
        _replace(path, None, text.encode())


def _read(path: Path) -> bytes | None:
    try:
        return read_bytes(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigWriteError(f"{path}: can't be read: {explain_failure(error, 'read')}") from error


def _decode(path: Path, data: bytes | None) -> str:
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigWriteError(f"{path}: is not UTF-8. Nothing was changed: save it as UTF-8.") from error


def _refuse_change(path: Path, text: str, key: Sequence[str], shown: Any) -> None:
    """Raises ConfigWriteError if the file can't be edited, or the key has another value than was shown."""
    broken = [each for each in examine_text(text).problems if not each.key]
    if broken:
        first = broken[0].describe(str(path))
        raise ConfigWriteError(f"{first}. Nothing was changed: correct that line first.")
    if shown is not ANY and (now := find_value(text, key)) != shown:
        words = "was removed" if now is None else f"is {now!r} there now"
        raise ConfigWriteError(
            f"{path} changed meanwhile: {format_key(tuple(key))} {words}. Nothing was changed: look again."
        )


def _find_problems(reading: ConfigReading, before: ConfigReading, key: Sequence[str]) -> list[ConfigProblem]:
    """Returns the problems of a key, of what is in it, and those of the tables around it that were not there before."""
    name = format_key(tuple(key))
    around = {format_key(tuple(key[:depth])) for depth in range(1, len(key))}
    known = {(each.key, each.text) for each in before.problems}
    return [
        each
        for each in reading.problems
        if each.key == name
        or each.key.startswith((f"{name}.", f"{name}["))
        or (each.key in around and (each.key, each.text) not in known)
    ]


def _replace(path: Path, before: bytes | None, after: bytes) -> bool:
    """Replaces the file, through its links; returns False if it is no longer as it was."""
    real = Path(os.path.realpath(path))
    temporary: Path | None = None
    try:
        info = real.stat() if before is not None else None
        if info is not None and not info.st_mode & stat.S_IWUSR:
            raise ConfigWriteError(f"{real}: the file is write-protected. Nothing was changed: chmod u+w it.")
        if info is None:
            real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = write_temporary(real, after, info)
        return put_in_place(temporary, real, before)
    except OSError as error:
        reason = explain_failure(error, "write")
        raise ConfigWriteError(f"{real}: can't be written: {reason}. Nothing was changed.") from error
    except SettingsError as error:
        raise ConfigWriteError(str(error)) from error
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
