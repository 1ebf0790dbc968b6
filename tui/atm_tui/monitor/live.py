"""The monitor of live sessions: from disk to fleet. First load, change, heartbeat and recovery are all `refresh`."""

import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from atm_tui import paths
from atm_tui.config import Config
from atm_tui.cost.pricing import PriceTable, load_default_table
from atm_tui.model.flags import SessionFlags
from atm_tui.model.fleet import Fleet, Health
from atm_tui.model.host import is_elsewhere
from atm_tui.model.request import AnswerOutcome, Decision, Request
from atm_tui.model.session import Session
from atm_tui.monitor.approvals import Approvals
from atm_tui.monitor.capabilities import Capabilities
from atm_tui.monitor.contents import LiveContents
from atm_tui.monitor.figures import Counted
from atm_tui.monitor.housekeeping import Housekeeper
from atm_tui.monitor.reading import FactReader, list_project_roots
from atm_tui.monitor.resolved import ResolvedSessions
from atm_tui.monitor.schedule import SleepDetector, compute_rest, measure_time_until
from atm_tui.monitor.spending import LiveSpending
from atm_tui.sources.checkpoints import CheckpointStore
from atm_tui.sources.flags import FlagsFile
from atm_tui.sources.times_file import TimesFile

if TYPE_CHECKING:
    from atm_tui.monitor.caller import Attempt
    from atm_tui.monitor.elsewhere import ElsewhereReader
    from atm_tui.monitor.health import HealthCheck
    from atm_tui.monitor.machines import Machines
    from atm_tui.monitor.protocol import Stop
    from atm_tui.settings.kept_reports import HookReports
    from atm_tui.sources.kept_parts import Part, SharedSources
    from atm_tui.sources.watch import Watcher

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
        only: Collection[str] | None = None,
        files: Collection[str] | None = None,
    ) -> None:
        """`config_dirs`: the config folders of Claude Code to watch; those that sessions name are added.

        `portion`: bytes of transcripts, and of journals, that one refresh reads at most, for an app that must not wait:
        the next refresh, due at once, goes on, and risks are checked in a thread. None, for a command that refreshes once:
        everything is read and checked when `refresh` returns.

        `cache_dir`: where what was read of transcripts is kept; None: nowhere.

        `counted`: what is found out beyond the status of sessions.

        `awake`: returns the seconds for which the machine was awake; by default the system's clock, or a `now` of the caller.

        `is_demo`: the sessions are recordings, without installed hooks; no request can be answered.

        `most_whole`: number of sessions from which on older ones that are over are only counted; None: never. `only`: ids of
        the sessions whose state files are read; None: all.

        `files`: as for FactReader.

        `machines`: other machines whose sessions are in the fleet as well. Without `portion`, the first refresh waits for them.
        """
        self.fleet = Fleet()
        self.fleet.hidden_kinds = config.hidden_kinds
        self.home = str(paths.find_home())
        self.now, self.config, self.state_dir = now, config, state_dir
        self.capabilities = Capabilities(answers=not is_demo, state_dir=state_dir)
        self._reads_all = portion is None

        def make_reader(config_dirs: Iterable[Path], table: PriceTable) -> FactReader:
            return FactReader(
                state_dir,
                config_dirs,
                table,
                portion=portion,
                counted=counted,
                most_whole=most_whole,
                only=only,
                files=files,
                checkpoints=CheckpointStore(cache_dir, table) if cache_dir else None,
            )

        table = table or load_default_table()
        self._make_reader = make_reader
        self.reader = make_reader(config_dirs, table)
        self._first_dirs = self.reader.config_dirs
        self._awake = awake or (time.monotonic if now is time.time else now)
        self._sleep = SleepDetector(now(), self._awake())
        self._machines = machines
        self._watcher: Watcher | None = None
        """The watcher of the folders; None until `watch` is called, which begins with a hint."""
        reports: HookReports | None = None
        self._health: HealthCheck | None = None
        """None if it is not found out."""
        if counted is not Counted.NOTHING:
            from atm_tui.monitor import health  # noqa: PLC0415  not every command finds it out
            from atm_tui.settings import kept_reports  # noqa: PLC0415

            reports = kept_reports.HookReports(state_dir, cache_dir)
            self._health = health.HealthCheck(state_dir, now, None if is_demo else reports)
        self.approvals = Approvals(
            state_dir,
            config,
            now,
            reports,
            on_change=None if portion is None else self._nudge,
            refusal=DEMO if is_demo else None,
            refuse_caller=self.refuse_caller,
            elsewhere=machines.answers if machines is not None else None,
        )
        self._resolved = ResolvedSessions(state_dir, portion, counted)
        self._flags = FlagsFile(state_dir)
        self._alerts = TimesFile(state_dir, "told.json")
        self._housekeeper = Housekeeper(state_dir, config.forget_after * 3600)
        self.contents = LiveContents(state_dir, self.fleet, lambda: self.elsewhere)
        self.spending = LiveSpending(table, cache_dir, lambda: self.reader.config_dirs, lambda: self._machines, now)

    @property
    def elsewhere(self) -> "ElsewhereReader | None":
        """What reads the contents of sessions of other machines; None without any machine."""
        return self._machines.reader if self._machines is not None else None

    def apply_config(self, config: Config) -> None:
        """As in Monitor. With other folders or prices, everything is read again, a portion at a time."""
        before, self.config = self.config, config
        if config.hidden_kinds != before.hidden_kinds:
            self.fleet.hidden_kinds = config.hidden_kinds
        self.approvals.apply_config(config)
        self._housekeeper.keep = config.forget_after * 3600
        if (config.watch, config.pricing) != (before.watch, before.pricing):
            table = config.build_prices()
            self.spending.use_prices(table)
            folders = config.list_config_dirs() if config.watch != before.watch else self._first_dirs
            writes, self.reader = self.reader.worktrees.writes, self._make_reader(folders, table)
            self.reader.worktrees.writes = writes
            self._first_dirs = self.reader.config_dirs
        is_same_fleet = config.fleet.is_same_server(before.fleet)
        if config.hosts != before.hosts or not is_same_fleet:
            from atm_tui.monitor.machines import Machines  # noqa: PLC0415  most users have one machine

            self._machines = self._machines or Machines({}, self.now)
            self._machines.hint(self._nudge)
            self._machines.follow_config(config.hosts, before.hosts)
            if not is_same_fleet:
                self._machines.follow_server(config.fleet, self.state_dir)
        self._nudge()

    def refresh(self) -> bool:
        """As in Monitor."""
        begun = time.monotonic()
        changed = self._update_fleet()
        if self._watcher is not None:
            self._watcher.hold_back(compute_rest(time.monotonic() - begun))
        return changed

    def read_older(self, session_ids: Collection[str] | None = None) -> None:
        """Refreshes with these sessions, which are over and were only counted (`most_whole`); None: with all of them."""
        if session_ids is None:
            self.reader.states.keep_all()
        else:
            self.reader.named.update(session_ids)
        self.refresh()

    def _update_fleet(self) -> bool:
        now = self.now()
        self._sleep.update(now, self._awake())
        self.approvals.refresh(self.reader.config_dirs if self._health is not None else None)
        watcher = self._watcher
        paths, transcripts = (watcher.take_changed(), watcher.take_transcripts()) if watcher else (None, ())
        facts = self.reader.read(self.approvals.waiting, self._sleep.woke_at, now, paths, transcripts)
        states, resolved = self.reader.states, self._resolved
        if watcher is not None and paths is None:
            watcher.note_found(states.found)
        changed = resolved.update(facts, states.states, self.reader.changed, now)
        figures = (resolved.limits_full_at, states.unread, len(states.closed))
        has_changed = figures != (self.fleet.limits_full_at, self.fleet.unread, self.fleet.older)
        self.fleet.limits_full_at, self.fleet.unread, self.fleet.older = figures
        self.fleet.waited_before = resolved.waited_before
        sessions = resolved.sessions
        roots = {key: list_project_roots(facts[key]) for key in self.approvals.waiting if key in facts}
        requests, requests_due = self.approvals.list_open_requests(sessions, roots)
        read_on = now if self.reader.is_behind or resolved.is_behind else None
        if watcher is not None:
            watcher.limit_wait(measure_time_until([resolved.recheck_at, requests_due, read_on], now))
            watcher.transcripts = self.reader.list_watched_transcripts()
            watcher.interval = self.reader.sweep_interval
        unreadable = [each for key, each in states.unreadable.items() if key not in sessions]
        if self._health is not None:
            self._health.update(sessions, changed, self.fleet.hidden_kinds)
        here = sessions
        if (there := self._machines) is not None:
            there.start()
            changed |= there.refresh(MACHINES_WAIT if self._reads_all else 0.0)
            sessions = {**sessions, **there.sessions}
            unreadable += there.unreadable
            has_changed |= there.has_news or self.fleet.machines != there.machines
            self.fleet.machines, there.has_news = there.machines, False
        has_changed |= self.fleet.update_changed(sessions, changed, unreadable, self._check_health(here))
        self._flags.refresh()
        has_changed |= self.fleet.apply_flags(self._flags.all, now)
        approvals = self.approvals
        has_changed |= self.fleet.update_requests(requests, approvals.dangers, approvals.arming, approvals.risks)
        if not states.unread:
            self._housekeeper.clean_up(sessions.values(), now, states.closed)
        return has_changed

    def list_parts(self, texts: Mapping[str, Sequence[str]]) -> "tuple[dict[str, Part], SharedSources] | None":
        """Returns the sources of all statuses of the last `refresh`, by session and those of all; None when a file can't be read,
        or a hook waits for an answer, since the same files may then give another status.

        `texts`: by session id what is to be kept of it; nothing of the others.
        """
        if not self.approvals.is_empty or self._machines is not None:
            return None
        from atm_tui.monitor import session_parts  # noqa: PLC0415  only one command keeps a result

        found = session_parts.list_parts(self.reader, self._resolved, texts)
        if found is None:
            return None
        now, snoozes = self.now(), (each.snooze.until for each in self._flags.all.values() if each.snooze is not None)
        until = min((at for at in snoozes if at is not None and at > now), default=None)
        return found, session_parts.list_shared(self.reader, [str(self.approvals.folder), self._flags.path], until)

    def watch(self, stop: "Stop") -> AsyncIterator[None]:
        """As in Monitor."""
        self.reader.worktrees.writes = self.approvals.sweeps = True
        self._resolved.keep_waits()
        self._housekeeper.prepare()
        # loaded here, since asyncio and watchfiles take longer to load than a command that reads once takes in total
        from atm_tui.monitor.hints import follow_changes  # noqa: PLC0415
        from atm_tui.sources.watch import Watcher  # noqa: PLC0415

        self._watcher = self._watcher or Watcher(self._list_watched_folders)
        if self._machines is not None:
            self._machines.hint(self._watcher.nudge)
        return follow_changes(self._watcher, lambda: self.reader, stop)

    def _list_watched_folders(self) -> list[Path]:
        from atm_tui.monitor.hints import list_watched_folders  # noqa: PLC0415  as above

        transcripts = self._watcher.transcripts if self._watcher is not None else ()
        others = [self.approvals.folder, *map(Path, sorted({each.rpartition("/")[0] for each in transcripts}))]
        return list_watched_folders([self.state_dir, *self.reader.config_dirs], others)

    def _nudge(self) -> None:
        """Makes the next hint come at once. May be called from any thread."""
        if self._watcher is not None:
            self._watcher.nudge()

    def is_first_time(self, key: str) -> bool:
        """As in Monitor."""
        return bool(self._alerts.claim([key], self.now()))

    def join_machines(self) -> None:
        """Lists also the requests of other machines where something is armed, for a command that answers one of them."""
        if self._machines is not None:
            self._machines.answers.join(MACHINES_WAIT)
            self.refresh()

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
        if self._health is None:
            return Health()
        watching = self._watcher.problem if self._watcher is not None else None
        machines = self._machines
        problems = [
            self._housekeeper.problem,
            self.reader.states.error,
            *self.reader.problems,
            self.spending.problem,
            *self.approvals.notices,
            *(machines.notices if machines is not None else ()),
            None if watching and "nothing to watch" in watching else watching,
        ]
        alarms = machines.alarms if machines is not None else ()
        return self._health.describe(sessions, self.reader.config_dirs, self._first_dirs, problems, alarms)
