"""Which programs a command calls, behind wrappers too, and which of its words are shell texts."""

import pytest

from atm_tui.risk.calls import find_calls, find_scripts
from atm_tui.risk.commands import KNOWN
from atm_tui.risk.shell import read_commands


def list_calls(text):
    return [call for command in read_commands(text) for call in find_calls(command, KNOWN)]


@pytest.mark.parametrize(
    "text",
    [
        "rm -r x",
        "/bin/rm -r x",
        "sudo -u root rm -r x",
        "env -i A=1 rm -r x",
        "timeout -k 5 10 nice rm -r x",
        "uv run rm -r x",
        "docker exec -it node rm -r x",
        "kubectl exec git -- rm -r x",
        "find . -name a -exec rm -r {} +",
        "no-such-wrapper --fast 3 rm -r x",
        "A=rm; $A -r x",
    ],
)
def test_a_program_behind_wrappers(text):
    assert "rm" in [call.program for call in list_calls(text)]


@pytest.mark.parametrize("text", ["echo rm -r x", "grep rm -r x", "npm rm -r x", "git log rm", "npm run rm -r x"])
def test_a_program_name_in_an_argument_is_not_a_call(text):
    assert "rm" not in [call.program for call in list_calls(text)]


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("bash -c 'a; b'", ["a; b"]),
        ("bash -lc 'a'", ["a"]),
        ("sudo sh -ec 'a'", ["a"]),
        ("eval 'a b'", ["a b"]),
        ("trap 'a' EXIT", ["a"]),
        ("alias x='a b'", ["a b"]),
        ("ssh host 'a; b'", ["a; b"]),
        ("env -S 'a b'", ["a b"]),
        ("su -c 'a' x", ["a"]),
        ("bash <<< 'a'", ["a"]),
        ("bash <<E\na\nb\nE", ["a\nb\n"]),
        ("echo 'a b' | sh", ["a b"]),
        ("python3 -c 'a'", []),
        ("bash x.sh", []),
    ],
)
def test_shell_scripts_in_arguments(text, scripts):
    assert [script for call in list_calls(text) for script in find_scripts(call)] == scripts


def test_options_and_values():
    (call,) = list_calls("tar -xzf a.tar --directory=b -C c -- -d")
    assert call.has("-x", "--nothing")
    assert call.names == ("a.tar", "c", "-d")
    assert call.list_values("--directory", "-C") == ["b", "c"]
    assert list_calls("find . -exec rm {} +")[1].is_batch
