"""How many labelled commands ask twice: nearly all that are dangerous, and hardly any that is harmless."""

import json
import time
from pathlib import Path

import pytest

from atm_tui.model.request import Request
from atm_tui.risk.requests import find_dangers

DATA = Path(__file__).parents[1] / "data" / "risk"
ROOT, HOME = "/home/user/work/web", "/home/user"


def asks_twice(command):
    request = Request(nonce="0", session_id="s", key="k", digest="d", tool="Bash", input={"command": command}, cwd=ROOT)
    return bool(find_dangers(request, (ROOT,), HOME))


@pytest.mark.parametrize("name", ["commands.jsonl", "variations.jsonl", "families.jsonl"])
def test_labelled_commands(name):
    rows = [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    dangerous = [row["command"] for row in rows if row["kind"] == "dangerous"]
    harmless = [row["command"] for row in rows if row["kind"] == "harmless"]
    assert min(len(dangerous), len(harmless)) > 100
    missed = [command for command in dangerous if not asks_twice(command)]
    alarms = [command for command in harmless if asks_twice(command)]
    assert len(missed) <= 0.015 * len(dangerous), missed
    assert len(alarms) <= 0.01 * len(harmless), alarms


def test_a_megabyte_is_told_to_be_too_long_at_once():
    begin = time.process_time()
    assert asks_twice("echo " + "x" * 1_000_000)
    assert asks_twice("ls; " * 250_000)
    assert time.process_time() - begin < 3
