"""Prints pip constraints: each dependency at the lowest version that pyproject.toml allows. lowest_versions.py [EXTRA …]"""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
LOWEST = re.compile(r"(?P<name>[\w.-]+)(\[[\w,-]+\])?\s*>=\s*(?P<version>[\w.]+)")
"""What a requirement begins with that says how old a version may be."""


def constraints(extras: list[str]) -> list[str]:
    """`name==version` for what the app needs, and for the extras; exits when one has no lowest version."""
    wanted = [*PROJECT["dependencies"], *(each for name in extras for each in PROJECT["optional-dependencies"][name])]
    found = [LOWEST.match(each) for each in wanted]
    if without := [each for each, match in zip(wanted, found, strict=True) if match is None]:
        sys.exit(f"pyproject.toml says of no lowest version for: {', '.join(without)}")
    return [f"{match['name']}=={match['version']}" for match in found if match]


if __name__ == "__main__":
    sys.stdout.write("".join(f"{each}\n" for each in constraints(sys.argv[1:])))
