"""Checks that two wheels hold the same files with the same content: same_wheel.py WHEEL WHEEL."""

import sys
import zipfile


def read_files(wheel: str) -> dict[str, bytes]:
    """Returns the content of each file."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def main(one: str, two: str) -> None:
    """Ends with a message and status 1 when they differ."""
    first, second = read_files(one), read_files(two)
    differing = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    if differing:
        sys.exit(f"the wheels differ in: {', '.join(differing)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
