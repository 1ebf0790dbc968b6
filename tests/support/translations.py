"""Looks once for translations of argparse's texts, which it seeks on the disk again for each text of each parser."""

import gettext
from functools import cache


def install() -> None:
    """Makes `gettext` remember in which files it found translations, which are few, or none."""
    gettext.find = cache(gettext.find)  # type: ignore[assignment]
