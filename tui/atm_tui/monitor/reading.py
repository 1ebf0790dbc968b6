"""Joins what all sources say into the facts of each session."""

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from atm_hooks.proc import read_pid_domain
from atm_tui.cost.pricing import PriceTable
from atm_tui.model.facts import HookState, ProcessFact, RegistryEntry
from atm_tui.model.liveness import Vantage, find_hook_place, find_live_entries
from atm_tui.model.pid_domain import Place, find_place
from atm_tui.model.resolve import Facts
from atm_tui.model.task import TaskFolder
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.monitor.figures import FigureCache
from atm_tui.monitor.processes import RunningProcesses
from atm_tui.monitor.registries import Registries
from atm_tui.monitor.schedule import Interval, ReadBudget, TurnTaker
from atm_tui.monitor.transcripts import Transcripts, find_transcript
from atm_tui.sources.checkpoints import CheckpointStore
from atm_tui.sources.exists import is_folder
from atm_tui.sources.process_start import find_boot_time
from atm_tui.sources.project import ProjectCache, WorktreeFile
from atm_tui.sources.state import StateSource
from atm_tui.sources.task_files import TaskFiles, name_lists
from atm_tui.sources.times_file import TimesFile

SWEEP_INTERVAL = 1.0
"""Seconds between two sweeps: checks of what gives no hints, processes and transcripts of sessions without new events."""
CALM_SWEEP_INTERVAL = 5.0
"""Seconds between two sweeps when none of the last CALM_SWEEPS found a change: an idle fleet costs almost nothing."""
CALM_SWEEPS = 15
GROUP = 200
"""Number of sessions without new events whose transcripts are checked in one sweep."""


class FactReader:
    """Reads all sources, and afterwards only what changed."""

    def __init__(
        self,
        state_dir: Path,
        config_dirs: Iterable[Path],
        table: PriceTable,
        *,
        portion: int | None = None,
        counts_agents: bool = True,
        checkpoints: CheckpointStore | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`config_dirs`: the config folders of Claude Code to read; those that sessions name are added.

        `portion`: bytes of transcripts that one `read` reads at most; None: all. `checkpoints`: where reading goes on from.

        `counts_agents`: whether facts have the cost and context of each agent.
        """
        self.pid_domain = read_pid_domain()
        self.registries = Registries((str(folder) for folder in config_dirs), self.pid_domain)
        self.states = StateSource(state_dir, self.registries.find_spelling)
        self.processes = RunningProcesses(self.pid_domain)
        self.facts: dict[str, Facts] = {}
        """The facts by session id, as of the last `read`."""
        self._monotonic = monotonic
        self._budget = ReadBudget(portion)
        self._transcripts = Transcripts(table, self._budget, checkpoints)
        self._figures = FigureCache(table, counts_agents=counts_agents)
        self.worktrees = WorktreeFile(state_dir)
        self._projects = ProjectCache(self.worktrees)
        self._tasks: dict[str, TaskFiles] = {}
        """By config folder."""
        self._seen = TimesFile(state_dir)
        self._boot_at = find_boot_time()
        self._sweep = Interval(SWEEP_INTERVAL)
        self._calm_sweep = Interval(CALM_SWEEP_INTERVAL)
        self._sweeps_without_change = 0
        self._turns = TurnTaker(GROUP)
        self._shared: tuple[object, ...] = ()
        """Values that can change the facts of any session, as of the last `read`."""

    @property
    def config_dirs(self) -> list[Path]:
        """The config folders that are read."""
        return [Path(folder) for folder in self.registries.config_dirs]

    @property
    def is_behind(self) -> bool:
        """Whether there is more to read at once."""
        return self._transcripts.is_behind

    @property
    def problems(self) -> list[str]:
        """The client's files that can't be read, each with the reason."""
        return self.registries.problems + self._transcripts.problems

    def list_paths(self) -> list[str]:
        """Returns the files and folders that decide on the sessions and their status, also those that do not exist.

        Projects are not among them.
        """
        transcripts = self._transcripts.list_paths()
        for key, state in self.states.states.items():  # which of both is read depends on whether the second one exists
            folder = state.transcript_path.rpartition("/")[0]
            transcripts += [state.transcript_path, f"{folder}/{key}.jsonl"] if state.transcript_path else []
        tasks = [path for each in self._tasks.values() for path in each.list_paths()]
        return [*self.states.list_paths(), *self.registries.list_paths(), *transcripts, *tasks, self._seen.path]

    def sweep_soon(self) -> None:
        """Makes the next `read` do a sweep."""
        self._sweep.expire()
        self._sweeps_without_change = 0

    def mark_seen(self, session_id: str, at: float) -> None:
        """Records that the user looked at a session at `at` (epoch seconds)."""
        self._seen.record(session_id, at)
        self._shared = ()

    def read(self, waiting: Mapping[str, frozenset[str]], woke_at: float, now: float | None = None) -> dict[str, Facts]:
        """Returns what all sources say now, by session id. Facts that did not change are the same objects as before.

        `waiting`: by session id the keys of waits for which a hook waits for an answer from here. `woke_at`: when the machine
        last woke from sleep, in epoch seconds. `now`: epoch seconds; None: by the system's clock.
        """
        vantage = Vantage(pid_domain=self.pid_domain, boot_at=self._boot_at, now=time.time() if now is None else now)
        changed = self.states.refresh()
        states = self.states.states
        self.registries.add(dict.fromkeys(state.config_dir for state in states.values() if state.config_dir))
        # the transcript may explain a change in the registry
        changed |= self.registries.refresh()
        for folder in self.registries.config_dirs:
            self._tasks.setdefault(folder, TaskFiles(folder)).refresh()
        entries, serving = self.registries.entries, self.registries.serving
        if changed:
            self._sweeps_without_change = 0
        is_calm = self._sweeps_without_change >= CALM_SWEEPS
        sweep = (self._calm_sweep if is_calm else self._sweep).is_due(self._monotonic())
        processes = self.processes.refresh(states, serving, sweep=sweep)
        # a registry file without a process makes a session only together with a state file
        without_state = [
            key for key, mine in entries.items() if key not in states and find_live_entries(mine, processes, vantage)
        ]
        paths = {key: find_transcript(key, states.get(key), entries.get(key, ())) for key in (*states, *without_state)}
        self._transcripts.keep_only(paths.values())
        self._figures.keep_only(paths.keys())
        if sweep:
            self._sweep.restart(self._monotonic())
            self._calm_sweep.restart(self._monotonic())
            changed |= self._turns.next_group(list(paths))
        shared = (processes, serving, woke_at)
        all_anew = self._seen.refresh() or shared != self._shared
        self._shared = shared
        self._budget.reset()
        before, self.facts = self.facts, {}
        for key in paths.keys() - before.keys():  # that of a deleted worktree may be found by the repository of another
            self._projects.find(_find_start_folder(states.get(key), entries.get(key, ())))
        for key, path in paths.items():
            known, asking = before.get(key), waiting.get(key, frozenset())
            check = known is None or key in changed or self._transcripts.is_new(path)
            if known is None or all_anew or check or known.asking != asking:
                transcript = self._transcripts.read(path, check=check)
                known = self._join(key, transcript, processes, asking, woke_at)
            self.facts[key] = known
        began = {path: _find_begin(states.get(key), entries.get(key, ())) for key, path in paths.items() if path}
        if recounted := self._transcripts.set_owners(began):
            for key, path in paths.items():
                if path in recounted:
                    transcript = self._transcripts.read(path, check=False)
                    self.facts[key] = self._join(key, transcript, processes, waiting.get(key, frozenset()), woke_at)
        if sweep:
            self._sweeps_without_change = self._sweeps_without_change + 1 if self.facts == before else 0
        self._transcripts.save()
        return self.facts

    def _join(
        self,
        key: str,
        transcript: TranscriptFacts | None,
        processes: Mapping[int, ProcessFact],
        asking: frozenset[str],
        woke_at: float,
    ) -> Facts:
        hooks, entries = self.states.states.get(key), self.registries.entries.get(key, ())
        serving = self.registries.serving
        start = _find_start_folder(hooks, entries)
        cwd = (hooks.cwd if hooks else "") or start
        project, here = self._projects.find(start or cwd), self._projects.find(cwd)
        problem = self.states.unreadable.get(key)
        from_hooks = [
            int(pid)
            for pid, record in (hooks.processes.items() if hooks else ())
            if pid.isdecimal() and find_hook_place(pid, record, entries, self.pid_domain) is Place.HERE
        ]
        ours = (entry.pid for entry in entries if find_place(entry.pid_domain, self.pid_domain) is Place.HERE)
        pids = [*from_hooks, *ours]
        return Facts(
            session_id=key,
            hooks=hooks,
            registry=entries,
            processes={pid: processes[pid] for pid in pids if pid in processes},
            serving={pid: serving[pid] for pid in from_hooks if pid in serving},
            transcript=transcript,
            tasks=self._read_tasks(key, hooks, entries, transcript),
            figures=self._figures.compute(
                key, hooks, transcript, is_pending=self._transcripts.is_pending(transcript.path if transcript else None)
            ),
            project=project,
            deleted_folder=start if start and start != cwd and not is_folder(start) else "",
            asking=asking,
            branch=here.branch if here.root == project.root else None,
            problem=f"{problem.path}: {problem.problem}" if problem else None,
            seen_at=self._seen.find(key),
            boot_at=self._boot_at,
            pid_domain=self.pid_domain,
            awake_at=woke_at,
        )

    def _read_tasks(
        self,
        key: str,
        hooks: HookState | None,
        entries: tuple[RegistryEntry, ...],
        transcript: TranscriptFacts | None,
    ) -> TaskFolder | None:
        folder = (hooks.config_dir if hooks else "") or next((each.config_dir for each in entries), "")
        files = self._tasks.get(self.registries.find_spelling(folder))
        teams = (agent.team for agent in (transcript.agents if transcript else ()))
        return files.read(name_lists(key, teams)) if files else None


def _find_begin(hooks: HookState | None, entries: tuple[RegistryEntry, ...]) -> float:
    """When a session began (epoch seconds), as far as anyone says; a resumed one that no hook saw begins with its process."""
    return (hooks.created_at if hooks else 0.0) or min((each.started_at for each in entries), default=float("inf"))


def _find_start_folder(hooks: HookState | None, entries: tuple[RegistryEntry, ...]) -> str:
    """Returns the folder in which the client was started; "" when unknown."""
    return (hooks.project_dir if hooks else "") or next((entry.cwd for entry in entries if entry.cwd), "")


def list_project_roots(facts: Facts) -> tuple[str, ...]:
    """Returns the folders that count as a session's project: the repository, and the folder in which it was started."""
    start = _find_start_folder(facts.hooks, facts.registry)
    return tuple(dict.fromkeys(root for root in (facts.project.root, start) if root))
