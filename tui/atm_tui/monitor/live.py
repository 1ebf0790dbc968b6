"""Reads every source, resolves each session, and keeps the Fleet up to date: the one way from disk to screen.

First load, change, heartbeat and recovery are one code path: `refresh`.
"""

import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from atm_hooks import journal
from atm_tui import paths
from atm_tui.config import Config
from atm_tui.cost.figures import agent_context, agent_cost, session_context, session_cost, warm_until
from atm_tui.cost.pricing import PriceTable, default_table
from atm_tui.cost.usage import total
from atm_tui.model.facts import HookState, ProcessFact, RegistryEntry, Sample
from atm_tui.model.flags import SessionFlags
from atm_tui.model.fleet import Fleet, Health
from atm_tui.model.liveness import live_entries
from atm_tui.model.request import Answered, Arming, Decision, Request
from atm_tui.model.resolve import Facts, Figures
from atm_tui.model.resolver import Resolver
from atm_tui.model.session import Liveness, Session
from atm_tui.model.spans import find_midnight
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.monitor.approvals import Approvals
from atm_tui.monitor.protocol import Capabilities, Stop
from atm_tui.settings.status import HookStatus, hooks_status
from atm_tui.sources.flags import FlagsFile
from atm_tui.sources.folders import encode_folder
from atm_tui.sources.process import Exits, ProcessTable, boot_time
from atm_tui.sources.project import ProjectSource
from atm_tui.sources.registry import RegistrySource
from atm_tui.sources.seen import SeenFile
from atm_tui.sources.spending import SpendingSource
from atm_tui.sources.state import StateSource
from atm_tui.sources.transcript import TranscriptReader
from atm_tui.sources.watch import Watcher
from atm_tui.timeline.time_waited import WaitTimes

_SWEEP = 1.0
"""Seconds between two looks at what gives no hints: the process table, and transcripts of sessions without news."""
_TURN = 200
"""Sessions without news whose transcripts are looked at in one sweep."""
_REST = 3.0
"""For how many times as long as it took nothing is read after a refresh: the app has keys to answer."""
_LEAST_REST = 0.06
"""Seconds of rest that painting takes part of: some ten frames a second are as many as anyone can read."""
_NAP = 2.0
"""Seconds by which the clock may run ahead of the time awake before the machine must have slept in between."""
_FORGET_EVERY = 600.0
"""Seconds between two looks for files that are old enough to be removed."""


class LiveMonitor:
    """The Monitor of the app, and of every command that asks for the fleet."""

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
    ) -> None:
        """`config_dirs`: the config folders of Claude Code to look at; those that sessions name are added.

        `portion`: bytes of transcripts, and of journals, that one refresh reads at most; the next one, which is then due at
        once, goes on. None: a refresh reads all there is.

        `cache_dir`: where what was counted of the history is kept; None: nowhere.

        `awake` counts the seconds for which the machine does not sleep; a clock other than the system's never sleeps.
        """
        self.fleet = Fleet()
        self.home = str(paths.home())
        self.fleet.hides = config.hides
        self.now = now
        self._awake = awake or (time.monotonic if now is time.time else now)
        self._slept = now() - self._awake()
        self._awake_at = 0.0
        self.config = config
        self.state_dir = state_dir
        self.states = StateSource(state_dir)
        self._first_dirs = [str(folder) for folder in config_dirs]
        self.registries: dict[str, RegistrySource] = {}
        self.transcripts: dict[str, TranscriptReader] = {}
        self._table = table or default_table()
        self._portion = portion
        self._cache_dir = cache_dir
        self._left: int | None = None
        self._today: tuple[float, list[Path], SpendingSource] | None = None
        self._projects = ProjectSource()
        self._processes = ProcessTable()
        self._seen = SeenFile(state_dir)
        self._care = FlagsFile(state_dir)
        self._told = SeenFile(state_dir, "told.json")
        self._waits = WaitTimes(state_dir, portion)
        self._boot_at = boot_time()
        self._answering = Approvals(state_dir, config, now)
        self._asking: dict[str, frozenset[str]] = {}
        self._watcher = Watcher(self._watched)
        self._forgot_at = 0.0
        self._problem: str | None = None
        self._swept_at = float("-inf")
        self._running: dict[int, ProcessFact] = {}
        self._entries: dict[str, list[RegistryEntry]] = {}
        self._served_by: dict[str, tuple[HookState, tuple[int, ...]]] = {}
        self._resolver = Resolver()
        self._found: dict[str, Facts] = {}
        self._common: tuple[object, ...] = ()
        self._turn = 0
        self._figures: dict[str, tuple[TranscriptFacts | None, tuple[Sample | None, str | None], Figures]] = {}

    # --- Monitor

    @property
    def capabilities(self) -> Capabilities:
        """As in Monitor."""
        return Capabilities(state_dir=self.state_dir)

    def refresh(self) -> bool:
        """Reads what changed, resolves, and updates the fleet; True when anything differs."""
        begun = time.monotonic()
        changed = self._refresh()
        self._watcher.rest(max(_LEAST_REST, _REST * (time.monotonic() - begun)))
        return changed

    def _refresh(self) -> bool:
        now = self.now()
        slept = now - self._awake()
        if slept - self._slept > _NAP:
            self._awake_at = now
        self._slept = slept
        self._answering.look(self._config_dirs())
        self._asking = self._answering.asking()
        facts = self.facts()
        resolved = self._resolver.look(facts, now)
        rechecks = [each.recheck_at for each in resolved.values() if each.recheck_at is not None]
        if any(reader.behind for reader in self.transcripts.values()):
            rechecks.append(now)
        everyone = self._waits.look(self.states.states, [each.session for each in resolved.values()], now)
        self.fleet.waited_before = self._waits.gone
        if self._waits.behind:
            rechecks.append(now)
        requests, due = self._answering.open(
            everyone, {key: _roots(facts[key]) for key in self._asking if key in facts}
        )
        if due is not None:
            rechecks.append(due)
        self._watcher.within(max(0.0, min(rechecks) - now) if rechecks else None)
        shown = [session for session in everyone if session.kind not in self.fleet.hides]
        unreadable = [each for key, each in self.states.unreadable.items() if key not in resolved]
        changed = self.fleet.update(everyone, unreadable, self._health(shown))
        self._care.refresh()
        changed |= self.fleet.apply_flags(self._care.all, now)
        changed |= self.fleet.ask(requests, self._answering.dangers, self.arming, self._answering.risks)
        if now - self._forgot_at > _FORGET_EVERY:
            self._forgot_at = now
            self._forget(everyone, now)
        return changed

    async def hints(self, stop: Stop) -> AsyncIterator[None]:
        """Yields when something may have changed, at least every 2 s."""
        self._waits.keeps = True
        self._answering.sweeps = True
        try:
            journal.prepare(str(self.state_dir))
            # it is there before the first hook runs, so that the first session is seen at once
            (self.state_dir / "sessions").mkdir(mode=0o700, exist_ok=True)
        except (OSError, journal.UnsafeError) as error:
            self._problem = (
                f"{self.state_dir} can't be used: {error}. Hooks can't write there either; see atm-tui doctor."
            )
        exits = Exits(self._process_ended)
        try:
            async for hint in self._watcher.hints():
                if stop.is_set():
                    return
                yield hint
                exits.follow(self._running)
        finally:
            exits.close()

    def _process_ended(self) -> None:
        self._swept_at = float("-inf")
        self._watcher.nudge()

    def spending(self) -> SpendingSource:
        """What all sessions in the config folders ever cost."""
        return SpendingSource(self._config_dirs(), self._cache_dir, self._table)

    def _config_dirs(self) -> list[Path]:
        return [Path(folder) for folder in dict.fromkeys([*self._first_dirs, *self.registries])]

    def today(self) -> Iterator[float | None]:
        """As in Monitor; goes on from the last call of the same day."""
        since, folders = find_midnight(self.now()), self._config_dirs()
        if self._today is None or self._today[:2] != (since, folders):
            self._today = (since, folders, SpendingSource(folders, None, self._table))
        source = self._today[2]
        for _ in source.read(since):
            yield None
        yield total([b for b in source.result.buckets if b.slot is not None and b.slot >= since], self._table).usd

    def first_time(self, key: str) -> bool:
        """As in Monitor."""
        self._told.refresh()
        new = not self._told.at(key)
        if new:
            self._told.look(key, self.now())
        return new

    @property
    def arming(self) -> Arming:
        """Whether answers are taken now."""
        return self._answering.arming

    def arm(self, on: bool) -> str | None:
        """As in Monitor."""
        return self._answering.arm(on=on, config_dirs=self._config_dirs())

    def beat(self) -> None:
        """As in Monitor."""
        if not self._answering.beat():
            self._watcher.nudge()

    def answer(self, request: Request, decision: Decision, by: str = "app") -> Answered:
        """As in Monitor."""
        return self._answering.answer(request, decision, by)

    def set_flags(self, session_id: str, flags: SessionFlags) -> None:
        """The user tends this session."""
        self._care.set_flags(session_id, flags)

    def mark_seen(self, session_id: str) -> None:
        """The user has looked at this session."""
        self._seen.look(session_id, self.now())
        self._common = ()

    def history(self, session_id: str) -> list[dict[str, Any]]:
        """The events in the session's journal; none where it can't be read."""
        try:
            return journal.history(str(self.state_dir), session_id)
        except OSError:
            return []

    # --- reading

    def facts(self) -> dict[str, Facts]:
        """What all sources say now, by session id."""
        touched = self.states.refresh()
        sweep = time.monotonic() - self._swept_at >= _SWEEP
        states = self.states.states
        folders = dict.fromkeys(self._first_dirs)
        folders.update(dict.fromkeys(state.config_dir for state in states.values() if state.config_dir))
        for folder in folders:
            self.registries.setdefault(folder, RegistrySource(Path(folder)))
        entries: dict[str, list[RegistryEntry]] = {}
        serving: dict[int, str] = {}
        for registry in self.registries.values():
            registry.refresh()
            for entry in registry.entries.values():
                entries.setdefault(entry.session_id, []).append(entry)
                serving[entry.pid] = entry.session_id
        # what the registry says anew, the transcript may explain
        touched |= {key for key in {**entries, **self._entries} if entries.get(key) != self._entries.get(key)}
        self._entries = entries
        processes = self._processes_of({*serving, *self._pids(states)}, sweep)
        # a registry file without its process says nothing of a session that no hook spoke of
        alone = [key for key, mine in entries.items() if key not in states and live_entries(tuple(mine), processes)]
        wanted = {key: (states.get(key), tuple(entries.get(key, ()))) for key in (*states, *alone)}
        paths = {key: self._transcript_path(key, *sources) for key, sources in wanted.items()}
        for path in set(self.transcripts).difference(paths.values()):
            del self.transcripts[path]
        for key in set(self._figures).difference(wanted):
            del self._figures[key]
        if sweep:
            self._swept_at = time.monotonic()
            touched |= self._next_in_turn(list(wanted))
        # what can change the facts of any session
        common = (processes, serving, self._awake_at)
        anew = self._seen.refresh() or common != self._common
        self._common = common
        self._left = self._portion
        before, self._found = self._found, {}
        for key, (hooks, mine) in wanted.items():
            where, known = paths[key], before.get(key)
            reader = self.transcripts.get(where) if where else None
            fresh = known is None or key in touched or (where is not None and (reader is None or reader.behind))
            if known is None or anew or fresh or known.asking != self._asking.get(key, frozenset()):
                transcript = self._read_transcript(where, fresh=fresh)
                known = self._facts_of(key, hooks, mine, transcript, processes, serving)
            self._found[key] = known
        return self._found

    def _next_in_turn(self, keys: list[str]) -> set[str]:
        """Sessions whose transcripts, and branches, are looked at although nothing was heard of them; each has its turn."""
        first, self._turn = self._turn, self._turn + _TURN
        if self._turn >= len(keys):
            self._turn = 0
        return set(keys[first : first + _TURN])

    def _processes_of(self, pids: set[int], sweep: bool) -> dict[int, ProcessFact]:
        """The running ones; between two sweeps only those that were not known are looked up."""
        if sweep:
            self._running = {}
        for pid in pids:
            if (sweep or pid not in self._running) and (process := self._processes.look_up(pid)):
                self._running[pid] = process
        return {pid: self._running[pid] for pid in pids if pid in self._running}

    def _read_transcript(self, path: str | None, *, fresh: bool) -> TranscriptFacts | None:
        if path is None:
            return None
        reader = self.transcripts.get(path)
        if reader is None:
            reader, fresh = TranscriptReader(path, self._table), True
            self.transcripts[path] = reader
        if fresh or reader.behind:
            reader.read(self._left)
            if self._left is not None:
                self._left = max(0, self._left - reader.taken)
        return reader.facts

    def _pids(self, states: Mapping[str, HookState]) -> Iterator[int]:
        """Of the processes that have said no goodbye, as far as hooks saw."""
        before, self._served_by = self._served_by, {}
        for key, state in states.items():
            known = before.get(key)
            if known is None or known[0] is not state:
                living = (pid for pid, each in state.processes.items() if not (each.ended and each.ended >= each.began))
                known = (state, tuple(int(pid) for pid in living if pid.isdecimal()))
            self._served_by[key] = known
            yield from known[1]

    def _facts_of(
        self,
        key: str,
        hooks: HookState | None,
        entries: tuple[RegistryEntry, ...],
        transcript: TranscriptFacts | None,
        processes: dict[int, ProcessFact],
        serving: dict[int, str],
    ) -> Facts:
        launched = (hooks.project_dir if hooks else "") or next((entry.cwd for entry in entries if entry.cwd), "")
        cwd = (hooks.cwd if hooks else "") or launched
        project, here = self._projects.of(launched or cwd), self._projects.of(cwd)
        problem = self.states.unreadable.get(key)
        heard = [int(pid) for pid in hooks.processes if pid.isdecimal()] if hooks else []
        pids = [*heard, *(entry.pid for entry in entries), *([hooks.pid] if hooks and hooks.pid else [])]
        return Facts(
            session_id=key,
            hooks=hooks,
            registry=entries,
            processes={pid: processes[pid] for pid in pids if pid in processes},
            serving={pid: serving[pid] for pid in heard if pid in serving},
            transcript=transcript,
            figures=self._figures_of(key, hooks, transcript),
            project=project,
            asking=self._asking.get(key, frozenset()),
            branch=here.branch if here.root == project.root else None,
            problem=f"{problem.path}: {problem.problem}" if problem else None,
            seen_at=self._seen.at(key),
            boot_at=self._boot_at,
            awake_at=self._awake_at,
        )

    def _figures_of(self, key: str, hooks: HookState | None, transcript: TranscriptFacts | None) -> Figures:
        """Cost and context, counted again only when a source of theirs changed."""
        known = self._figures.get(key)
        sample, model = (hooks.metrics, hooks.model) if hooks else (None, None)
        if known and known[0] is transcript and known[1] == (sample, model):
            return known[2]
        agents = transcript.agents if transcript else ()
        figures = Figures(
            cost=session_cost(transcript, sample, self._table),
            context=session_context(transcript, sample, self._table, model),
            agent_costs={a.agent_id: agent_cost(transcript, a.agent_id, self._table) for a in agents}
            if transcript
            else {},
            agent_contexts={a.agent_id: agent_context(a, self._table) for a in agents},
            cache_until=warm_until(transcript) if transcript else None,
        )
        self._figures[key] = (transcript, (sample, model), figures)
        return figures

    @staticmethod
    def _transcript_path(key: str, hooks: HookState | None, entries: tuple[RegistryEntry, ...]) -> str | None:
        """Where the transcript is: as hooks said, else by the client's own rule for folder names.

        Older clients name the file of before a resume; one of the session's own name beside it is the right one.
        """
        if hooks and hooks.transcript_path:
            folder, _, name = hooks.transcript_path.rpartition("/")
            if name == f"{key}.jsonl" or not (own := Path(folder, f"{key}.jsonl")).exists():
                return hooks.transcript_path
            return str(own)
        for entry in entries:
            if entry.cwd and entry.config_dir:
                return f"{entry.config_dir}/projects/{encode_folder(entry.cwd)}/{key}.jsonl"
        return None

    # --- health and housekeeping

    def _health(self, sessions: list[Session]) -> Health:
        unheard = sum(not s.heard and s.liveness is Liveness.LIVE for s in sessions)
        live = sum(s.liveness is Liveness.LIVE for s in sessions)
        heard = max((s.updated_at for s in sessions if s.heard), default=None)
        used = {s.config_dir for s in sessions if s.liveness is Liveness.LIVE} | set(self._first_dirs)
        found = [
            (Path(folder), hooks_status(Path(folder), self.state_dir)) for folder in self.registries if folder in used
        ]
        worst, notices = HookStatus.INSTALLED, []
        for folder, status in found:
            if status.status is HookStatus.INSTALLED:
                continue
            if worst is HookStatus.INSTALLED:
                worst = status.status
            notices.append(f"{folder}: {status.message}")
        if unheard:
            some = f"{unheard} of {live} live sessions" if live > 1 else "The live session"
            notices.append(f"{some} started before the hooks were installed, or may not run them: restart to see more.")
        notices += [problem for problem in (self._problem, self.states.error) if problem]
        notices += self._answering.notices
        if self._watcher.problem and "nothing to watch" not in self._watcher.problem:
            notices.append(self._watcher.problem)
        return Health(hooks=worst.value, heard_at=heard, unheard=unheard, notices=tuple(notices))

    def _watched(self) -> list[Path]:
        folders = [self.state_dir, *(source.config_dir for source in self.registries.values())]
        asked = [self._answering.source.folder] if self._answering.source.folder.is_dir() else []
        return [found if (found := folder / "sessions").is_dir() else folder for folder in folders] + asked

    def _forget(self, sessions: list[Session], now: float) -> None:
        """Removes the files of sessions that ended or were lost long ago, and what killed hooks left behind."""
        limit = self.config.forget_after * 3600
        for session in sessions:
            if (
                session.heard
                and session.liveness is not Liveness.LIVE
                and now - max(session.updated_at, session.since) > limit
            ):
                try:
                    journal.forget(str(self.state_dir), session.session_id)
                except OSError:  # tried again at the next look
                    continue
        for temp in (self.state_dir / "tmp").glob("*"):
            try:
                if now - temp.stat().st_mtime > limit:
                    temp.unlink()
            except OSError:
                continue


def _roots(facts: Facts) -> tuple[str, ...]:
    """The folders that count as the session's project: the repository, and where it was started, as in a worktree."""
    started = (facts.hooks.project_dir if facts.hooks else "") or next((e.cwd for e in facts.registry if e.cwd), "")
    return tuple(dict.fromkeys(root for root in (facts.project.root, started) if root))
