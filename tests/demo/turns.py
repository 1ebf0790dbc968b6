"""Plain turns that several sessions of the demo play, and the words that all pieces share."""

from collections.abc import Sequence
from typing import Any

from tests.demo.cutting import Excerpt

OPUS, SONNET, OLD_SONNET, HAIKU, OLD_HAIKU = (
    "claude-opus-5-5",
    "claude-sonnet-5-5",
    "claude-sonnet-4-6",
    "claude-haiku-5-5",
    "claude-haiku-4-5",
)
HOUR = 3600
WORK = "/home/user/work"
ROUND = "-@n@"
"""Ends the tag of a piece that is played in every round."""


def start(at: float) -> Excerpt:
    """A session begins."""
    return Excerpt("06-autocompact", 1.0, 1.7, f"1.0>{at}", f"s{abs(int(at))}")


def turn(
    at: float, seconds: float, prompt: str, reply: str, context: int, *, tag: str = "", output: int = 6_000, **more: Any
) -> Excerpt:
    """A prompt that is answered without a tool."""
    return Excerpt(
        "06-autocompact",
        5.6,
        6.2,
        f"5.67>{at} 5.83>{at + seconds}",
        tag or f"h{abs(int(at))}",
        {"Note the second point": prompt, "Noted the second point.": reply},
        (context, 20_000),
        output,
        **more,
    )


def failing(at: float, tag: str, words: Sequence[str], context: int, *, lines: tuple[int, int] = (0, 0)) -> Excerpt:
    """A turn of 18 s with a command that fails: prompt, command, what it is for, error, reply."""
    prompt, command, purpose, error, reply = words
    return Excerpt(
        "05-tool-failure",
        7.0,
        8.1,
        f"7.09>{at} 7.18>{at + 3} 7.35>{at + 12} 7.66>{at + 12.4} 7.73>{at + 17} 7.81>{at + 17.1} 8.01>{at + 17.4}",
        tag,
        {
            "Run a failing test": prompt,
            "ls notes.txt nothere.txt": command,
            "Run the tests": purpose,
            "Exit code 2\nls: cannot access 'nothere.txt': No such file or directory\nnotes.txt": error,
            "The test failed.": reply,
        },
        (context, 4_000),
        2_400,
        lines=lines,
    )


def asking(at: float, tag: str, words: Sequence[str], context: int, waits: float, lines: tuple[int, int]) -> Excerpt:
    """A turn that reads, then asks for a command: prompt, file, command, what it is for, reply."""
    prompt, file, command, purpose, reply = words
    asked, done = at + 9, at + 9 + waits
    return Excerpt(
        "01-permission-allowed",
        2.6,
        11.8,
        f"2.64>{at} 2.82>{at + 3} 2.88>{at + 5.5} 3.02>{asked - 0.2} 3.11>{asked} 3.15>{asked + 0.1} 9.22>{asked + 6} 11.26>{done} "
        f"11.29>{done + 5} 11.31>{done + 5.1} 11.39>{done + 10} 11.48>{done + 10.1} 11.7>{done + 10.4}",
        tag,
        {
            "Fix the login test": prompt,
            "/home/user/work/web/notes.txt": file,
            "touch build.log && rm build.log": command,
            "Run the build": purpose,
            "The login test is fixed.": reply,
        },
        (context, 4_500),
        1_800,
        lines=lines,
        keep=lambda line: line["kind"] != "registry" or line["data"].get("status") != "busy" or line["t"] < 11,
    )


def answer_in_registry(at: float, tag: str) -> Excerpt:
    """The registry's word that a person has just allowed what was asked: no hook tells."""
    return Excerpt("04-interrupt", 5.33, 5.35, f"5.33>{at}", tag, keep=lambda line: line["kind"] == "registry")


def make_tmux_variables(pane: int) -> dict[str, Any]:
    """Variables of a tmux server that is not there."""
    return {
        "terminal": {"TERM_PROGRAM": "tmux", "TMUX": "/home/user/.tmux-demo/default,4021,0", "TMUX_PANE": f"%{pane}"},
        "tmux": f"work:@{pane}.%{pane}",
    }
