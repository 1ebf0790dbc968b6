"""`atm-tui man`: the man page of the installation, wherever that is."""

from pathlib import Path

from tests.support.tables import MAN_PAGE


def test_a_command_prints_the_page_of_the_installation(home) -> None:
    named, printed = home.run_each(("man", "--path"), ("man",))
    assert (named.code, Path(named.out.strip()).name) == (0, MAN_PAGE.name)
    assert printed.out == Path(named.out.strip()).read_text("utf-8")
