"""A monitor that holds its fleet in memory: for pictures and tests."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec

from atm_tui.config import Config
from atm_tui.cost.pricing import load_default_table
from atm_tui.cost.report import Progress, UsageHistory, UsageSource
from atm_tui.model.flags import SessionFlags
from atm_tui.model.fleet import Fleet, Health
from atm_tui.model.request import AnswerOutcome, Arming, Decision, Request
from atm_tui.model.session import Session, Unreadable
from atm_tui.model.tokens import Bucket, Tokens
from atm_tui.monitor.capabilities import Capabilities
from atm_tui.monitor.past import PastSession
from atm_tui.monitor.protocol import Stop
from atm_tui.sources.conversation import Conversation
from atm_tui.sources.tool_input import find_inputs
from atm_tui.timeline.event import Event
from tests.support.fleets import HOME, NOW


class MemoryMonitor:
    """A monitor without files. The next refresh moves values from `put` into the fleet, as if read from files."""

    def __init__(self, now: float = NOW) -> None:
        self.fleet = Fleet()
        self.home = HOME
        self.capabilities = Capabilities()
        self.time = now
        self.flags: dict[str, SessionFlags] = {}
        self.seen: list[str] = []
        self.usage: UsageSource | None = None
        self.newest: tuple[PastSession, ...] = ()
        self.usd_today: float | None = None
        self.alerts: list[str] = []
        self.refreshes = 0
        self.renewals = 0
        self.configs: list[Config] = []
        self.answers: list[tuple[Request, Decision, str]] = []
        self.outcome = AnswerOutcome.GIVEN
        self.events: dict[str, list[dict[str, Any]]] = {}
        self._next: tuple[tuple[Session, ...], tuple[Unreadable, ...], Health | None] = ((), (), None)
        self._hint = asyncio.Event()

    def now(self) -> float:
        return self.time

    def put(
        self,
        sessions: tuple[Session, ...] | list[Session],
        unreadable: tuple[Unreadable, ...] = (),
        health: Health | None = None,
    ) -> None:
        self._next = (tuple(sessions), unreadable, health)
        self._hint.set()

    def refresh(self) -> bool:
        self.refreshes += 1
        changed = self.fleet.update(*self._next)
        return self.fleet.apply_flags(self.flags, self.time) or changed

    def read_events(self, session_id: str) -> list[Event]:
        return msgspec.convert(self.events.get(session_id, []), list[Event])

    def follow_elsewhere(self, session_id: str) -> list[Event] | None:
        return None

    def find_inputs(self, session: Session) -> dict[str, dict[str, Any]]:
        return find_inputs(session, self.fleet.list_requests(session.session_id))

    def open_conversation(self, session: Session) -> Conversation:
        return Conversation(session.transcript_path or "")

    @property
    def contents(self) -> "MemoryMonitor":
        return self

    @property
    def spending(self) -> "MemoryMonitor | None":
        return None if self.usage is None and self.usd_today is None else self

    def open(self) -> UsageSource:
        return self.usage or InventedUsage(days=0)

    def count_today(self) -> Iterator[float | None]:
        yield from () if self.usd_today is None else (None, self.usd_today)

    def list_newest_sessions(self) -> tuple[PastSession, ...]:
        return self.newest

    def is_first_time(self, key: str) -> bool:
        new = key not in self.alerts
        self.alerts.append(key)
        return new

    def set_flags(self, session_id: str, flags: SessionFlags) -> None:
        self.flags[session_id] = flags

    def arm(self, on: bool) -> str | None:
        self.fleet.update_requests(self.fleet.requests.values(), self.fleet.dangers, Arming.ON if on else Arming.OFF)
        return None

    def note_alive(self) -> None:
        self.renewals += 1

    def answer(self, request: Request, decision: Decision, by: str = "app") -> AnswerOutcome:
        self.answers.append((request, decision, by))
        return self.outcome

    def apply_config(self, config: Config) -> None:
        self.configs.append(config)

    def mark_seen(self, session_id: str) -> None:
        self.seen.append(session_id)
        sessions = [
            msgspec.structs.replace(each, unseen=False) if each.session_id == session_id else each
            for each in self._next[0]
        ]
        self._next = (tuple(sessions), *self._next[1:])

    async def watch(self, stop: Stop) -> AsyncIterator[None]:
        while not stop.is_set():
            await self._hint.wait()
            self._hint.clear()
            yield


class InventedUsage:
    """A made-up but constant month of work in three repositories."""

    folders: tuple[str, ...] = (f"{HOME}/.claude/projects",)
    table = load_default_table()

    def __init__(self, now: float = NOW, days: int = 30, progress: tuple[Progress, ...] = ()) -> None:
        self.result = UsageHistory()
        self._now, self._days, self._progress = now, days, progress

    def read(self, since: float | None = None) -> Iterator[Progress]:
        yield from self._progress
        titles = {"0a11": "my-feature", "0a12": "refactor-db", "0b11": "login-bug", "0c11": "upgrade-postgres"}
        self.result = UsageHistory(buckets=tuple(self._make_buckets()), titles=titles)

    def _make_buckets(self) -> Iterator[Bucket]:
        places = (
            ("shop-api", "0a11", 1.0),
            ("shop-web", "0b11", 0.5),
            ("infra", "0c11", 0.7),
            ("shop-api", "0a12", 1.6),
        )
        models = ("claude-opus-5-5", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5")
        for day in range(self._days):
            for hour in range(0, 12, 2):
                name, session, much = places[(day * 5 + hour // 2) % 4]
                at = (self._now - day * 86_400 - hour * 3_600) // 900 * 900
                read = round(4_000_000 * much * (1 + (day * 7 + hour * 3) % 11) * (0.2 if day % 7 in {2, 3} else 1.0))
                tokens = Tokens(input=read // 300, output=read // 90, cache_write_1h=read // 12, cache_read=read)
                model = models[(day + hour) % 4]
                yield Bucket(f"{HOME}/src/{name}", session, "", model, "", "", False, at, tokens, 0, 40)
