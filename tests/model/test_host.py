"""How other machines are reached: the command for each kind, as words that no text can change the meaning of."""

import shlex

import pytest

from atm_tui.model.host import Host, make_command, make_host, reach, reach_by_terminal


def test_ssh_never_asks_and_takes_no_destination_for_an_option() -> None:
    words = make_command(Host(ssh="user@gpu"), "stream")
    assert words[:6] == ("ssh", "-T", "-o", "BatchMode=yes", "--", "user@gpu")
    outer = shlex.split(words[6])
    assert outer[:3] == ["exec", "sh", "-c"]
    assert outer[3].endswith("exec atm-tui stream")
    assert ".local/bin" in outer[3]


def test_a_program_of_the_user_gets_the_command_behind_its_own_words() -> None:
    host = Host(exec=("docker", "exec", "-i", "box"), command="~/my venv/bin/atm-tui")
    words = make_command(host, "stream")
    assert words[:6] == ("docker", "exec", "-i", "box", "sh", "-c")
    assert words[6].endswith("exec \"$HOME\"/'my venv/bin/atm-tui' stream")


def test_with_a_terminal() -> None:
    assert reach_by_terminal(Host(ssh="gpu"), "id")[:4] == ("ssh", "-t", "--", "gpu")
    assert reach_by_terminal(Host(exec=("docker", "exec", "-i", "box")), "id") == (
        *("docker", "exec", "-it", "box"),
        *("sh", "-c", "id"),
    )
    assert reach(Host(exec=("wsl.exe",)), "id") == ("wsl.exe", "sh", "-c", "id")


@pytest.mark.parametrize(
    ("given", "name"), [("user@gpu", "gpu"), ("gpu", "gpu"), ("ssh://me@10.0.0.7:22", "10.0.0.7-22")]
)
def test_a_destination_has_a_name(given: str, name: str) -> None:
    assert make_host(given) == (name, Host(ssh=given))


@pytest.mark.parametrize("given", ["", "-oProxyCommand=id", "a b", "x@", "a\nb", "@"])
def test_what_is_no_destination_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match=r"name|destination|give either"):
        make_host(given)
