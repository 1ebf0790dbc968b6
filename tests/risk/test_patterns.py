"""The user's own patterns: what they match, and that none of them holds anything up."""

import threading
import time

import pytest

from atm_tui.risk.patterns import PatternError, compile_pattern, find_matches


def find(patterns, texts, **limit):
    return find_matches([compile_pattern(each) for each in patterns], texts, **limit)


def test_the_patterns_that_match_one_of_the_texts_are_the_reasons():
    patterns = ["prod", "^rm", "ü.$", "(?i)DEPLOY", "none of it", r"\bre(set|start)\b"]
    assert find(patterns, ["deploy prod", "x\nrm", "für", "reset"]) == [
        f'matches "{each}", a pattern of yours' for each in ("prod", "ü.$", "(?i)DEPLOY", r"\bre(set|start)\b")
    ]
    assert find([], ["a"]) == find(["a"], []) == []


def test_a_pattern_that_times_out_asks_twice_and_so_do_later_ones():
    found = find(["aaa", r"(a+)+\1b", "b"], ["a" * 5000 + "!"], seconds=0.3)
    assert found[0] == 'matches "aaa", a pattern of yours'
    assert found[1:] == [
        f'could not be searched in time for "{each}", a pattern of yours' for each in (r"(a+)+\1b", "b")
    ]


def test_a_slow_search_lets_other_threads_run():
    """The app paints and answers keys meanwhile."""
    worker = threading.Thread(target=find, args=([r"(a+)+\1b"], ["a" * 5000 + "!"]), kwargs={"seconds": 1.0})
    worker.start()
    turns = 0
    while worker.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 20


@pytest.mark.parametrize("text", ["(", "a{2,1}", "[z-a]", "(?P<x>a)(?P<x>b)"])
def test_an_invalid_regular_expression_is_an_error(text):
    with pytest.raises(PatternError):
        compile_pattern(text)
