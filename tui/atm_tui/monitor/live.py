"""The monitor of live sessions: from disk to fleet. First load, change, heartbeat and recovery are all `refresh`."""

import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atm_tui import paths
from atm_tui.config import Config
from atm_tui.cost.pricing import PriceTable, load_default_table
from atm_tui.model.elsewhere import is_elsewhere
from atm_tui.model.flags import SessionFlags
from atm_tui.model.fleet import Fleet, Health
from atm_tui.model.project_names import ProjectNames
from atm_tui.model.request import AnswerOutcome, Decision, Request
from atm_tui.model.resolver import Resolver
from atm_tui.model.session import Session
from atm_tui.monitor.approvals import Approvals
from atm_tui.monitor.figures import Counted
from atm_tui.monitor.health import ShownSessions, describe_health
from atm_tui.monitor.housekeeping import Housekeeper
from atm_tui.monitor.limit_history import LimitHistory
from atm_tui.monitor.protocol import Capabilities, Stop
from atm_tui.monitor.reading import FactReader, list_project_roots
from atm_tui.monitor.refused_attempts import RefusedAttempts
from atm_tui.monitor.schedule import SleepDetector, compute_rest, measure_time_until
from atm_tui.monitor.state_access import StateAccess
from atm_tui.settings.kept_reports import HookReports
from atm_tui.sources.checkpoints import CheckpointStore
from atm_tui.sources.exists import is_folder
from atm_tui.sources.flags import FlagsFile
from atm_tui.sources.times_file import TimesFile

if TYPE_CHECKING:
    from atm_tui.cost.report import UsageSource
    from atm_tui.monitor.caller import Attempt
    from atm_tui.monitor.machines import Machines
    from atm_tui.monitor.past import PastSession
    from atm_tui.monitor.usage import UsageReaders
    from atm_tui.sources.conversation import Conversation
    from atm_tui.sources.kept_result import Sources
    from atm_tui.sources.usage import UsageReader
    from atm_tui.sources.watch import Watcher
    from atm_tui.timeline.event import Event
    from atm_tui.timeline.time_waited import WaitTimes

MACHINES_WAIT = 25.0
"""Seconds for which a command waits for other machines."""
DEMO = "This is a demo: nobody waits for an answer."


class LiveMonitor:
    """The Monitor of the app, and of every command that needs the fleet."""

    def __init__(
        self,
        state_dir: Path,
        config_dirs: Iterable[Path],
        config: Config,
        *,
        now: Callable[[], float] = time.time,
        awake: Callable[[], float] | None = None,
        table: PriceTable | None = None,
        portion: int | None = None,
        cache_dir: Path | None = None,
        counted: Counted = Counted.PARTS,
        is_demo: bool = False,
        machines: "Machines | None" = None,
        most_whole: int | None = None,
    ) -> None:
        """`config_dirs`: the config folders of Claude Code to watch; those that sessions name are added.

        `portion`: bytes of transcripts, and of journals, that one refresh reads at most, for an app that must not wait:
        the next refresh, due at once, goes on, and risks are checked in a thread. None, for a command that refreshes once:
        everything is read and checked when `refresh` returns.

        `cache_dir`: where what was read of transcripts is kept; None: nowhere.

        `counted`: what cost and context are computed of. The time waited today is found out where agents are counted, too.

        `awake`: returns the seconds for which the machine was awake; by default the system's clock, or a `now` of the caller.

        `is_demo`: the sessions are recordings, without installed hooks; no request can be answered.

        `most_whole`: number of sessions from which on older ones that are over are only counted; None: never.

        `machines`: other machines whose sessions are in the fleet as well. Without `portion`, the first refresh waits for them.
        """
        self.fleet = Fleet()
        self.fleet.hidden_kinds = config.hidden_kinds
        self.home = str(paths.find_home())
        self.now, self.config, self.state_dir = now, config, state_dir
        self.capabilities = Capabilities(answers=not is_demo, state_dir=state_dir)
        self._portion = portion
        self._counted = counted
        self._table = table or load_default_table()
        self._cache_dir, self._most_whole = cache_dir, most_whole
        self.reader = self._make_reader(config_dirs)
        self._first_dirs = self.reader.config_dirs
        self._is_demo = is_demo
        self._awake = awake or (time.monotonic if now is time.time else now)
        self._sleep = SleepDetector(now(), self._awake())
        self._attempts = RefusedAttempts(state_dir, now)
        self._machines = machines
        self.elsewhere = machines.reader if machines is not None else None
        self._watcher: Watcher | None = None
        """The watcher of the folders; None until `watch` is called, which begins with a hint."""
        self.approvals = Approvals(
            state_dir,
            config,
            now,
            HookReports(state_dir, cache_dir),
            on_change=None if portion is None else self._nudge,
            refusal=DEMO if is_demo else None,
            refuse_caller=self.refuse_caller,
            elsewhere=machines.answers if machines is not None else None,
        )
        self._resolver = Resolver()
        self._names = ProjectNames()
        self._waits: WaitTimes | None = None
        if counted in (Counted.AGENTS, Counted.PARTS):
            from atm_tui.timeline import time_waited  # noqa: PLC0415  not every command counts them

            self._waits = time_waited.WaitTimes(state_dir, portion)
        self._limits = LimitHistory(state_dir)
        self._flags = FlagsFile(state_dir)
        self._alerts = TimesFile(state_dir, "told.json")
        self._usage: UsageReaders | None = None
        """The reader of the usage of all sessions; None until it is needed."""
        self._housekeeper = Housekeeper(state_dir, config.forget_after * 3600)
        self._state_access = StateAccess(state_dir)
        self._shown = ShownSessions()

    def _make_reader(self, config_dirs: Iterable[Path]) -> FactReader:
        return FactReader(
            self.state_dir,
            config_dirs,
            self._table,
            portion=self._portion,
            counted=self._counted,
            most_whole=self._most_whole,
            checkpoints=CheckpointStore(self._cache_dir, self._table) if self._cache_dir else None,
        )

    def apply_config(self, config: Config) -> None:
        """As in Monitor. With other folders or prices, everything is read again, a portion at a time."""
        before, self.config = self.config, config
        if config.hidden_kinds != before.hidden_kinds:
            self.fleet.hidden_kinds = config.hidden_kinds
        self.approvals.apply_config(config)
        self._housekeeper.keep = config.forget_after * 3600
        if (config.watch, config.pricing) != (before.watch, before.pricing):
            self._table, self._usage = config.prices(), None
            folders = config.list_config_dirs() if config.watch != before.watch else self._first_dirs
            writes, self.reader = self.reader.worktrees.writes, self._make_reader(folders)
            self.reader.worktrees.writes = writes
            self._first_dirs = self.reader.config_dirs
        if config.hosts != before.hosts:
            from atm_tui.monitor.machines import Machines  # noqa: PLC0415  most users have one machine

            self._machines = self._machines or Machines({}, self.now)
            self._machines.hint(self._nudge)
            self._machines.follow_config(config.hosts, before.hosts)
            self.elsewhere = self._machines.reader
        self._nudge()

    def refresh(self) -> bool:
        """As in Monitor."""
        begun = time.monotonic()
        changed = self._update_fleet()
        if self._watcher is not None:
            self._watcher.hold_back(compute_rest(time.monotonic() - begun))
        return changed

    def _update_fleet(self) -> bool:
        now = self.now()
        self._sleep.update(now, self._awake())
        self.approvals.refresh(self.reader.config_dirs)
        watcher = self._watcher
        paths, transcripts = (watcher.take_changed(), watcher.take_transcripts()) if watcher else (None, ())
        facts = self.reader.read(self.approvals.waiting, self._sleep.woke_at, now, paths, transcripts)
        changed = self._resolver.update(facts, now, self.reader.changed)
        changed = self._names.update(self._resolver.sessions, changed)
        sessions = self._names.sessions
        if self._waits is not None:
            states = self.reader.states.states
            changed = self._waits.update(states, sessions, changed | self.reader.changed, now)
            sessions = self._waits.sessions
            self.fleet.waited_before = self._waits.gone
        full_at = self._limits.forecast(self.reader.states.states, now, self.reader.changed)
        unread, older = self.reader.states.unread, len(self.reader.states.closed)
        is_told = (full_at, unread, older) != (self.fleet.limits_full_at, self.fleet.unread, self.fleet.older)
        self.fleet.limits_full_at, self.fleet.unread, self.fleet.older = full_at, unread, older
        roots = {key: list_project_roots(facts[key]) for key in self.approvals.waiting if key in facts}
        requests, requests_due = self.approvals.list_open_requests(sessions, roots)
        read_on = now if self.reader.is_behind or (self._waits and self._waits.is_behind) else None
        if self._watcher is not None:
            due = [self._resolver.recheck_at, requests_due, read_on]
            self._watcher.limit_wait(measure_time_until(due, now))
            self._watcher.transcripts = self.reader.list_watched_transcripts()

        unreadable = [each for key, each in self.reader.states.unreadable.items() if key not in sessions]
        self._shown.update(sessions, changed, self.fleet.hidden_kinds)
        here = sessions
        if (there := self._machines) is not None:
            there.start()
            changed |= there.refresh(MACHINES_WAIT if self._portion is None else 0.0)
            sessions = {**sessions, **there.sessions}
            unreadable += there.unreadable
            is_told |= there.has_news or self.fleet.machines != there.machines
            self.fleet.machines, there.has_news = there.machines, False
        health = self._check_health(here)
        has_changed = self.fleet.update_changed(sessions, changed, unreadable, health) or is_told
        self._flags.refresh()
        has_changed |= self.fleet.apply_flags(self._flags.all, now)
        approvals = self.approvals
        has_changed |= self.fleet.update_requests(requests, approvals.dangers, approvals.arming, approvals.risks)
        if not unread:
            self._housekeeper.clean_up(sessions.values(), now, self.reader.states.closed)
        return has_changed

    def list_sources(self) -> "Sources | None":
        """Returns the sources of all statuses of the last `refresh`; None when a file can't be read, or a hook waits for an
        answer, since the same files may then give another status.
        """
        states, running = self.reader.states, self.reader.processes.running
        is_all_here = self.approvals.is_empty and self._machines is None
        if states.unreadable or states.error or self.reader.problems or not is_all_here:
            return None
        snoozes = (each.snooze.until for each in self._flags.all.values() if each.snooze is not None)
        recheck_at = self._resolver.recheck_at
        ahead = [until for until in snoozes if until is not None and until > self.now()]
        from atm_tui.sources.kept_result import Sources  # noqa: PLC0415  only one command keeps a result

        return Sources(
            [*self.reader.list_paths(), str(self.approvals.folder), self._flags.path],
            {pid: (running[pid].start or "") if pid in running else "" for pid in self.reader.processes.pids},
            min([*ahead, *(() if recheck_at is None else (recheck_at,))], default=None),
        )

    async def watch(self, stop: Stop) -> AsyncIterator[None]:
        """As in Monitor."""
        self.reader.worktrees.writes = True
        if self._waits is not None:
            self._waits.writes = True
        self.approvals.sweeps = True
        self._housekeeper.prepare()
        # loaded here, since asyncio and watchfiles take longer to load than a command that reads once takes in total
        from atm_tui.sources.exit_watcher import ExitWatcher  # noqa: PLC0415
        from atm_tui.sources.watch import Watcher  # noqa: PLC0415

        self._watcher = self._watcher or Watcher(self._list_watched_folders)
        if self._machines is not None:
            self._machines.hint(self._watcher.nudge)
        exits = ExitWatcher(self._on_exit)
        try:
            async for hint in self._watcher.watch():
                if stop.is_set():
                    return
                yield hint
                exits.follow(self.reader.processes.running)
                self.reader.processes.followed = exits.pids
        finally:
            self.reader.processes.followed = ()
            exits.close()

    def _on_exit(self) -> None:
        """Reads all processes again: one has ended."""
        self.reader.sweep_soon()
        self._nudge()

    def _nudge(self) -> None:
        """Makes the next hint come at once. May be called from any thread."""
        if self._watcher is not None:
            self._watcher.nudge()

    def read_events(self, session_id: str) -> "Sequence[Event]":
        """As in Monitor; empty when the journal can't be read."""
        if self.elsewhere is not None and is_elsewhere(session_id):
            return self.elsewhere.read_events(session_id)
        try:
            from atm_tui.timeline.journals import read_history  # noqa: PLC0415

            return read_history(self.state_dir, session_id)
        except OSError:
            return []

    def follow_elsewhere(self, session_id: str) -> "Sequence[Event] | None":
        """As in Monitor."""
        there = self.elsewhere if is_elsewhere(session_id) else None
        return there.follow_events(session_id) if there is not None else None

    def find_inputs(self, session: Session) -> dict[str, dict[str, Any]]:
        """As in Monitor."""
        if self.elsewhere is not None and session.elsewhere is not None:
            return self.elsewhere.find_inputs(session)
        from atm_tui.sources.tool_input import find_inputs  # noqa: PLC0415  rarely needed

        return find_inputs(session, self.fleet.list_requests(session.session_id))

    def open_conversation(self, session: Session) -> "Conversation":
        """As in Monitor."""
        from atm_tui.sources.conversation import Conversation  # noqa: PLC0415  rarely needed

        if self.elsewhere is not None and session.elsewhere is not None:
            return self.elsewhere.open_conversation(session.elsewhere)
        return Conversation(session.transcript_path or "")

    def open_usage(self) -> "UsageSource":
        """As in Monitor; that of all machines."""
        own, there = self.open_own_usage(), self._machines
        return own if there is None else there.join_usage(own)

    def open_own_usage(self) -> "UsageReader":
        """Returns a reader of the usage of this machine."""
        return self._find_usage().open(self.reader.config_dirs)

    def count_today(self) -> Iterator[float | None]:
        """As in Monitor."""
        return self._find_usage().count_today(self.reader.config_dirs, self.now())

    def list_newest_sessions(self) -> "tuple[PastSession, ...]":
        """As in Monitor."""
        return self._usage.newest if self._usage else ()

    def _find_usage(self) -> "UsageReaders":
        if self._usage is None:
            from atm_tui.monitor.usage import UsageReaders  # noqa: PLC0415  commands that read once do without it

            self._usage = UsageReaders(self._table, self._cache_dir)
        return self._usage

    def is_first_time(self, key: str) -> bool:
        """As in Monitor."""
        return bool(self._alerts.claim([key], self.now()))

    def arm(self, on: bool, *, takes_over: bool = True, patience: float | None = None) -> str | None:
        """As in Monitor, and as Approvals.arm."""
        dirs = self.reader.config_dirs
        return self.approvals.arm(on=on, config_dirs=dirs, takes_over=takes_over, patience=patience)

    def refuse_caller(
        self, attempt: "Attempt", *, asks_twice: bool = False, from_elsewhere: bool = False
    ) -> str | None:
        """As CallerCheck.refuse."""
        from atm_tui.monitor.caller import CallerCheck  # noqa: PLC0415  most commands answer nothing

        check = CallerCheck(self.state_dir, self.reader, self.now)
        return check.refuse(attempt, asks_twice=asks_twice, from_elsewhere=from_elsewhere)

    def note_alive(self) -> None:
        """As in Monitor."""
        self.approvals.note_alive()

    def answer(self, request: Request, decision: Decision, by: str = "app") -> AnswerOutcome:
        """As in Monitor."""
        return self.approvals.answer(request, decision, by)

    def set_flags(self, session_id: str, flags: SessionFlags) -> None:
        """As in Monitor."""
        self._flags.set_flags(session_id, flags)

    def mark_seen(self, session_id: str) -> None:
        """As in Monitor."""
        if self._machines is not None and is_elsewhere(session_id):
            self._machines.mark_seen(session_id, self.now())
        else:
            self.reader.mark_seen(session_id, self.now())

    def _check_health(self, sessions: Mapping[str, Session]) -> Health:
        live = self._shown.live.values()
        used = {session.config_dir for session in live}
        folders = [each for each in self.reader.config_dirs if each in self._first_dirs or str(each) in used]
        watching = self._watcher.problem if self._watcher is not None else None
        self._state_access.refresh((each.session_id for each in live if each.is_reported), self.now())
        far = self._machines.alarms if self._machines is not None else ()
        return describe_health(
            live,
            {str(each): self.approvals.reports.find(each) for each in folders if not self._is_demo},
            [
                self._housekeeper.problem,
                self.reader.states.error,
                *self.reader.problems,
                self._usage.problem if self._usage is not None else None,
                *self.approvals.notices,
                *(self._machines.notices if self._machines is not None else ()),
                None if watching and "nothing to watch" in watching else watching,
            ],
            alarms=[self._attempts.describe(sessions), self._state_access.problem, *far],
            heard_at=self._shown.heard_at,
        )

    def _list_watched_folders(self) -> list[Path]:
        """Returns the folders to watch; instead of a missing `sessions` folder, the one in which it will appear."""
        folders = [self.state_dir, *self.reader.config_dirs]
        transcripts = self._watcher.transcripts if self._watcher is not None else ()
        others = dict.fromkeys([self.approvals.folder, *(Path(each).parent for each in transcripts)])
        return [found if is_folder(found := folder / "sessions") else folder for folder in folders] + [
            folder for folder in others if is_folder(folder)
        ]
