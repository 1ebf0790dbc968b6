"""The figures in the context, cost and status panes, as text."""

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from atm_tui.cost.limits import Account, Gauge
from atm_tui.model.session import Agent, Compaction, Context, ContextSample, Cost, Forecast, Liveness, Session
from atm_tui.model.tokens import Tokens
from atm_tui.view import context_pane, cost_pane, status_pane
from atm_tui.view.pane import Line, RenderContext
from atm_tui.view.present import ASCII, UNICODE
from atm_tui.view.sparkline import write_sparkline
from atm_tui.view.subject import AgentIn, DoneAgents, Group, Subject

NOW = 1_795_000_000.0
SLOT = NOW // 900 * 900
PAPER = RenderContext(44, NOW, UNICODE, (60, 80, 90), "/home/user")


def join_text(lines: list[Line]) -> str:
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def list_roles(lines: list[Line], text: str) -> set[str]:
    return {role for line in lines for part, role in line if text in part}


def make_session(**fields: object) -> Session:
    return Session(session_id="s", name="s", started_at=NOW - 7_200, **fields)


def make_samples(*tokens: int) -> tuple[ContextSample, ...]:
    return tuple(ContextSample(NOW - 600 + 60 * n, each, n) for n, each in enumerate(tokens))


# --- context


def test_the_context_pane_shows_the_last_answer_by_kind_the_turns_and_a_forecast() -> None:
    context = Context(
        used_tokens=612_000, window_tokens=1_000_000, percent=61.2, source="statusline",
        tokens=Tokens(input=12, output=1_234, cache_write_5m=1_000, cache_write_1h=2_000, cache_read=609_000),
        samples=make_samples(100, 200, 400, 800), forecast=Forecast(turns=13.6, minutes=20.2, limit_tokens=977_000),
    )  # fmt: skip
    text = join_text(context_pane.write(make_session(context=context), PAPER))
    assert "61%" in text
    assert "612K of 1.0M tokens" in text.splitlines()[1]
    assert text.splitlines()[1].endswith("statusline")
    for part in ("input      12", "output   1.2K", "cache write  3.0K", "cache read   609K", "turns   ▂▃▅█"):
        assert part in text, part
    assert "compacts in ~14 turns, ~20 min" in text
    assert "compact " not in text


def test_after_a_compaction_the_context_is_not_known_until_the_next_answer() -> None:
    marks = (Compaction(at=NOW - 4_000), Compaction(at=NOW - 120, trigger="manual", before=180_915, after=2_871))
    text = join_text(context_pane.write(make_session(context=Context(window_tokens=200_000, compactions=marks)), PAPER))
    assert "compacted: not known until the next answer" in text
    assert "%" not in text
    assert "compact 2 times, last 2m ago, 181K to 2.9K" in text


def test_without_an_answer_no_figures_are_made_up() -> None:
    assert join_text(context_pane.write(make_session(), PAPER)) == "not known yet"


@pytest.mark.parametrize(
    ("turns", "minutes", "words"),
    [
        (0.4, 1.0, "compacts with the next turn or two"),
        (1.2, 0.2, "compacts in ~1 turn, ~1 min"),
        (14.0, None, "compacts in ~14 turns"),
        (14.0, 300.0, "compacts in ~14 turns, ~5 h"),
        (14.0, 9_000.0, "compacts in ~14 turns"),
    ],
)
def test_a_forecast_shows_its_uncertainty(turns: float, minutes: float | None, words: str) -> None:
    assert context_pane.format_forecast(Forecast(turns=turns, minutes=minutes, limit_tokens=1)) == words


@pytest.mark.parametrize(("percent", "role"), [(59, "gauge"), (60, "gauge-warm"), (80, "gauge-hot"), (90, "gauge-hot")])
def test_the_gauge_is_coloured_by_its_thresholds(percent: float, role: str) -> None:
    context = Context(used_tokens=1, window_tokens=100, percent=percent)
    lines = context_pane.write(make_session(context=context), PAPER)
    assert role in list_roles(lines, "━")
    assert list_roles(lines, f"{percent}%") == {"needs" if percent >= 90 else "strong"}


def test_a_sparkline_marks_compactions_and_keeps_the_newest() -> None:
    marks = (Compaction(at=NOW - 600 + 150),)
    parts = write_sparkline(make_samples(100, 400, 800, 50, 100), marks, 20, UNICODE)
    assert "".join(text for text, _ in parts) == "▂▅█╎▁▂"
    assert [role for _, role in parts] == ["gauge", "rule", "gauge"]
    assert (
        "".join(text for text, _ in write_sparkline(make_samples(100, 400, 800, 50, 100), marks, 3, UNICODE)) == "╎▅█"
    )
    plain = "".join(text for text, _ in write_sparkline(make_samples(0, 400, 800), marks, 20, ASCII))
    assert plain == "_+#|"
    assert write_sparkline((), (), 5, UNICODE) == []
    last = "".join(text for text, _ in write_sparkline(make_samples(100), (Compaction(at=NOW),), 5, UNICODE))
    assert last == "█╎"


# --- cost


def make_cost(**fields: object) -> Cost:
    given = {
        "usd": 3.20,
        "source": "statusline",
        "tokens": Tokens(input=12_000, output=40_000, cache_write_5m=100_000, cache_write_1h=7, cache_read=4_100_000),
        "by_model": {"claude-opus-5-5": 2.80, "claude-haiku-5-5": 0.40},
        "by_agent": {"": 2.58, "a1": 0.40, "a2": 0.22},
        "by_kind": {"input": 0.05, "output": 0.8, "cache_write_5m": 1.0, "cache_read": 1.35, "web_search": 0.03},
        "recent": ((SLOT - 900, 0.30), (SLOT, 0.20)),
    }
    return Cost(**given | fields)


AGENTS = (
    Agent(agent_id="a1", name="Explore", cost=Cost(usd=0.40)),
    Agent(agent_id="a2", name="Plan", cost=Cost(usd=0.22)),
)


def test_the_cost_pane_shows_the_cost_of_a_session_by_kind() -> None:
    whole = make_session(cost=make_cost(), agents=AGENTS, duration=4_210.0, turns=7, lines_added=312, lines_removed=87,
                    tools_used={"Bash": 17, "Read": 41})  # fmt: skip
    lines = cost_pane.write(whole, PAPER)
    text = join_text(lines)
    first = text.splitlines()[0]
    assert first.startswith("$3.20   $0.59 an hour")
    assert first.endswith("statusline")
    rows = {line.rsplit("  ", 1)[0].strip(): line.rsplit("  ", 1)[-1].strip() for line in text.splitlines()}
    assert (rows["main"], rows["Explore"], rows["Plan"]) == ("$2.58", "$0.40", "$0.22")
    assert (rows["opus 5.5"], rows["haiku 5.5"], rows["web searches"]) == ("$2.80", "$0.40", "$0.03")
    assert "cache write 5m" in text
    for figures in ("12K     $0.05", "40K     $0.80", "100K     $1.00", "4.1M     $1.35"):
        assert figures in text
    for part in ("time    1h10 · 7 turns", "lines   +312  -87", "tools   Read\xa041, Bash\xa017"):
        assert part in text, part
    assert {sum(cell_len(part) for part, _ in line) for line in lines if "opus" in join_text([line])} == {PAPER.width}


def test_a_limit_that_will_be_full_says_when() -> None:
    """The forecast of the cost pane, for the account of the session alone."""
    window = Gauge(percent=71.0, resets_at=NOW + 7_800, at=NOW - 20, full_at=NOW + 2_400)
    accounts = (Account(config_dir="/c", five_hour=window), Account(config_dir="/other", seven_day=window))
    lines = cost_pane.write(make_session(cost=make_cost(), config_dir="/c"), replace(PAPER, accounts=accounts))
    text = " ".join(join_text(lines).split())
    assert "5h 71%, full in 40m at this pace, resets in 2h10" in text
    assert "7d" not in text


def test_the_hourly_cost_covers_live_sessions_and_is_updated_once_a_minute() -> None:
    assert "an hour" not in join_text(cost_pane.write(make_session(cost=make_cost(), liveness=Liveness.ENDED), PAPER))
    assert "an hour" not in join_text(
        cost_pane.write(make_session(cost=make_cost(recent=((NOW - 9_000, 4.0),))), PAPER)
    )
    later = RenderContext(44, NOW // 60 * 60 + 59, UNICODE, (60, 80, 90), "")
    sooner = RenderContext(44, NOW // 60 * 60, UNICODE, (60, 80, 90), "")
    assert cost_pane.write(make_session(cost=make_cost()), later) == cost_pane.write(
        make_session(cost=make_cost()), sooner
    )


def test_missing_prices_and_disagreements_are_shown() -> None:
    odd = make_cost(
        unpriced_tokens=24_000, disagrees="the client says $3.20, its transcript adds up to $2.00: [/] unpriced"
    )
    text = " ".join(join_text(cost_pane.write(make_session(cost=odd), PAPER)).split())
    assert "+ 24K tokens without a known price" in text
    assert "adds up to $2.00: [/] unpriced" in text


def test_an_exceeded_budget_is_named_and_colours_the_figure() -> None:
    tight = RenderContext(44, NOW, UNICODE, (60, 80, 90), "", budget=3.0)
    lines = cost_pane.write(make_session(cost=make_cost()), tight)
    assert list_roles(lines, "$3.20") == {"needs"}
    assert "over your budget of $3.00" in join_text(lines)
    wide = RenderContext(44, NOW, UNICODE, (60, 80, 90), "", budget=3.3)
    assert list_roles(cost_pane.write(make_session(cost=make_cost()), wide), "$3.20") == {"strong"}


def test_a_project_shows_sums() -> None:
    other = make_session(cost=make_cost(usd=1.0, unpriced_tokens=500), lines_added=1, tools_used={"Bash": 1})
    group = Group("shop", "/src/shop", (make_session(cost=make_cost(), lines_added=10, lines_removed=2), other))
    text = join_text(cost_pane.write(group, PAPER))
    assert text.startswith("$4.20   $1.18 an hour")
    for part in ("+ 500 tokens", "$5.60", "$1.60", "8.2M", "lines   +11  -2", "Bash\xa01"):
        assert part in text, part


def test_agents_have_their_own_costs() -> None:
    agent = Agent(agent_id="a", cost=Cost(usd=0.4, source="transcript", tokens=Tokens(input=9), by_kind={"input": 0.4}))
    text = join_text(cost_pane.write(AgentIn(make_session(), agent), PAPER))
    assert text.splitlines()[0].split() == ["$0.40", "transcript"]
    assert "$0.62" in join_text(cost_pane.write(DoneAgents(make_session(), AGENTS), PAPER))


@pytest.mark.parametrize(
    "subject", [make_session(), AgentIn(make_session(), Agent(agent_id="a")), Group("g", "", (make_session(),))]
)
def test_unknown_figures_are_not_shown_as_0(subject: Subject) -> None:
    text = join_text(cost_pane.write(subject, PAPER))
    assert "$0" not in text
    assert "–" in text


# --- prompt cache


@pytest.mark.parametrize(
    ("left", "words"),
    [(192, "warm 3m12s"), (3_540, "warm 59m"), (1, "warm 1s"), (0, "cold"), (-50, "cold")],
)
def test_the_prompt_cache_counts_down_to_cold(left: float, words: str) -> None:
    assert f"cache   {words}" in join_text(status_pane.write(make_session(cache_until=NOW + left), PAPER))


def test_an_unusable_cache_is_not_shown() -> None:
    assert "cache" not in join_text(status_pane.write(make_session(), PAPER))
    assert "cache" not in join_text(
        status_pane.write(make_session(cache_until=NOW + 5, liveness=Liveness.ENDED), PAPER)
    )
