"""The last step before the terminal: text that no view cleaned is cleaned there, even in the traceback of a crash."""

import io
import sys

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment, Segments
from rich.traceback import Traceback
from textual._border import BORDER_CHARS
from textual.color import Color

from atm_tui.cli.clean_stream import clean_streams
from atm_tui.text import spell_ascii
from atm_tui.view.line_filters import CleanFilter, add_line_filters, make_error_console
from tests.support.safe_text import HOSTILE, find_unsafe

BACKGROUND = Color(0, 0, 0)


def test_segments_with_control_characters_are_cleaned_and_others_unchanged() -> None:
    (apply,) = (each.apply for each in add_line_filters([], ascii_only=False))
    plain = [Segment("│ é日 "), Segment(" ok ")]
    assert apply(plain, BACKGROUND) is plain
    shown = apply([Segment(f"  {HOSTILE}"), *plain], BACKGROUND)
    assert find_unsafe("".join(each.text for each in shown).encode(), "") == []
    assert shown[0].text.startswith("  A")
    assert shown[1:] == plain


@pytest.mark.parametrize(
    ("text", "shown"), [("…\x1b“│”", '~?"|"'), ("Zoë ▂█ ﬁ", "Zoe    ?"), ("日本 🙂", "???? ??"), ("e\u0301", "e")]
)
def test_in_ascii_mode_everything_is_spelled_in_ascii_of_the_same_width(text: str, shown: str) -> None:
    segments = [Segment(text)]
    for each in add_line_filters([CleanFilter()], ascii_only=True):
        segments = each.apply(segments, BACKGROUND)
    assert segments[0].text == shown
    if "\x1b" not in text:
        assert cell_len(shown) == cell_len(text)


def test_borders_of_widgets_and_common_signs_are_spelled_as_signs_and_not_as_question_marks() -> None:
    borders = "".join(each for rows in BORDER_CHARS.values() for row in rows for each in row)
    shown = spell_ascii(f"{borders} ● — ✓ → ← • ▪")
    assert shown.isascii()
    assert "?" not in shown


def test_tracebacks_contain_no_control_sequences(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(raw, "utf-8", write_through=True))
    with pytest.raises(RuntimeError) as raised:
        raise RuntimeError(HOSTILE)
    shown = Traceback.from_exception(RuntimeError, raised.value, raised.tb, show_locals=True)
    text = Segments(Console(file=io.StringIO(), force_terminal=True).render(shown))
    with clean_streams():
        make_error_console().print(text)
    assert b"RuntimeError" in raw.getvalue()
    assert find_unsafe(raw.getvalue()) == []
