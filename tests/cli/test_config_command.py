"""`atm-tui config`: lists, prints, checks, writes and edits the configuration, as a process."""

import json
import sys
from pathlib import Path

from atm_tui.config import MEANINGS

BAD = 'them = "nord"\ntheme = "norrd"\nbudget_day = 5\n'


def test_keys_are_listed_printed_set_and_unset(home) -> None:
    path = home.folder / "my config.toml"
    home.environ["ATM_CONFIG"] = str(path)
    named, listed, checked = home.run_each(("config", "--path"), ("config",), ("config", "--check"))
    assert named.out == f"{path}\n"
    assert [line.split()[0] for line in listed.out.splitlines()] == list(MEANINGS)
    assert all(line.endswith("default") for line in listed.out.splitlines())
    assert checked.code == 0
    path.write_text("# mine\nbudget_day = 1_0   # dollars\n")
    changes = (
        ("theme", "nord"),
        ("budget_day", "4_0.5"),
        ("quiet_hours", "22:00-07:00"),
        ("notify_by", "tmux"),
        ("dangers", r'["deploy\\b", "!outside"]'),
        ("ascii", "true"),
        ("pricing.web_search", "0.02"),
    )
    for done in home.run_each(*(("config", *words) for words in changes)):
        assert (done.code, done.out, done.err) == (0, "", "")
    assert path.read_text() == (
        '# mine\nbudget_day = 4_0.5   # dollars\ntheme = "nord"\nquiet_hours = "22:00-07:00"\nnotify_by = ["tmux"]\n'
        'dangers = ["deploy\\\\b", "!outside"]\nascii = true\n\n[pricing]\nweb_search = 0.02\n'
    )
    listed, text, inner, unset, after = home.run_each(
        *(("config", *words) for words in ((), ("quiet_hours",), ("pricing.web_search",), ("--unset", "budget_day"))),
        ("config", "budget_day"),
    )
    lines = {line.split()[0]: line for line in listed.out.splitlines()}
    assert lines["budget_day"].split() == ["budget_day", "40.5", "my", "config.toml:2"]
    assert lines["closed_after"].endswith("default")
    assert (text.out, inner.out, unset.code, after.out) == ('"22:00-07:00"\n', "0.02\n", 0, "0\n")
    assert "budget" not in path.read_text()


def test_what_is_wrong_is_told_and_never_written(home) -> None:
    path = home.folder / "config.toml"
    home.environ["ATM_CONFIG"] = str(path)
    refused = {
        ("theme", "norrd"): (1, 'did you mean "nord"'),
        ("--", "budget_day", "-3"): (1, "budget_day: expected a number of at least 0"),
        ("watch", "/nowhere"): (1, 'there is no folder "/nowhere"'),
        ("them", "nord"): (2, 'did you mean "theme"'),
        ("--check", "theme"): (2, "either KEY or an option"),
        ("keys.sort", "b"): (1, 'keys.sort: "b" is also a key of board'),
    }
    for done, (code, told) in zip(
        home.run_each(*(("config", *words) for words in refused)), refused.values(), strict=True
    ):
        assert (done.code, done.out, path.exists()) == (code, "", False)
        assert told in done.err
    path.write_text(BAD)
    done, value, changed = home.run_each(("config", "--check"), ("config", "budget_day"), ("config", "theme", "nord"))
    assert done.code == 1
    assert done.out.splitlines() == [
        f'{path}:1: them: unknown key; did you mean "theme"?',
        f'{path}:2: theme: unknown value "norrd"; did you mean "nord"?',
        "2 problems",
    ]
    assert (value.code, value.out) == (1, "5\n")
    assert len(value.err.splitlines()) == 2
    assert changed.code == 0
    assert path.read_text() == BAD.replace("norrd", "nord")
    path.write_text('[[commands]]\nkey = "q"\ntitle = "mine"\nrun = ["true"]\n')
    checked, freed, taken = home.run_each(
        ("config", "--check"), ("config", "keys.board", '["B", "g b"]'), ("config", "--unset", "keys.board")
    )
    assert checked.code == 1
    assert f'{path}:2: commands[0].key: "q" is the key of "quit"' in checked.out
    assert (freed.code, taken.code) == (1, 0)  # what was wrong before forbids nothing
    assert 'keys.board: "g b" begins with "g", a key of cursor_first' in freed.err


def test_the_keys_of_a_command_are_printed_and_an_editor_needs_a_terminal(home) -> None:
    path = home.folder / "config.toml"
    home.environ["ATM_CONFIG"] = str(path)
    path.write_text("[keys]\nquit = 'Q'\n")
    shown = home.run_each(*(("config", f"keys.{each}") for each in ("board", "quit", "bord")))
    assert [(each.code, each.out) for each in shown] == [(0, '["b"]\n'), (0, '"Q"\n'), (1, "")]
    path.unlink()
    done = home.run("config", "--edit", PATH="/usr/bin:/bin")
    assert (done.code, done.out, path.exists()) == (6, "", False)
    assert "$EDITOR can name another" in done.err


def test_a_file_that_is_not_there_is_told_to_who_asks_and_may_come_later(home) -> None:
    path = home.folder / "config.toml"
    home.environ["ATM_CONFIG"] = str(path)
    path.write_text('[fleet]\nnats = "nats://name"\ncreds = "~/me.creds"\ntls_ca = "~"\n')
    told = [
        f'{path}:3: fleet.creds: there is no file "~/me.creds". Create it, or correct its path.',
        f'{path}:4: fleet.tls_ca: "~" is no file that you may read. Correct its path, or its permissions.',
    ]
    checked, changed, asked = home.run_each(
        ("config", "--check"), ("config", "fleet.machine", "gpu"), ("config", "theme")
    )
    assert (checked.code, checked.out.splitlines()) == (1, [*told, "2 problems"])
    assert (changed.code, changed.out, changed.err.splitlines()) == (0, "", [f"atm-tui: {each}" for each in told])
    assert (asked.code, asked.err) == (0, ""), "it holds all the same"
    path.write_text('[fleet]\nnats = "nats://name"\ncreds = "~/me.creds"\n')
    (home.folder / "me.creds").write_text("")
    assert home.run("config", "--check").code == 0


def test_the_schema_is_printed(home) -> None:
    schema = json.loads(home.run("config", "--schema").out)
    assert list(schema["properties"]) == list(MEANINGS)


def test_the_file_is_edited_and_checked(home) -> None:
    script = home.folder / "my editor"
    script.write_text(
        f"#!{sys.executable}\nimport sys\nfrom pathlib import Path\npath = Path(sys.argv[1])\n"
        "text = path.read_text()\nassert '# theme = \"atm-dark\"' in text, text\n"
        "path.write_text(text + 'theme = \"norrd\"\\n')\n"
    )
    script.chmod(0o755)
    done = home.run("config", "--edit", EDITOR=f"'{script}'", PATH="/usr/bin:/bin")
    assert done.code == 1, done.err
    assert 'did you mean "nord"' in done.out
    done = home.run("config", "--edit", EDITOR="false")
    assert (done.code, "exit code 1" in done.err) == (6, True)
    done = home.run("config", "--edit", EDITOR="no-such-editor")
    assert (done.code, "no-such-editor" in done.err) == (6, True)


def test_commands_name_all_that_is_wrong(home) -> None:
    path: Path = home.folder / "config.toml"
    path.write_text(BAD)
    done = home.run("status", ATM_CONFIG=str(path))
    assert done.code == 1
    assert f"{path}:1: them: " in done.err
    assert f"{path}:2: theme: " in done.err
