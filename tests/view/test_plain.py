"""The output of `--plain`: a first list, then a line for each change of state, and nothing for mere progress."""

import msgspec
import pytest

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.fleet import Fleet, Health
from atm_tui.model.session import Agent, AgentState, Liveness, Project, Session, State, Unreadable
from atm_tui.model.wait import Reason, Wait
from atm_tui.view.plain import format_spoken, take_snapshot, write_changes, write_first_lines
from tests.support.fleets import BROKEN, NOW, UNHEARD, make_busy_fleet

SHOP = Project(root="/src/shop-api", name="shop-api")
MIGRATE = Wait(key="w1", reason=Reason.PERMISSION, tool="Bash", summary="npm run migrate", since=NOW)
THINKING = Activity(kind=ActivityKind.THINKING)
NPM_TEST = Activity(kind=ActivityKind.TOOL, tool="Bash", what="npm test")
ASKING = Activity(kind=ActivityKind.PERMISSION, tool="Bash", count=1)
OVERLOADED = Activity(kind=ActivityKind.FAILED, what="overloaded")
WORKING = Session(
    session_id="s1",
    name="my-feature",
    project=SHOP,
    state=State.WORKING,
    activity=THINKING,
    since=NOW,
)


def put(session: Session, **values: object) -> Session:
    return msgspec.structs.replace(session, **values)


def write_update(before: list[Session], after: list[Session], **others: object) -> list[str]:
    fleet = Fleet()
    fleet.update(before)
    old = take_snapshot(fleet)
    fleet.update(after, **others)
    return write_changes(old, fleet)


def test_the_first_list_is_complete_and_uses_no_signs() -> None:
    fleet = Fleet()
    fleet.update(make_busy_fleet(), BROKEN, UNHEARD)
    lines = write_first_lines(fleet, NOW)
    assert lines[0] == "atm-tui: 11 sessions, 3 need you, 3 working, 3 idle."
    fleet.older = 1
    assert write_first_lines(fleet, NOW)[1:] == ["1 older session more, over and not listed.", *lines[1:]]
    assert lines[1].startswith("Notice: 2 of 5 live sessions")
    assert lines[2].startswith("Can't be read: /home/user/.local")
    assert lines[3].startswith(
        "upgrade-postgres needs you: failed: overloaded, for 10 minutes, infra, context 47 percent"
    )
    assert lines[4].startswith(
        "my-feature needs you: permission Bash npm run migrate -- --env test, asked by agent Explore, for 1 minute, shop-api"
    )
    assert lines[5] == "  agent Plan, plan the rollout: working, Read model.py"
    assert lines[-1].startswith("spike-graphql has ended, for 2 hours 10 minutes, shop-api")
    assert lines[-2].startswith("css-cleanup is lost: its process is gone")
    signs = {character for line in lines for character in line if not character.isascii()}
    assert not signs - set("日本語の翻訳を直す")


def test_an_empty_fleet_names_the_next_step() -> None:
    assert (
        write_first_lines(Fleet(), NOW)[1]
        == "No sessions yet. Start Claude Code in any terminal; it is announced here."
    )


def test_a_wait_is_announced_with_session_request_and_place() -> None:
    asking = put(
        WORKING,
        state=State.NEEDS_YOU,
        activity=ASKING,
        waits=(MIGRATE,),
    )
    assert write_update([WORKING], [asking]) == ["my-feature needs you: permission Bash npm run migrate, shop-api"]
    assert write_update([asking], [asking]) == []
    second = Wait(key="w2", agent_id="a1", reason=Reason.QUESTION, summary="Which?", since=NOW)
    both = put(asking, waits=(MIGRATE, second), agents=(Agent(agent_id="a1", type="Explore"),))
    assert write_update([asking], [both]) == ["my-feature needs you: question Which?, asked by agent Explore, shop-api"]
    assert write_update([both], [asking]) == []
    assert write_update([asking], [WORKING]) == ["my-feature is working: thinking, shop-api"]


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ({"state": State.IDLE, "activity": Activity(kind=ActivityKind.FINISHED)}, "my-feature has finished"),
        ({"state": State.IDLE, "activity": Activity(kind=ActivityKind.INTERRUPTED)}, "my-feature was interrupted"),
        (
            {"state": State.NEEDS_YOU, "activity": OVERLOADED},
            "my-feature needs you: failed: overloaded",
        ),
        ({"liveness": Liveness.LOST}, "my-feature is lost: its process is gone"),
        ({"liveness": Liveness.ENDED}, "my-feature has ended"),
    ],
)
def test_state_changes_are_announced(after: dict[str, object], words: str) -> None:
    assert write_update([WORKING], [put(WORKING, **after)]) == [f"{words}, shop-api"]


def test_progress_without_a_state_change_is_silent() -> None:
    assert (
        write_update(
            [WORKING],
            [
                put(
                    WORKING,
                    activity=NPM_TEST,
                    since=NOW + 1,
                    last_reply="…",
                    unseen=True,
                )
            ],
        )
        == []
    )
    ended = put(WORKING, liveness=Liveness.ENDED)
    assert write_update([ended], [put(ended, activity=Activity(kind=ActivityKind.FINISHED), state=State.IDLE)]) == []


def test_two_quick_turns_are_both_announced() -> None:
    done = put(WORKING, state=State.IDLE, activity=Activity(kind=ActivityKind.FINISHED))
    assert write_update([done], [put(done, since=NOW + 40)]) == ["my-feature has finished, shop-api"]


def test_new_gone_and_renamed_sessions_are_announced_the_urgent_first() -> None:
    asking = Session(session_id="s2", name="b", state=State.NEEDS_YOU, waits=(MIGRATE,))
    lines = write_update([WORKING], [put(WORKING, session_id="s3", name="c"), asking])
    assert lines == [
        "new session: b needs you: permission Bash npm run migrate",
        "new session: c is working: thinking, shop-api",
        "my-feature is gone from the list",
    ]
    assert write_update([WORKING], [put(WORKING, name="other")]) == ["my-feature is now called other"]
    back = write_update([put(WORKING, liveness=Liveness.ENDED)], [WORKING])
    assert back == ["my-feature is back: working, shop-api"]


def test_a_failed_agent_is_announced_but_not_a_finished_one() -> None:
    agent = Agent(agent_id="a1", name="reviewer")
    before = put(WORKING, agents=(agent,))
    failed = put(WORKING, agents=(put(agent, state=AgentState.FAILED),))
    assert write_update([before], [failed]) == ["my-feature: agent reviewer failed, shop-api"]
    assert write_update([before], [put(WORKING, agents=(put(agent, state=AgentState.DONE),))]) == []


def test_notices_and_unreadable_files_are_announced_once() -> None:
    broken = (Unreadable(path="/x.json", problem="cut"),)
    health = Health(notices=("First.",))
    assert write_update([], [], unreadable=broken, health=health) == ["Can't be read: /x.json: cut", "Notice: First."]


def test_text_from_outside_can_neither_break_a_line_nor_move_the_cursor() -> None:
    hostile = put(
        WORKING, name="a\x1b[2J\nb\u202e", activity=Activity(kind=ActivityKind.TOOL, tool="x\r\x9b31m", what="")
    )
    for line in write_update([], [hostile]):
        assert line.isprintable()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "1 second"),
        (59.9, "59 seconds"),
        (240, "4 minutes"),
        (3600, "1 hour"),
        (7800, "2 hours 10 minutes"),
        (2e5, "2 days"),
    ],
)
def test_durations_are_spelled_out(seconds: float, words: str) -> None:
    assert format_spoken(seconds) == words
