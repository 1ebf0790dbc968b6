"""Sessions that are over: those that hooks told of, and those of which only the transcript is left. Pure."""

from collections.abc import Iterable, Mapping
from pathlib import PurePath

import msgspec

from atm_tui.cost.pricing import PriceTable
from atm_tui.cost.report import UsageHistory
from atm_tui.cost.usage import sum_usage_by
from atm_tui.model.session import Cost, Liveness, Project, Session
from atm_tui.model.tokens import SLOT


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """One session that is over."""

    session: Session
    """As far as it is known; of one with a transcript alone: id, title, project, paths and cost."""
    title: str = ""
    prompt: str = ""
    """The last prompt, where it is known and not the title."""
    at: float = 0.0
    """When it was over, or when its last request was made; epoch seconds."""
    told: bool = True
    """Whether hooks told of it; else it is known from its transcript alone."""


def past_sessions(
    sessions: Iterable[Session],
    history: UsageHistory | None,
    table: PriceTable | None,
    transcripts: Mapping[str, str],
    since: float,
) -> tuple[Past, ...]:
    """All that were over after `since` (epoch seconds), newest first; none that lives.

    `transcripts`: paths by session id. Of a session that is known by both ways, hooks tell more.
    """
    everyone = list(sessions)
    known = {each.session_id for each in everyone}
    found = [_told(each) for each in everyone if each.liveness is not Liveness.LIVE]
    if history is not None and table is not None:
        found += [each for each in _left(history, table, transcripts) if each.session.session_id not in known]
    return tuple(
        sorted((each for each in found if each.at >= since), key=lambda each: (-each.at, each.session.session_id))
    )


def _told(session: Session) -> Past:
    at = session.ended_at if session.ended_at is not None else session.since
    prompt = session.last_prompt if session.last_prompt != session.name else ""
    return Past(session=session, title=session.name, prompt=prompt, at=at)


def _left(history: UsageHistory, table: PriceTable, transcripts: Mapping[str, str]) -> Iterable[Past]:
    last: dict[str, float] = {}
    projects: dict[str, str] = {}
    for bucket in history.buckets:
        if bucket.slot is not None:
            last[bucket.session_id] = max(last.get(bucket.session_id, 0.0), bucket.slot + SLOT)
        projects[bucket.session_id] = bucket.project
    costs = sum_usage_by(history.buckets, table, lambda bucket: bucket.session_id)
    for key, path in transcripts.items():
        title = history.titles.get(key, "")
        at = last.get(key)
        if at is None:  # nothing was asked in it
            continue
        root = projects[key]
        session = Session(
            session_id=key,
            name=title or key[:8],
            title=title or None,
            project=Project(root=root, name=PurePath(root).name),
            config_dir=str(PurePath(path).parent.parent.parent),
            transcript_path=path,
            liveness=Liveness.ENDED,
            ended_at=at,
            since=at,
            cost=Cost(usd=costs[key].usd, source="transcript"),
        )
        yield Past(session=session, title=title or key[:8], at=at, told=False)
