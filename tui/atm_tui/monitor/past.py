"""Lists past sessions: those that hooks reported, and those that have only a transcript. Pure."""

from collections.abc import Iterable, Mapping
from pathlib import PurePath

import msgspec

from atm_tui.cost.pricing import PriceTable
from atm_tui.cost.report import UsageHistory
from atm_tui.cost.usage import sum_usage_by
from atm_tui.model.project_names import name_projects_apart
from atm_tui.model.session import Cost, Liveness, Project, Session


class PastSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that has ended or was lost."""

    session: Session
    """The session; with only a transcript it has id, title, project, paths and cost."""
    title: str = ""
    prompt: str = ""
    """The last prompt; empty when it is unknown or the title."""
    at: float = 0.0
    """When it ended, or when it made its last request; epoch seconds."""
    from_hooks: bool = True
    """Whether hooks reported it; else there is only a transcript."""


def list_past_sessions(
    sessions: Iterable[Session], from_transcripts: Iterable[PastSession], since: float
) -> tuple[PastSession, ...]:
    """Returns all sessions that ended after `since` (epoch seconds), newest first, and no live ones.

    `from_transcripts`: as `list_transcript_sessions` returns them. If both sources have a session, that of the hooks is
    returned.
    """
    everyone = list(sessions)
    known = {each.session_id for each in everyone}
    found = [_make_from_hooks(each) for each in everyone if each.liveness is not Liveness.LIVE]
    found += [each for each in from_transcripts if each.session.session_id not in known]
    named = name_projects_apart([*everyone, *(each.session for each in found)])[len(everyone) :]
    found = [msgspec.structs.replace(each, session=session) for each, session in zip(found, named, strict=True)]
    return tuple(
        sorted((each for each in found if each.at >= since), key=lambda each: (-each.at, each.session.session_id))
    )


def _make_from_hooks(session: Session) -> PastSession:
    at = session.ended_at if session.ended_at is not None else session.since
    prompt = session.last_prompt if session.last_prompt != session.name else ""
    return PastSession(session=session, title=session.name, prompt=prompt, at=at)


def list_transcript_sessions(
    history: UsageHistory, table: PriceTable, transcripts: Mapping[str, str]
) -> tuple[PastSession, ...]:
    """Returns the sessions that made a request by their transcripts. `transcripts`: paths by session id.

    For thousands of sessions this takes a while: call it once, and in a thread.
    """
    return tuple(_make_from_transcripts(history, table, transcripts))


def _make_from_transcripts(
    history: UsageHistory, table: PriceTable, transcripts: Mapping[str, str]
) -> Iterable[PastSession]:
    slots: dict[str, float] = {}
    projects: dict[str, str] = {}
    for bucket in history.buckets:
        if bucket.slot is not None:
            slots[bucket.session_id] = max(slots.get(bucket.session_id, 0.0), bucket.slot)
        projects[bucket.session_id] = bucket.project
    costs = sum_usage_by(history.buckets, table, lambda bucket: bucket.session_id)
    for key, path in transcripts.items():
        title = history.titles.get(key, "")
        at = history.last_at.get(key, slots.get(key))
        if at is None or key not in projects:  # it made no request
            continue
        root = projects[key]
        session = Session(
            session_id=key,
            name=title or key[:8],
            title=title or None,
            project=Project(root=root, name=history.project_names.get(root) or PurePath(root).name),
            config_dir=path.rsplit("/", 3)[0],  # PurePath interns names, in a table that never shrinks
            transcript_path=path,
            liveness=Liveness.ENDED,
            ended_at=at,
            since=at,
            cost=Cost(usd=costs[key].usd, source="transcript"),
        )
        yield PastSession(session=session, title=title or key[:8], at=at, from_hooks=False)
