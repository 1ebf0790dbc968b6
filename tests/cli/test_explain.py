"""`explain` accounts for a status with every fact."""


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


def test_a_session_is_found_by_name(home) -> None:
    home.replay("02-background-subagents", until=5.0)
    assert home.run("explain", "review the").code == 0


def test_answers_show_who_answered_and_how_quickly(home) -> None:
    home.replay("02-background-subagents")
    told = home.run("explain", "b061").out.split("Answers, last 10")[1].split("What would change it")[0]
    assert "general-purpose: permission Bash " in told
    assert "Explore: permission Bash for i in 1 2 3" in told
    assert told.count("answered there, after ") == 2
    home.replay("01-auto-mode")
    assert "Answers, last 10 (waited on you today: 0s)\n  none\n" in home.run("explain", "ea3a").out
