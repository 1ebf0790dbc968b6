"""Versions of Claude Code that were compared with the recorded one, and what each is known to do differently.

`python -m tests.client.record --compare VERSION` makes such a comparison; `tests/data/clients/` has what each version did.
"""

import re
from collections.abc import Mapping

Version = tuple[int, int, int]

RECORDED: Version = (2, 1, 332)
"""The version with which atm-tui was made and tested."""

COMPARED: Mapping[Version, tuple[str, ...]] = {
    RECORDED: (),
    (2, 1, 220): (
        "it shows other costs for models that came later, such as Opus 5.5 and Haiku 5.5",
        "a prompt that waits for the end of a turn is no event until it is taken",
        "what a run with -p was refused is no event",
        "no event for a change of model",
        "the registry has no pane of tmux, and does not mark names given by /rename",
        "costs of past sessions are computed from transcripts alone",
    ),
}
"""What differs for a person, by version."""


def read_version(text: str) -> Version | None:
    """Returns the first version number in a text, or None."""
    match = re.search(r"(\d+)\.(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def write_version(version: Version) -> str:
    """Returns a version as the client writes it."""
    return ".".join(map(str, version))


def find_nearest(version: Version) -> Version:
    """Returns the compared version that is the best guess for a version: the newest that is not newer, else the oldest."""
    return max((each for each in COMPARED if each <= version), default=min(COMPARED))


def is_newer_than_all(version: Version) -> bool:
    """Returns whether no version that new was compared."""
    return version > max(COMPARED)


def describe_version(version: Version) -> str:
    """Returns what is known of a version, to stand behind its name."""
    if is_newer_than_all(version):
        return f"newer than {write_version(max(COMPARED))}, the newest version that was compared; what differs is not known"
    nearest = find_nearest(version)
    differences = COMPARED[nearest]
    if nearest == version:
        if not differences:
            return "compared: works as recorded" if version == RECORDED else "compared: nothing that matters differs"
        return f"compared with {write_version(RECORDED)}: {'; '.join(differences)}"
    known = f": {'; '.join(differences)}" if differences else ", of which nothing is known to differ"
    return f"not compared; the nearest version that was is {write_version(nearest)}{known}"
