"""What is typed into the command line: read, completed, and refused with the nearest name."""

import pytest

from atm_tui.commands import COMMANDS
from atm_tui.keys.conflicts import YES
from atm_tui.view.command_line import CommandLineError, complete_line, find_common_start, parse_line

WORDS = {"theme": ("nord", "gruvbox"), "sort": ("started", "cost", "context"), "filter": ()}
TYPED = [each for each in COMMANDS if each.id not in YES]


@pytest.mark.parametrize(
    ("text", "command", "argument"),
    [
        ("board", "board", ""),
        (" :board ", "board", ""),
        ("boa", "board", ""),
        ("q", "quit", ""),
        ("next-waiting", "next_waiting", ""),
        ("theme no", "theme", "nord"),
        ("filter state:working  x", "filter", "state:working  x"),
    ],
)
def test_a_line_is_read(text: str, command: str, argument: str) -> None:
    typed = parse_line(text, TYPED, WORDS, YES)
    assert (typed.command.id, typed.argument) == (command, argument)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("bord", 'no command "bord"; did you mean board?'),
        ("zzzz", 'no command "zzzz"'),
        ("board now", "board takes no argument"),
        ("theme nrod", 'theme: no such name "nrod"; did you mean nord?'),
        ("sort co", '"co" could be cost, context'),
        ("allow", "answers are given by their key"),
        ("sure", "answers are given by their key"),
    ],
)
def test_a_line_that_can_not_run_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(CommandLineError) as error:
        parse_line(text, TYPED, WORDS, YES)
    assert reason in str(error.value)


def test_a_line_is_completed() -> None:
    assert [each.text for each in complete_line("bo", TYPED, WORDS)] == ["board"]
    assert [each.text for each in complete_line(":sort co", TYPED, WORDS)] == ["sort cost", "sort context"]
    assert complete_line("nope x", TYPED, WORDS) == []
    found = complete_line("cursor", TYPED, WORDS)
    assert find_common_start(found, "cursor") == "cursor_"
    assert find_common_start([], "x") == "x"
