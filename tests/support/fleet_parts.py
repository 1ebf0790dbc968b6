"""Parts of invented sessions: tasks, files, limits, projects, contexts and costs."""

from atm_tui.model.session import (
    Context,
    ContextSample,
    Cost,
    Files,
    Forecast,
    Limit,
    Limits,
    Project,
)
from atm_tui.model.task import Task, TaskState
from atm_tui.model.tokens import Tokens

NOW = 1_795_000_000.0
"""The moment at which the pictures are taken, epoch seconds."""

HOME = "/home/user"

TASKS = (
    "Read the schema",
    "Find what reads orders by their number",
    "Write the migration",
    "Run it against the test database",
    "Backfill the new column in batches of a thousand, so that no table is locked for long",
    "Take the old column out of the model",
    "Say in the changelog what an installation has to do",
)


def make_tasks(done: int) -> tuple[Task, ...]:
    """The first `done` tasks are completed."""
    states = [TaskState.COMPLETED if n < done else TaskState.PENDING for n in range(len(TASKS))]
    return tuple(
        Task(task_id=str(n), subject=subject, state=state)
        for n, (subject, state) in enumerate(zip(TASKS, states, strict=True))
    )


FILES = Files(
    new=(f"{HOME}/src/shop-api/migrations/0042_orders.sql",),
    edited=(f"{HOME}/src/shop-api/orders/model.py", f"{HOME}/src/shop-api/orders/reports/monthly/by_customer.py"),
    read=(f"{HOME}/src/shop-api/README.md", f"{HOME}/src/shop-api/orders/model.py", "/etc/postgresql/pg_hba.conf"),
)


LIMITS = Limits(
    five_hour=Limit(percent=71.0, resets_at=NOW + 7_800),
    seven_day=Limit(percent=34.0, resets_at=NOW + 260_000),
    at=NOW - 20,
)


def make_project(name: str, branch: str, worktree: str | None = None) -> Project:
    return Project(root=f"{HOME}/src/{name}", name=name, branch=branch, worktree=worktree)


def make_context(percent: float, window: int = 200_000, turns: tuple[int, ...] = ()) -> Context:
    """`turns`: percent of the window after each of the last turns."""
    used = round(percent * window / 100)
    samples = tuple(
        ContextSample(NOW - 300 * (len(turns) - n), round(each * window / 100), n) for n, each in enumerate(turns)
    )
    return Context(
        used_tokens=used,
        window_tokens=window,
        percent=percent,
        source="statusline",
        tokens=Tokens(input=12, output=840, cache_write_5m=1_900, cache_read=max(0, used - 1_912)),
        samples=samples,
        forecast=Forecast(turns=14.2, minutes=21.0, limit_tokens=window - 23_000) if turns else None,
    )


def make_cost(usd: float, read: int = 0, **agents: float) -> Cost:
    """`agents`: USD by agent id; the rest is the main thread's."""
    if not read:
        return Cost(usd=usd, source="statusline")
    tokens = Tokens(
        input=read // 300, output=read // 90, cache_write_5m=read // 12, cache_write_1h=read // 40, cache_read=read
    )
    shares = {"input": 0.02, "output": 0.25, "cache_write_5m": 0.4, "cache_write_1h": 0.13, "cache_read": 0.2}
    light = sum(agents.values()) or usd / 9
    return Cost(
        usd=usd,
        source="statusline",
        tokens=tokens,
        by_kind={kind: usd * share for kind, share in shares.items()},
        by_model={"claude-opus-5-5": usd - light, "claude-haiku-5-5": light},
        by_agent={"": usd - sum(agents.values()), **agents},
        recent=((NOW // 900 * 900 - 1_800, usd / 8), (NOW // 900 * 900 - 900, usd / 6), (NOW // 900 * 900, usd / 12)),
    )
