"""Reads the user's settings of the status line: segments, thresholds, and whether to use ASCII only.

A TOML parser takes longer to load than the line may take. So what was read is kept in STATE/statusline.json, and the
configuration is parsed again only when it has changed. Mistakes in it are shown by atm-tui; here they mean the default.
"""

import posix

from atm_hooks.codec import Object, decode, encode
from atm_hooks.regular_file import read_regular

SEGMENTS = ("model", "context", "cost", "limits", "cache", "branch", "agents")
"""All segments, in the order in which they are shown unless the configuration says otherwise."""
THRESHOLDS = (60, 80, 90)
"""Percentages from which a gauge is warm or hot, and a limit is nearly reached, unless the configuration says otherwise."""
NAME = "statusline.json"
_SIZE = 1 << 20


def load_line_settings(root: str, path: str) -> Object:
    """Returns "segments", "thresholds" and "ascii", as far as the configuration in `path` sets them validly."""
    try:
        found = posix.stat(path)
    except (OSError, ValueError):
        return {}
    stamp = f"{path}|{found.st_ino}|{found.st_mtime_ns}|{found.st_size}"
    kept = _read_kept(root)
    if kept.get("stamp") == stamp and isinstance(kept.get("settings"), dict):
        return _check(kept["settings"])
    settings = _parse(path)
    _keep(root, {"stamp": stamp, "settings": settings})
    return settings


def _read_kept(root: str) -> Object:
    try:
        kept = decode(read_regular(f"{root}/{NAME}", _SIZE).decode("utf-8", "replace"))
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _parse(path: str) -> Object:
    try:
        import tomllib

        data = tomllib.loads(read_regular(path, _SIZE).decode("utf-8"))
    except Exception:
        return {}
    return _check(
        {
            "segments": data.get("statusline"),
            "thresholds": data.get("context_thresholds"),
            "ascii": data.get("ascii"),
        }
    )


def _check(given: Object) -> Object:
    """Returns those settings whose values have the right type."""
    settings: Object = {}
    segments, thresholds = given.get("segments"), given.get("thresholds")
    if isinstance(segments, list):
        settings["segments"] = [each for each in segments if each in SEGMENTS]
    if isinstance(thresholds, list) and len(thresholds) == 3 and all(type(each) is int for each in thresholds):
        settings["thresholds"] = thresholds
    if given.get("ascii") is True:
        settings["ascii"] = True
    return settings


def _keep(root: str, value: Object) -> None:
    temporary = f"{root}/tmp/{NAME}"  # noqa: S108  the folder of files that are being written
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_NOFOLLOW | posix.O_CLOEXEC
    try:
        file = posix.open(temporary, flags, 0o600)
        try:
            posix.write(file, encode(value).encode("ascii"))
        finally:
            posix.close(file)
        posix.replace(temporary, f"{root}/{NAME}")
    except OSError:
        pass
