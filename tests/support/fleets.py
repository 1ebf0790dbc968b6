"""Invented fleets that look like a working day: for pictures and tests."""

from typing import Any

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.fleet import Health
from atm_tui.model.session import (
    Agent,
    AgentState,
    Background,
    Failure,
    Liveness,
    Session,
    State,
    Terminal,
    Unreadable,
)
from atm_tui.model.wait import Reason, Wait
from tests.support.fleet_parts import FILES, HOME, LIMITS, NOW, make_context, make_cost, make_project, make_tasks


def make_journal() -> dict[str, list[dict[str, Any]]]:
    """What the journal of the first busy session holds of its last tools."""

    def make_tool_events(ago: float, took: float | None, name: str, summary: str, **more: str) -> list[dict[str, Any]]:
        event = {"session_id": "0a11", "tool": name, "tool_use_id": f"t{ago}", "summary": summary, **more}
        begin = {"at": NOW - ago, "event": "PreToolUse", **event}
        end = "PostToolUseFailure" if "error" in more else "PostToolUse"
        return [begin, {"at": NOW - ago + took, "event": end, **event}] if took is not None else [begin]

    return {
        "0a11": [
            *make_tool_events(420, 0.4, "Read", "model.py"),
            *make_tool_events(400, 1.2, "Grep", "order_id"),
            *make_tool_events(390, 0.1, "Edit", "orders.sql"),
            *make_tool_events(
                330, 84, "Bash", "npm test -- orders", error="Exit code 1: 2 of 48 tests failed in orders.test.ts"
            ),
            *make_tool_events(230, 0.2, "Edit", "orders.test.ts"),
            *make_tool_events(190, 71, "Bash", "npm test -- orders"),
            *make_tool_events(100, 0.9, "Grep", "createOrder", agent_id="a1"),
            *make_tool_events(72, None, "Bash", "npm run migrate -- --env test", agent_id="a1"),
        ]
    }


def make_busy_fleet() -> list[Session]:
    """Three projects, eleven sessions: waits of each kind, subagents, a failure, ended and lost ones."""
    shop, web, infra = "shop-api", "shop-web", "infra"
    return [
        Session(
            session_id="0a11",
            name="my-feature",
            title="my-feature",
            project=make_project(shop, "main"),
            cwd=f"{HOME}/src/shop-api",
            model="claude-opus-4-5-20251101",
            permission_mode="default",
            effort="high",
            state=State.NEEDS_YOU,
            activity=Activity(kind=ActivityKind.PERMISSION, tool="Bash", count=1),
            since=NOW - 72,
            turns=7,
            last_prompt="Add the migration for the orders table, run it against the test database and show me the plan.",
            last_reply="Two agents look at the schema; I go on with the model once they report back.",
            pid=9020,
            terminal=Terminal(kind="tmux", session="main", window="2", pane="%14"),
            waits=(
                Wait(
                    key="a1",
                    agent_id="a1",
                    reason=Reason.PERMISSION,
                    tool="Bash",
                    summary="npm run migrate -- --env test",
                    since=NOW - 72,
                ),
            ),
            agents=(
                Agent(
                    agent_id="a1",
                    type="Explore",
                    description="explore the schema",
                    state=AgentState.NEEDS_YOU,
                    activity=Activity(kind=ActivityKind.PERMISSION, tool="Bash", count=1),
                    since=NOW - 72,
                    started_at=NOW - 190,
                    model="claude-haiku-4-5-20251001",
                    context=make_context(18),
                    cost=make_cost(0.40),
                ),
                Agent(
                    agent_id="a2",
                    type="Plan",
                    description="plan the rollout",
                    state=AgentState.WORKING,
                    activity=Activity(kind=ActivityKind.TOOL, tool="Read", what="model.py"),
                    since=NOW - 3,
                    started_at=NOW - 186,
                    model="claude-opus-4-5-20251101",
                    context=make_context(12),
                    cost=make_cost(0.22),
                ),
                Agent(
                    agent_id="a3",
                    type="Explore",
                    description="find the callers",
                    parent="a2",
                    state=AgentState.WORKING,
                    activity=Activity(kind=ActivityKind.TOOL, tool="Grep", what="order_id"),
                    since=NOW - 1,
                    started_at=NOW - 40,
                    context=make_context(6),
                    cost=make_cost(0.05),
                ),
                *(
                    Agent(
                        agent_id=f"a{number}",
                        type="Explore",
                        description="look around",
                        state=AgentState.DONE,
                        ended_at=NOW - 900,
                        started_at=NOW - 960,
                        cost=make_cost(0.11),
                    )
                    for number in range(4, 7)
                ),
            ),
            tools_used={"Read": 41, "Bash": 17, "Edit": 12, "Grep": 9, "Agent": 6, "TodoWrite": 3},
            tasks=make_tasks(3),
            files=FILES,
            context=make_context(61, 1_000_000, (9, 14, 22, 31, 33, 46, 58, 61)),
            cost=make_cost(3.20, 4_100_000, a1=0.40, a2=0.22),
            limits=LIMITS,
            cache_until=NOW + 192,
            duration=4210.0,
            lines_added=312,
            lines_removed=87,
            started_at=NOW - 4210,
        ),
        Session(
            session_id="0a12",
            name="refactor-db",
            project=make_project(shop, "wt/db", "db"),
            cwd=f"{HOME}/src/shop-api-db",
            model="claude-opus-4-5-20251101",
            permission_mode="acceptEdits",
            state=State.WORKING,
            activity=Activity(kind=ActivityKind.THINKING),
            since=NOW - 41,
            turns=22,
            last_prompt="Split the repository module by aggregate.",
            pid=9111,
            terminal=Terminal(kind="tmux", session="main", window="3", pane="%17"),
            context=make_context(84),
            cost=make_cost(8.78, 11_200_000),
            duration=9300.0,
            lines_added=1204,
            lines_removed=990,
            started_at=NOW - 9000 + 4900,
        ),
        Session(
            session_id="0a13",
            name="Why is the test suite slow on CI but not here?",
            project=make_project(shop, "main"),
            cwd=f"{HOME}/src/shop-api",
            model="claude-sonnet-4-5-20250929",
            state=State.IDLE,
            activity=Activity(kind=ActivityKind.INTERRUPTED),
            since=NOW - 1860,
            turns=3,
            context=make_context(31),
            cost=make_cost(0.42),
            started_at=NOW - 3900,
        ),
        Session(
            session_id="0b11",
            name="login-bug",
            project=make_project(web, "fix/login"),
            cwd=f"{HOME}/src/shop-web",
            model="claude-sonnet-4-5-20250929",
            permission_mode="default",
            state=State.NEEDS_YOU,
            activity=Activity(kind=ActivityKind.QUESTION, count=1),
            since=NOW - 14,
            turns=4,
            last_prompt="The login button does nothing on Safari. Find out why and fix it.",
            last_reply="Found it: the click handler is attached before the form is in the document.",
            waits=(
                Wait(
                    key="q",
                    reason=Reason.QUESTION,
                    summary="Which colour should the button have while it is disabled?",
                    since=NOW - 14,
                ),
            ),
            context=make_context(22),
            cost=make_cost(1.90, 900_000),
            started_at=NOW - 3000,
        ),
        Session(
            session_id="0b12",
            name="docs",
            project=make_project(web, "main"),
            cwd=f"{HOME}/src/shop-web",
            model="claude-haiku-4-5-20251001",
            state=State.IDLE,
            activity=Activity(kind=ActivityKind.FINISHED),
            unseen=True,
            since=NOW - 250,
            turns=2,
            last_reply="Updated the three pages.",
            context=make_context(8),
            cost=make_cost(0.41),
            started_at=NOW - 2900,
        ),
        Session(
            session_id="0b13",
            name="日本語の翻訳を直す",
            project=make_project(web, "i18n"),
            cwd=f"{HOME}/src/shop-web",
            state=State.WORKING,
            activity=Activity(kind=ActivityKind.TOOL, tool="Edit", what="locales/ja.json"),
            since=NOW - 5,
            turns=1,
            context=make_context(17),
            cost=make_cost(0.27),
            started_at=NOW - 600,
        ),
        Session(
            session_id="0c11",
            name="upgrade-postgres",
            project=make_project(infra, "main"),
            cwd=f"{HOME}/src/infra",
            model="claude-opus-4-5-20251101",
            state=State.NEEDS_YOU,
            activity=Activity(kind=ActivityKind.FAILED, what="overloaded"),
            since=NOW - 640,
            turns=9,
            errors=(Failure(at=NOW - 640, kind="overloaded", message="the API is overloaded"),),
            context=make_context(47),
            cost=make_cost(5.10),
            started_at=NOW - 2500,
        ),
        Session(
            session_id="0c12",
            name="terraform-drift",
            project=make_project(infra, "drift"),
            cwd=f"{HOME}/src/infra",
            state=State.WORKING,
            activity=Activity(kind=ActivityKind.AGENTS, count=2),
            since=NOW - 128,
            background=Background(shells=1, agents=2),
            agents=(
                Agent(
                    agent_id="b1", type="general-purpose", description="network module",
                    activity=Activity(kind=ActivityKind.TOOL, tool="Bash", what="terraform plan"),
                    since=NOW - 66, context=make_context(23), cost=make_cost(0.61),
                ),
                Agent(
                    agent_id="b2", name="reviewer", kind="teammate", type="code-reviewer", description="review the plan",
                    state=AgentState.IDLE, since=NOW - 100, context=make_context(9), cost=make_cost(0.18),
                ),
            ),
            context=make_context(38),
            cost=make_cost(2.04),
            started_at=NOW - 2400,
        ),
        Session(
            session_id="0c13",
            name="nightly-report",
            kind="headless",
            project=make_project(infra, "main"),
            cwd=f"{HOME}/src/infra",
            state=State.IDLE,
            activity=Activity(kind=ActivityKind.SLEEPING, what="09:00"),
            since=NOW - 9000,
            started_at=NOW - 2300,
        ),
        Session(
            session_id="0d11",
            name="spike-graphql",
            project=make_project(shop, "main"),
            state=State.IDLE,
            liveness=Liveness.ENDED,
            ended_reason="prompt_input_exit",
            ended_at=NOW - 3600 * 2 - 600,
            since=NOW - 8000,
            context=make_context(55),
            cost=make_cost(1.12),
            started_at=NOW - 20000,
        ),
        Session(
            session_id="0d12",
            name="css-cleanup",
            project=make_project(web, "main"),
            state=State.IDLE,
            liveness=Liveness.LOST,
            since=NOW - 8000,
            ended_at=NOW - 5400,
            cost=make_cost(0.66),
            started_at=NOW - 19000,
        ),
    ]  # fmt: skip


HEALTHY = Health(hooks="installed", last_event_at=NOW - 1)

UNHEARD = Health(
    hooks="installed",
    last_event_at=NOW - 60,
    without_hooks=2,
    notices=("2 of 5 live sessions started before the hooks were installed: restart them to see more.",),
)

BROKEN = (
    Unreadable(
        path=f"{HOME}/.local/state/atm-tui/sessions/3f9a77c0.json",
        problem="unexpected end at byte 512; no good value is known",
        since=NOW - 300,
    ),
)


def make_large_fleet(sessions: int, agents: int = 0) -> list[Session]:
    """A fleet of any size, at rest: for measuring."""
    return [
        Session(
            session_id=f"s{number:04}",
            name=f"session {number}",
            project=make_project(f"project-{number // 6}", "main"),
            state=State.IDLE,
            activity=Activity(kind=ActivityKind.FINISHED),
            since=NOW - 600 - number,
            context=make_context(number % 100),
            cost=make_cost(number / 7),
            started_at=NOW - 10_000 + number,
            agents=tuple(
                Agent(agent_id=f"s{number:04}a{each}", type="Explore", since=NOW - 700, context=make_context(5))
                for each in range(agents)
            ),
        )
        for number in range(sessions)
    ]
