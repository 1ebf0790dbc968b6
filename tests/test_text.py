"""The sanitiser on all of Unicode: no control or invisible characters remain, and JSON keeps its meaning."""

import itertools
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atm_tui.text import MARK, clean, escape_json, format_bytes
from tests.support.safe_text import is_safe

BLOCKS = (range(0x3400), range(0xA000, 0xAC00), range(0xD7B0, 0x20000), range(0xE0000, 0xE1000))
"""All of Unicode but ideographs, Hangul syllables and private use."""
EVERY = [chr(code) for code in itertools.chain(*BLOCKS)]
BLANK_LETTERS = "\u115f\u1160\u3164\uffa0"
"""Letters without a picture."""


def test_no_control_or_invisible_character_is_left() -> None:
    for lines in (False, True):
        text = clean("".join(EVERY), lines=lines)
        kept = {each for each in text if not is_safe(each)}
        assert kept == ({"\n", "\t"} if lines else set())
        assert not set(text) & set(BLANK_LETTERS)


def test_visible_characters_stay() -> None:
    seen = [each for each in EVERY if unicodedata.category(each)[0] in "LNPS" and each not in BLANK_LETTERS]
    gone = [each for each in seen if MARK in clean(each) or not clean(each)]
    assert [each for each in gone if not 0x1F3FB <= ord(each) <= 0x1F3FF and each != MARK] == []


def test_multi_line_text_is_cleaned_but_keeps_its_layout() -> None:
    text = "x\ty\x1b\u200bz  \ud800\n e\u0301"
    assert clean(text, lines=True) == f"x\ty{MARK}z  {MARK}\n é"
    assert clean(clean(text, lines=True)) == clean(text)


def test_json_of_every_character_is_safe_and_equivalent() -> None:
    for ascii_only in (False, True):
        text = escape_json(json.dumps("".join(EVERY), ensure_ascii=False), ascii_only=ascii_only)
        assert all(map(is_safe, set(text)))
        assert text.isascii() or not ascii_only
        # A pair of lone surrogates is one character in JSON.
        assert json.loads(text) == json.loads(json.dumps("".join(EVERY)))


@pytest.mark.parametrize("text", ['"é日🙂"', '{"a": "b\\u001b"}', "[1,\n 2]"])
def test_safe_json_is_unchanged(text: str) -> None:
    assert escape_json(text) == text


@given(st.text())
def test_any_text_survives_a_json_round_trip(text: str) -> None:
    assert json.loads(escape_json(json.dumps(text, ensure_ascii=False))) == text


def test_bytes_are_rounded_to_three_digits_in_the_unit_that_fits() -> None:
    counts = (0, 9, 512, 999, 1_000, 4_200, 9_949, 9_950, 31_000_000, 999_499_999, 999_500_000, 12_000_000_000_000)
    assert [format_bytes(count) for count in counts] == [
        "0 B",
        "9 B",
        "512 B",
        "999 B",
        "1.0 kB",
        "4.2 kB",
        "9.9 kB",
        "10 kB",
        "31 MB",
        "999 MB",
        "1.0 GB",
        "12000 GB",
    ]
