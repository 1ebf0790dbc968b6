"""Looks for the user's own patterns in what is asked, in a process of its own: one that takes for ever holds nothing up."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence

from atm_tui.risk.rules import fit_words

SECONDS = 1.0
"""How long all patterns together may take on one request."""
_LOOK = """
import json, re, sys
patterns, texts = json.load(sys.stdin)
for at, pattern in enumerate(patterns):
    found = any(map(re.compile(pattern).search, texts))
    print(at, int(found), flush=True)
"""


def fitting(patterns: Sequence[re.Pattern[str]], texts: Sequence[str], seconds: float = SECONDS) -> list[str]:
    """Reasons of the patterns that fit one of the texts, and of those that could not be looked for in time."""
    if not patterns:
        return []
    given = json.dumps([[each.pattern for each in patterns], list(texts)])
    command = [sys.executable, "-I", "-S", "-c", _LOOK]
    try:
        told = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=seconds, check=False, encoding="ascii"
        ).stdout
    except subprocess.TimeoutExpired as error:
        told = (error.stdout or b"").decode("ascii", "replace")
    except OSError:
        told = ""
    found = dict(line.split() for line in told.splitlines() if line[-2:] in (" 0", " 1"))
    reasons = []
    for at, each in enumerate(patterns):
        match found.get(str(at)):
            case "1":
                reasons.append(fit_words(each.pattern))
            case None:
                reasons.append(f'can\'t be looked through in time for "{each.pattern}", a pattern of yours')
    return reasons
