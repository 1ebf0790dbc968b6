"""Checks that a wheel holds every tracked file of the two packages, the shared ones and nothing else: wheel_is_whole.py WHEEL."""

import subprocess
import sys
import zipfile

ROOTS = ("tui/", "hooks/")
"""Source roots, which the wheel's paths are without."""
SHARED = "share/"
"""Folder of files that an installation puts beside its programs: completions, the man page."""
PLUGIN = "share/atm-tui/atm-tui.tmux"
"""Where it puts tmux's plugin, which is at the top of the repository."""


def list_tracked(*folders: str) -> list[str]:
    """Returns the tracked files in some folders."""
    listed = subprocess.run(["git", "ls-files", *folders], capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


def main(wheel: str) -> None:
    """Ends with a message and status 1 when files are missing or too many."""
    wanted = {path.split("/", 1)[1] for path in list_tracked(*ROOTS)}
    # Notes beside the packages are for those who read the source.
    wanted = {path for path in wanted if "/" in path}
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    shared = {name.split(".data/data/", 1)[1] for name in names if ".data/data/" in name}
    found = {name for name in names if ".data/data/" not in name}
    wanted, found = {*wanted, *list_tracked(SHARED), PLUGIN}, found | shared
    if missing := sorted(wanted - found):
        sys.exit(f"missing from the wheel: {', '.join(missing)}")
    if extra := sorted(found - wanted):
        sys.exit(f"in the wheel, but not tracked: {', '.join(extra)}")


if __name__ == "__main__":
    main(sys.argv[1])
