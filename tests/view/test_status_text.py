"""The words for activities and waits, which are made in one place from typed values."""

import pytest

from atm_tui.model.activity import Activity, ActivityKind, make_wait_activity
from atm_tui.model.resolve import Facts
from atm_tui.model.session import Note, NoteKind, Session, State
from atm_tui.model.wait import Reason, Wait
from atm_tui.timeline.wait_record import AnsweredBy, WaitRecord
from atm_tui.view.answered import describe_answer, name_answer
from atm_tui.view.explain import explain
from atm_tui.view.status_text import (
    REASONS,
    describe_activity,
    describe_note,
    describe_wait,
)

K = ActivityKind


@pytest.mark.parametrize(
    ("activity", "words"),
    [
        (Activity(), ""),
        (Activity(kind=K.SETUP), "setting up"),
        (Activity(kind=K.TOOL, tool="Bash", what="npm \x1b[2J test"), "Bash npm \ufffd[2J test"),
        (Activity(kind=K.TOOL, tool="TodoWrite"), "TodoWrite"),
        (Activity(kind=K.AGENTS, count=1), "1 agent"),
        (Activity(kind=K.AGENTS), "background agents"),
        (Activity(kind=K.WORKFLOWS, count=2), "2 workflows"),
        (Activity(kind=K.FAILED, what="rate_limit"), "failed: rate limit"),
        (Activity(kind=K.FAILED), "failed: unknown"),
        (Activity(kind=K.PERMISSION, tool="Bash", what="rm x", count=3), "permission Bash +2"),
        (Activity(kind=K.QUESTION, tool="AskUserQuestion", count=1), "question"),
        (Activity(kind=K.DIALOG), "dialog"),
        (Activity(kind=K.SLEEPING, what="09:00"), "sleeping until 09:00"),
    ],
)
def test_an_activity_in_words(activity: Activity, words: str) -> None:
    assert describe_activity(activity) == words


@pytest.mark.parametrize("kind", K)
def test_every_kind_has_words(kind: ActivityKind) -> None:
    described = describe_activity(Activity(kind=kind, tool="Read", what="x"))
    assert bool(described) == (kind is not K.UNKNOWN)


@pytest.mark.parametrize("reason", [each for each in Reason if each not in (Reason.FAILED, Reason.INTERRUPTED)])
def test_a_wait_and_its_activity_have_the_same_words(reason: Reason) -> None:
    wait = Wait(key="k", reason=reason, tool="Bash", summary="npm test")
    assert describe_activity(make_wait_activity([wait])) == describe_wait(wait).title
    assert describe_wait(wait).title.startswith(REASONS[reason].name)
    assert make_wait_activity([wait]).reason is reason


def test_a_wait_in_a_sentence() -> None:
    wait = Wait(reason=Reason.PERMISSION, tool="Bash", summary="npm test")
    assert describe_wait(wait).sentence == "wants to run Bash"
    assert describe_wait(Wait(reason=Reason.PERMISSION)).sentence == "asks for permission"
    assert describe_wait(wait).text == "permission Bash npm test"
    assert describe_wait(Wait(reason=Reason.PLAN, summary="x")).spoken == "a plan to approve x"


@pytest.mark.parametrize(
    ("note", "words"),
    [
        (Note(kind=NoteKind.HOOKS, activity=Activity(kind=K.THINKING)), "hooks say thinking"),
        (Note(kind=NoteKind.REGISTRY, status="busy", at=2.0), "the registry says busy since 2.000"),
        (Note(kind=NoteKind.LAST_KNOWN, activity=Activity(kind=K.TOOL, tool="Read")), "last known: Read"),
        (Note(kind=NoteKind.NO_PROCESS), "no process serves it"),
    ],
)
def test_other_sources_are_quoted(note: Note, words: str) -> None:
    assert describe_note(note) == words


@pytest.mark.parametrize(
    ("activity", "next_change"),
    [
        (Activity(kind=K.TOOL, tool="Grep", what="agents"), "the end of the turn"),
        (Activity(kind=K.TOOL, tool="Bash", what="kill 2 agents"), "the end of the turn"),
        (Activity(kind=K.AGENTS, count=2), "the end of the last agent"),
        (Activity(kind=K.AGENTS), "the end of the last agent"),
    ],
)
def test_only_sessions_waiting_for_agents_are_explained_that_way(activity: Activity, next_change: str) -> None:
    """A search for the word "agents" is a tool like any other."""
    session = Session(session_id="s", state=State.WORKING, activity=activity)
    lines = explain(Facts(session_id="s"), session, [], 0.0)
    assert lines[lines.index("What would change it") + 1].strip().startswith(next_change)


@pytest.mark.parametrize(
    ("by", "decision", "through", "words", "word"),
    [
        (AnsweredBy.HERE, "allow", "app", "allowed here", "allowed"),
        (AnsweredBy.HERE, "always", "shell", "allowed from now on from a shell", "allowed"),
        (AnsweredBy.HERE, "deny", "app", "denied here", "denied"),
        (AnsweredBy.HERE, "answer", "app", "answered here", "answered"),
        (AnsweredBy.HERE, "approve", "app", "approved here", "approved"),
        (AnsweredBy.HERE, "unheard of", "app", "answered here", "answered"),
        (AnsweredBy.THERE, "", "", "answered there", "answered there"),
        (AnsweredBy.RULE, "", "", "settled by a rule", "by a rule"),
        (AnsweredBy.UNKNOWN, "", "", "not answered", ""),
    ],
)
def test_who_answered_is_described(by: AnsweredBy, decision: str, through: str, words: str, word: str) -> None:
    record = WaitRecord(wait=Wait(key="k", since=1.0), until=2.0, by=by, decision=decision, through=through)
    assert (describe_answer(record), name_answer(record)) == (words, word)
    assert len(word) <= 14
