"""Folds events to the state of a session."""

from typing import Any

from atm_hooks.fold import fold_all


def fold_events(*events: dict[str, Any]) -> dict[str, Any]:
    state = fold_all(None, list(events))
    assert state is not None
    return state
