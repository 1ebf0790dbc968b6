"""Every system error at every call that reads or writes files: each command ends with a documented code."""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from atm_tui.cli.table import COMMANDS
from tests.support.effort import LONG, sample
from tests.support.every_command import WORDS, run_here, without_screens
from tests.support.faults import CALLS, NUMBERS, get_number, inject
from tests.support.full_home import FullHome, enter_full_home

EVERY = [(name, words) for name, each in WORDS.items() for words in each]
ALL = range(len(EVERY))
PARTS = 4 if LONG else 1
"""Of the calls of a command, each by a test of its own."""
NAMES = [" ".join(words) or "(none)" for _, words in EVERY]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FullHome]:
    with enter_full_home(tmp_path, monkeypatch) as home, without_screens(home):
        yield home


def _list_errors(turn: int) -> list[str]:
    """All errors in a long run, else one: over all commands, each has its turn."""
    return list(NUMBERS) if LONG else [NUMBERS[turn % len(NUMBERS)]]


def test_every_command_is_tested() -> None:
    assert set(WORDS) == {"", *COMMANDS}


@pytest.mark.parametrize("at", sample(ALL, *ALL[::2]), ids=NAMES.__getitem__)
def test_each_command_ends_when_all_calls_of_a_kind_fail(home: FullHome, at: int) -> None:
    words = EVERY[at][1]
    for kind in CALLS if LONG else [list(CALLS)[at % len(CALLS)]]:  # in a short run one kind, by turns
        for name in _list_errors(at):
            home.restore()
            with inject(str(home.folder), get_number(name), lambda called, _, kind=kind: called == kind):
                ended = run_here(words)
            assert ended.is_documented, (kind, name, ended)
            assert ended.code == 0 or ended.err or ended.out, (kind, name, ended)


@pytest.mark.parametrize("at", sample(ALL, *ALL[3::4]), ids=NAMES.__getitem__)
def test_each_command_ends_when_some_calls_fail(home: FullHome, at: int) -> None:
    words = EVERY[at][1]
    for seed in range(100 if LONG else 1):
        dice = random.Random(f"{words} {seed}")
        share, number = dice.choice([0.02, 0.1, 0.3]), get_number(dice.choice(NUMBERS))
        home.restore()
        with inject(str(home.folder), number, lambda *_, dice=dice, share=share: dice.random() < share):
            ended = run_here(words)
        assert ended.is_documented, (seed, ended)


@pytest.mark.parametrize("at", sample(ALL, *ALL[1::4]), ids=NAMES.__getitem__)
@pytest.mark.parametrize("part", range(PARTS))
def test_each_command_ends_when_one_call_fails(home: FullHome, at: int, part: int) -> None:
    words = EVERY[at][1]
    with inject(str(home.folder), 0, lambda *_: False) as made:
        run_here(words)
    dice = random.Random(f"{words}")
    calls = range(part, len(made), PARTS)
    for chosen in calls if LONG else dice.sample(calls, min(1, len(calls))):
        name, counter = dice.choice(NUMBERS), itertools.count()
        home.restore()
        with inject(str(home.folder), get_number(name), lambda *_, at=chosen, counter=counter: next(counter) == at):
            ended = run_here(words)
        assert ended.is_documented, (chosen, made[chosen], name, ended)
