"""What the real client wrote, by kind: the material that feeds damage."""

import json
import random
from typing import Any

from atm_hooks import payload
from tests.support.full_home import SESSION
from tests.support.timelines import DATA

_AT = 1_795_000_000.0


def _load_lines(pattern: str, most: int) -> list[Any]:
    found: list[Any] = []
    for path in sorted(DATA.rglob(pattern)):
        for line in path.read_bytes().splitlines()[:60]:
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return random.Random(1).sample(found, min(most, len(found)))


def _make_events() -> list[dict[str, Any]]:
    found = []
    for number, hook in enumerate(HOOKS[:200]):
        event = payload.parse_event(json.dumps({**hook, "session_id": SESSION}).encode(), _AT + number, {})
        found.append({"at": event["at"], **event})
    return found


LINES: list[dict[str, Any]] = [each for each in _load_lines("recordings/*.jsonl", 2000) if isinstance(each, dict)]
HOOKS = [each["data"] for each in LINES if each.get("kind") == "hook"]
ASKED = [each for each in HOOKS if each["hook_event_name"] == "PermissionRequest"]
SAMPLES = [each["data"] for each in LINES if each.get("kind") == "statusline"]
ENTRIES = [each["data"] for each in LINES if each.get("kind") == "registry" and each["data"]]
TRANSCRIPT = [each for each in _load_lines("transcripts/**/*.jsonl", 400) if isinstance(each, dict)]
EVENTS = _make_events()
"""Events of one session in its journal's form."""


def pick(values: list[Any], dice: random.Random, most: int = 12) -> list[Any]:
    """Returns up to `most` of the values, in any order."""
    return [dice.choice(values) for _ in range(dice.randint(1, most))]
