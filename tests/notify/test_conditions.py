"""What holds in a fleet and is worth a notification."""

from typing import Any

import pytest

from atm_tui.config import Config
from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.fleet import Fleet
from atm_tui.model.notification import NotifyReason
from atm_tui.model.session import Cost, Limit, Limits, Liveness, Session, State
from atm_tui.model.wait import Reason, Wait
from atm_tui.notify.conditions import find_conditions

NOW = 10_000.0
FINISHED = Activity(kind=ActivityKind.FINISHED)
ASKS: dict[str, Any] = {
    "state": State.NEEDS_YOU,
    "activity": Activity(kind=ActivityKind.PERMISSION),
    "waits": (Wait(key="k", reason=Reason.PERMISSION, tool="Bash", summary="rm\x1b]52;c;x\x07 [/]", since=9_000.0),),
}


def find(config: Config | None = None, **fields: Any) -> list[str]:
    fleet = Fleet()
    fleet.update([Session(session_id="s1", name="[red]shop", since=9_500.0, **fields)])
    return [each.text for each in find_conditions(fleet, config or Config(budget_session=5.0), NOW)]


@pytest.mark.parametrize(
    ("fields", "texts"),
    [
        ({}, []),
        ({"state": State.WORKING}, []),
        (ASKS, ["[red]shop wants to run Bash: rm [/]"]),
        (ASKS | {"liveness": Liveness.LOST}, []),
        (
            {"state": State.NEEDS_YOU, "activity": Activity(kind=ActivityKind.FAILED, what="rate_limit")},
            ["[red]shop failed: rate limit"],
        ),
        ({"activity": FINISHED, "last_prompt_at": 9_400.0}, ["[red]shop has finished"]),
        ({"activity": FINISHED, "last_prompt_at": 9_450.0}, []),
        ({"activity": Activity(kind=ActivityKind.INTERRUPTED), "last_prompt_at": 9_000.0}, []),
        ({"cost": Cost(usd=5.5)}, ["[red]shop has cost $5.50, over your budget"]),
        (
            {"limits": Limits(five_hour=Limit(percent=90.0, resets_at=11_000.0), at=NOW)},
            ["90 % of the 5h limit is used"],
        ),
        ({"limits": Limits(five_hour=Limit(percent=89.0, resets_at=11_000.0), at=NOW)}, []),
        ({"limits": Limits(five_hour=Limit(percent=99.0, resets_at=9_000.0), at=NOW)}, []),
    ],
)
def test_each_reason(fields: dict[str, Any], texts: list[str]) -> None:
    found = find(**fields)
    assert [text.replace("\ufffd", "").replace("]52;c;x", "") for text in found] == texts
    assert all(text.isprintable() for text in found)


def test_only_the_reasons_of_the_configuration_count() -> None:
    assert find(Config(notify_for=(NotifyReason.FAILED,)), **ASKS) == []
