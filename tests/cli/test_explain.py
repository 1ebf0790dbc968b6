"""`explain` accounts for a status with every fact; `report` says the same without any text of its user."""

import json


def test_every_source_is_named_with_its_time(home) -> None:
    home.replay("02-background-subagents", until=5.0)
    done = home.run("explain", "b061")
    assert done.code == 0
    for words in (
        "needs you: permission Bash",
        "hooks decide: PermissionRequest",
        "agent Explore",
        "registry",
        "transcript",
        "Explore: permission Bash",
        "for i in 1 2 3",
        "What would change it",
        "PostToolUse",
        "SubagentStart",
    ):
        assert words in done.out, words
    journal = done.out.split("Journal, last 20")[1].strip().splitlines()
    assert len(journal) == 18


def test_only_the_last_twenty_entries_are_shown(home) -> None:
    home.replay("02-killed-subagents")
    assert len(home.run("explain", "8f9f").out.split("Journal, last 20")[1].strip().splitlines()) == 20


def test_a_name_will_do(home) -> None:
    home.replay("02-background-subagents", until=5.0)
    assert home.run("explain", "review the").code == 0


def test_a_report_holds_no_prompt_path_or_tool_input(home) -> None:
    home.replay("02-background-subagents")
    done = home.run("report", "b061", "--yes")
    assert done.code == 0
    written = (home.folder / "atm-report-b061a3a7.json").read_text()
    assert written == done.out
    for secret in (
        "Review the code",
        "List the API",
        "for i in",
        "/home/user",
        "notes.txt",
        "two routes",
        "Update the docs",
    ):
        assert secret not in written, secret
    report = json.loads(written)
    assert len(report["events"]) > 40
    assert report["session"]["liveness"] == "ended"


def test_a_report_is_shown_before_it_is_written(home) -> None:
    home.replay("01-auto-mode")
    done = home.run("report", "ea3a")
    assert done.code == 0
    assert json.loads(done.out)["events"]
    assert not list(home.folder.glob("atm-report*"))
    assert "--yes" in done.err


def test_a_report_that_can_not_be_written_says_where_and_what_to_do(home) -> None:
    home.replay("01-auto-mode")
    done = home.run("report", "ea3a", "--yes", "--output", str(home.folder / "no" / "such" / "folder.json"))
    assert done.code == 1
    assert "--output" in done.err


def test_answers_say_who_and_after_how_long(home) -> None:
    home.replay("02-background-subagents")
    told = home.run("explain", "b061").out.split("Answers, last 10")[1].split("What would change it")[0]
    assert "general-purpose: permission Bash " in told
    assert "Explore: permission Bash for i in 1 2 3" in told
    assert told.count("answered there, after ") == 2
    home.replay("01-auto-mode")
    assert "Answers, last 10 (waited on you today: 0s)\n  none\n" in home.run("explain", "ea3a").out
