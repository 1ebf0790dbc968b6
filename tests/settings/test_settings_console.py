"""What the commands print: nothing of a user's file steers the terminal, and the layout of a diff stays."""

import pytest

from atm_tui.settings.console import complain, out
from atm_tui.text import MARK, clean

DIFF = '@@ -1,2 +1,2 @@\n {\n-\t"a":  1\n+\t"a":  2\n\\ No newline at end of file'


def test_a_diff_keeps_its_lines_tabs_and_blanks(capsys) -> None:
    out(DIFF)
    assert capsys.readouterr().out == DIFF + "\n"


@pytest.mark.parametrize("say", [out, complain])
def test_nothing_steers_the_terminal(capsys, say) -> None:
    say("a\x1b]52;c;QUFB\x07b\x9b31m \u202egnp.exe\u2066 \r\x08 \x00 [bold]")
    captured = capsys.readouterr()
    text = captured.out + captured.err
    assert not set(text) & set("\x1b\x07\x9b\u202e\u2066\r\x08\x00")
    assert MARK in text
    assert "[bold]" in text


def test_lines_are_cleaned_as_single_ones_are_but_for_their_layout() -> None:
    text = "x\ty\x1b\u200bz  \ud800\n e\u0301"
    assert clean(text, lines=True) == f"x\ty{MARK}z  {MARK}\n é"
    assert clean(clean(text, lines=True)) == clean(text)
