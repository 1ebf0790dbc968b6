"""The user's own patterns, looked for in a process of its own."""

import re
import time

from atm_tui.risk.patterns import fitting
from atm_tui.risk.rules import fitting as here


def compiled(*patterns):
    return [re.compile(each) for each in patterns]


def test_it_says_what_a_plain_look_says():
    patterns = compiled("prod", "^rm", "ü.$", "(?i)DEPLOY", "none of it", "\ud800")
    texts = ["deploy prod", "x\nrm", "für", "\ud800"]
    assert fitting(patterns, texts) == here(patterns, texts)
    assert len(here(patterns, texts)) == 4
    assert fitting([], texts) == []


def test_a_pattern_that_takes_for_ever_holds_up_nothing_and_makes_it_ask_twice():
    begin = time.monotonic()
    found = fitting(compiled("aaa", "(a+)+$", "b"), ["a" * 5000 + "!"], seconds=0.6)
    assert time.monotonic() - begin < 3
    assert found[0] == 'fits "aaa", a pattern of yours'
    assert found[1:] == [
        f'can\'t be looked through in time for "{each}", a pattern of yours' for each in ("(a+)+$", "b")
    ]


def test_without_an_interpreter_it_asks_twice(monkeypatch):
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    assert fitting(compiled("x"), ["y"]) == ['can\'t be looked through in time for "x", a pattern of yours']
