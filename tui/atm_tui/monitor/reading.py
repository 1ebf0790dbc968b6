"""Combines what all sources say into the facts of each session."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from atm_hooks.proc import read_pid_domain
from atm_tui.cost.pricing import PriceTable
from atm_tui.model.facts import HookState, ProcessFact, RegistryEntry
from atm_tui.model.liveness import Vantage, find_hook_place, find_live_entries
from atm_tui.model.pid_domain import Place, find_place
from atm_tui.model.resolve import Facts
from atm_tui.model.task import TaskFolder
from atm_tui.model.team import Membership
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.monitor.figures import Counted, FigureCache
from atm_tui.monitor.processes import RunningProcesses
from atm_tui.monitor.registries import Registries
from atm_tui.monitor.schedule import ReadBudget, Sweeps, TurnTaker
from atm_tui.monitor.session_files import SessionFiles
from atm_tui.monitor.transcripts import Transcripts
from atm_tui.sources.checkpoints import CheckpointStore
from atm_tui.sources.exists import is_folder
from atm_tui.sources.process_start import find_boot_time
from atm_tui.sources.project import ProjectCache, WorktreeFile
from atm_tui.sources.state import StateSource
from atm_tui.sources.task_files import TaskFiles, name_lists
from atm_tui.sources.team_file import read_membership
from atm_tui.sources.times_file import TimesFile

LONGEST_PAUSE = 8.0
"""Seconds after which the transcript of a session is looked at again although nothing happens in it."""
GROUP = 200
"""Number of sessions without new events whose transcripts are checked in one sweep."""
FIRST_STATES, MORE_STATES = 2_000, 5_000
"""Number of state files that the first `read`, and each later one, reads at most, where it reads in portions."""
MOST_WHOLE = 2_000
"""Number of sessions that the app shows although they may be over; of older ones that are over, it shows only how many."""


class FactReader:
    """Reads all sources, and afterwards only what changed."""

    def __init__(
        self,
        state_dir: Path,
        config_dirs: Iterable[Path],
        table: PriceTable,
        *,
        portion: int | None = None,
        counted: Counted = Counted.PARTS,
        checkpoints: CheckpointStore | None = None,
        most_whole: int | None = None,
        only: Collection[str] | None = None,
        files: Collection[str] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`config_dirs`: the config folders of Claude Code to read; those that sessions name are added.

        `portion`: bytes of transcripts that one `read` reads at most, and then it reads only some of many state files;
        None: all. `checkpoints`: where reading continues from.

        `counted`: whether the facts include cost and context. `most_whole`, `only`: as for StateSource.

        `files`: the state files and registry files to which all reading is limited; None: any.
        """
        self._given = files
        self.pid_domain = read_pid_domain()
        self.registries = Registries((str(folder) for folder in config_dirs), self.pid_domain, lists_new=files is None)
        self.states = StateSource(state_dir, self.registries.find_spelling, most_whole=most_whole, only=only)
        self.named: set[str] = set()
        """Ids of sessions whose states are kept although they may be over."""
        self.processes = RunningProcesses(self.pid_domain)
        self.facts: dict[str, Facts] = {}
        """The facts by session id, as of the last `read`."""
        self.changed: frozenset[str] = frozenset()
        """Ids of the sessions whose facts changed in the last `read`, including new and removed ones."""
        self._monotonic = monotonic
        self._budget = ReadBudget(portion)
        self._reads_all = portion is None
        self._transcripts = Transcripts(table, self._budget, checkpoints)
        self._figures = FigureCache(table, counted)
        self._counts = counted is not Counted.NOTHING
        """Whether it matters for which session a request counts that several have."""
        self.worktrees = WorktreeFile(state_dir)
        self._projects = ProjectCache(self.worktrees)
        self._tasks: dict[str, TaskFiles] = {}
        """By config folder."""
        self._seen = TimesFile(state_dir)
        self._boot_at = find_boot_time()
        self._sweeps = Sweeps()
        self._turns = TurnTaker(GROUP, LONGEST_PAUSE)
        self._files = SessionFiles(self.states, self.registries)
        self._waiting: Mapping[str, frozenset[str]] = {}
        self._processes: Mapping[int, ProcessFact] = {}
        self._serving: Mapping[int, str] = {}
        self._woke_at = 0.0
        self._has_looks = False
        """Whether the user looked at a session since the last `read`."""

    @property
    def config_dirs(self) -> list[Path]:
        """The config folders that are read."""
        return [Path(folder) for folder in self.registries.config_dirs]

    @property
    def is_behind(self) -> bool:
        """Whether more can be read right away."""
        return self._transcripts.is_behind or bool(self.states.unread)

    @property
    def sweep_interval(self) -> float:
        """Seconds between two looks at all: more, the longer nothing has changed."""
        return self._sweeps.interval

    @property
    def problems(self) -> list[str]:
        """The client's files that can't be read, each with the reason."""
        return self.registries.problems + self._transcripts.problems

    def list_transcript_paths(self, key: str) -> list[str]:
        """Returns the files and folders with the conversation of a session, also those that do not exist."""
        path, state = self._files.paths[key], self.states.states.get(key)
        found = self._transcripts.list_paths(path) if path is not None else []
        if state is not None and state.transcript_path:
            # which of the two is read depends on whether the second one exists
            found += [state.transcript_path, f"{state.transcript_path.rpartition('/')[0]}/{key}.jsonl"]
        return found

    def list_shared_paths(self) -> list[str]:
        """Returns the files and folders that may decide on the status of any session, without projects."""
        return [*(path for each in self._tasks.values() for path in each.list_paths()), self._seen.path]

    def list_pids(self, key: str) -> frozenset[int]:
        """Returns the processes that may have served a session."""
        return self._files.pids[key]

    def list_watched_transcripts(self) -> frozenset[str]:
        """Returns the transcripts of running sessions without hooks: their changes come with no other hint."""
        keys = self.registries.entries.keys() - self.states.states.keys()
        return frozenset(path for key in keys if (path := self._files.paths.get(key)))

    def sweep_soon(self) -> None:
        """Makes the next `read` do a sweep of all sessions."""
        self._sweeps.expire()
        self._turns.expire()

    def mark_seen(self, session_id: str, at: float) -> None:
        """Records that the user looked at a session at `at` (epoch seconds)."""
        self._seen.record(session_id, at)
        self._has_looks = True

    def read(
        self,
        waiting: Mapping[str, frozenset[str]],
        woke_at: float,
        now: float | None = None,
        paths: Collection[str] | None = None,
        transcripts: Collection[str] = (),
    ) -> dict[str, Facts]:
        """Returns what all sources say now, by session id. Facts that did not change are the same objects as before.

        `waiting`: by session id the keys of waits for which a hook waits for an answer from here. `woke_at`: when the machine
        last woke from sleep, in epoch seconds. `now`: epoch seconds; None: by the system's clock. `paths`: the state files
        and registry files that may have changed; None: any. `transcripts`: those that have changed, as far as known.
        """
        paths = paths if self._given is None else self._given
        vantage = Vantage(pid_domain=self.pid_domain, boot_at=self._boot_at, now=time.time() if now is None else now)
        checked: set[str] = set()
        transcript_of = self._files.paths
        is_first = not transcript_of
        if is_first and not self._reads_all:  # the state files of running sessions are read first
            checked = self.registries.refresh(paths)
        most = None if self._reads_all else FIRST_STATES if is_first else MORE_STATES
        from_hooks = self.states.refresh(paths, most, self.registries.entries, now)
        states = self.states.states
        self.registries.add({states[key].config_dir for key in from_hooks if key in states and states[key].config_dir})
        self.registries.add(filter(None, self.states.config_dirs))
        # the transcript may explain a change in the registry
        checked |= self.registries.refresh(paths)
        from_hooks |= self.states.recall({*self.registries.entries, *waiting, *self.named})
        checked |= from_hooks
        if transcripts:
            checked |= {key for key, path in transcript_of.items() if path in transcripts}
        for folder in self.registries.config_dirs:
            if folder not in self._tasks:
                self._tasks[folder] = TaskFiles(folder)
            self._tasks[folder].refresh()
        if checked:
            self._sweeps.note_change()
        sweep = self._sweeps.is_due(self._monotonic())
        processes = self.processes.refresh(states, self.registries.serving, from_hooks, sweep=sweep)
        gone = self._list_sessions(processes, vantage)
        if sweep:
            self._sweeps.restart(self._monotonic())
        swept = self._turns.pick(transcript_of, self._monotonic()) if sweep else set()
        joined = self._find_joined(checked, waiting, processes, woke_at) | (swept & transcript_of.keys())
        checked |= swept
        self._budget.reset()
        self._projects.begin_pass()
        facts, changed = dict(self.facts), set(gone)
        for key in gone:
            del facts[key]
        for key in joined - facts.keys():  # that of a deleted worktree may be found by the repository of another
            self._projects.find(_find_start_folder(states.get(key), self.registries.entries.get(key, ())))
        for key in sorted(joined):
            path, known = transcript_of[key], facts.get(key)
            check = known is None or key in checked or self._transcripts.is_new(path)
            transcript = self._transcripts.read(path, check=check)
            if (new := self._join(key, transcript, processes, waiting.get(key, frozenset()), woke_at)) != known:
                facts[key] = new
                changed.add(key)
            if key in checked:
                self._turns.note(key, self._monotonic(), has_changed=key in changed)
        if self._counts and (recounted := self._transcripts.set_owners(self._files.began, self._files.moved)):
            for key, path in transcript_of.items():
                if path in recounted:
                    transcript = self._transcripts.read(path, check=False)
                    facts[key] = self._join(key, transcript, processes, waiting.get(key, frozenset()), woke_at)
                    changed.add(key)
        self.facts, self.changed = facts, frozenset(changed)
        if sweep:
            self._sweeps.note_end(has_changed=bool(changed))
        self._transcripts.save(vantage.now)
        return self.facts

    def _list_sessions(self, processes: Mapping[int, ProcessFact], vantage: Vantage) -> set[str]:
        """Finds out which sessions exist now; returns the ids of those that are gone. New ones have no facts yet."""
        states, entries = self.states.states, self.registries.entries
        # a registry file without a process makes a session only together with a state file
        without_state = {
            key for key in entries.keys() - states.keys() if find_live_entries(entries[key], processes, vantage)
        }
        gone = self._files.keep_only(states.keys(), without_state)
        for key in gone:
            self._turns.forget(key)
        if gone:
            self._figures.keep_only(self._files.paths.keys())
            self._transcripts.keep_only(self._files.list_transcripts())
        return gone

    def _find_joined(
        self,
        checked: set[str],
        waiting: Mapping[str, frozenset[str]],
        processes: Mapping[int, ProcessFact],
        woke_at: float,
    ) -> set[str]:
        """Returns the ids of the sessions whose facts may differ. `checked`: those of which a file changed."""
        files, known = self._files, self._files.paths.keys()
        joined = (known - self.facts.keys()) | (known & checked) | files.list_renamed()
        if files.locate(joined):
            self._transcripts.keep_only(files.list_transcripts())
        if behind := self._transcripts.list_behind():
            joined |= {key for key, path in files.paths.items() if path in behind}
        asked, self._waiting = self._waiting, dict(waiting)
        joined |= {key for key in asked.keys() | waiting.keys() if asked.get(key) != waiting.get(key)}
        serving = self.registries.serving
        if processes is not self._processes or serving is not self._serving:
            pids = _find_differences(processes, self._processes) | _find_differences(serving, self._serving)
            joined |= {key for key, mine in files.pids.items() if not mine.isdisjoint(pids)}
            self._processes, self._serving = processes, serving
        if self._seen.refresh() or self._has_looks:
            self._has_looks = False
            joined |= {key for key, each in self.facts.items() if each.seen_at != self._seen.find(key)}
        if woke_at != self._woke_at:
            self._woke_at = woke_at
            joined |= known
        return joined & known

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
        project = self._projects.find(start or cwd)
        here = project if cwd == (start or cwd) else self._projects.find(cwd)
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
            membership=_find_membership(hooks, transcript),
            figures=self._figures.compute(
                key, hooks, transcript, is_pending=self._transcripts.is_pending(transcript.path if transcript else None)
            ),
            project=project,
            deleted_folder=start if start and start != cwd and not is_folder(start) else "",
            asking=asking,
            branch=here.branch if here.root == project.root else None,
            problem=f"{problem.problem} ({problem.path})" if problem else None,
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
        if files is None or files.is_empty:
            return None
        teams = (agent.team for agent in (transcript.agents if transcript else ()))
        return files.read(name_lists(key, teams))


def _find_differences(one: Mapping[int, object], other: Mapping[int, object]) -> set[int]:
    """Returns the keys whose values differ."""
    return {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}


def _find_membership(hooks: HookState | None, transcript: TranscriptFacts | None) -> Membership | None:
    if transcript is None or not transcript.team or not transcript.agent_name:
        return None
    return read_membership(hooks.config_dir if hooks else "", transcript.team, transcript.agent_name)


def _find_start_folder(hooks: HookState | None, entries: tuple[RegistryEntry, ...]) -> str:
    """Returns the folder in which the client was started; "" when unknown."""
    return (hooks.project_dir if hooks else "") or next((entry.cwd for entry in entries if entry.cwd), "")


def list_project_roots(facts: Facts) -> tuple[str, ...]:
    """Returns the folders that count as a session's project: the repository, and the folder in which it was started."""
    start = _find_start_folder(facts.hooks, facts.registry)
    return tuple(dict.fromkeys(root for root in (facts.project.root, start) if root))
