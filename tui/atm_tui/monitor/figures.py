"""Caches cost and context of each session until one of their sources changes."""

from collections.abc import Collection
from enum import Enum

from msgspec.structs import replace

from atm_tui.cost.figures import (
    compute_agent_context,
    compute_agent_cost,
    compute_session_context,
    compute_session_cost,
    find_cache_expiry,
)
from atm_tui.cost.pricing import PriceTable
from atm_tui.model.facts import HookState, Sample
from atm_tui.model.resolve import Figures
from atm_tui.model.transcript import TranscriptFacts

_Inputs = tuple[TranscriptFacts | None, Sample | None, str | None, bool]
"""The sources of the figures: transcript, statusLine sample, model; and whether the transcript is still being read."""


class Counted(Enum):
    """What to compute cost and context for; some commands print neither."""

    NOTHING = 0
    """Nor are health, limits of accounts and the acceptance of answers found out: only what sessions do is printed."""
    SESSIONS = 1
    AGENTS = 2
    """Sessions, and each of their agents; and the time waited today."""
    PARTS = 3
    """Both, and their costs also by model, agent, kind of token and time."""


class FigureCache:
    """Computes the figures of sessions and caches them."""

    def __init__(self, table: PriceTable, counted: Counted = Counted.PARTS) -> None:
        self._counted = counted
        self._table = table
        self._known: dict[str, tuple[_Inputs, Figures]] = {}
        self._bare: dict[str | None, Figures] = {}
        """By model: the figures of sessions of which nothing else is known."""

    def keep_only(self, session_ids: Collection[str]) -> None:
        """Forgets all other sessions."""
        self._known = {key: known for key, known in self._known.items() if key in session_ids}

    def compute(
        self,
        session_id: str,
        hooks: HookState | None,
        transcript: TranscriptFacts | None,
        *,
        is_pending: bool = False,
    ) -> Figures:
        """Returns the figures of a session and of its agents. `is_pending`: whether the transcript is still being read."""
        if self._counted is Counted.NOTHING:
            return Figures()
        sample, model = (hooks.metrics, hooks.model) if hooks else (None, None)
        is_bare = (
            sample is None and not is_pending and (transcript is None or not (transcript.exists or transcript.agents))
        )
        if is_bare and (bare := self._bare.get(model)) is not None:
            return bare
        known = self._known.get(session_id)
        if known and known[0][0] is transcript and known[0][1:] == (sample, model, is_pending):
            return known[1]
        agents = transcript.agents if transcript and self._counted is not Counted.SESSIONS else ()
        in_parts = self._counted is Counted.PARTS
        figures = Figures(
            cost=compute_session_cost(transcript, sample, self._table, in_parts=in_parts),
            context=compute_session_context(transcript, sample, self._table, model),
            agent_costs={
                a.agent_id: compute_agent_cost(transcript, a.agent_id, self._table, in_parts=in_parts) for a in agents
            }
            if transcript
            else {},
            agent_contexts={a.agent_id: compute_agent_context(a, self._table) for a in agents},
            cache_until=find_cache_expiry(transcript) if transcript else None,
        )
        if is_pending:
            cost, context = figures.cost, figures.context
            figures = replace(
                figures,
                cost=replace(cost, is_pending=cost.usd is None),
                context=replace(context, is_pending=context.percent is None),
            )
        if is_bare:
            self._bare[model] = figures
            return figures
        self._known[session_id] = ((transcript, sample, model, is_pending), figures)
        return figures
