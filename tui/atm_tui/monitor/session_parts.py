"""Lists from which files and processes the status of each session was found, so that a result can be kept for each."""

from collections.abc import Iterable, Mapping, Sequence

from atm_tui.monitor.reading import FactReader
from atm_tui.monitor.resolved import ResolvedSessions
from atm_tui.sources.kept_parts import Part, SharedSources
from atm_tui.sources.kept_result import Sources


def list_parts(
    reader: FactReader, resolved: ResolvedSessions, texts: Mapping[str, Sequence[str]]
) -> dict[str, Part] | None:
    """Returns a part for each session that was read; None when a file can't be read.

    `texts`: by session id what is to be kept of it; nothing of the others. Projects are not among the sources.
    """
    states = reader.states
    if states.unreadable or states.error or reader.problems:
        return None
    registered = _sort_registry(reader)
    return {
        key: _make_part(reader, key, texts.get(key, ()), registered, resolved.find_recheck(key)) for key in reader.facts
    }


def list_shared(reader: FactReader, others: Iterable[str], until: float | None) -> SharedSources:
    """Returns what the sessions have in common. `others`: further files; `until`: as in Sources."""
    states, registries, keys = reader.states, reader.registries, reader.facts.keys()
    names, listing = registries.list_names(), states.listing
    paths = [*reader.list_shared_paths(), *others]
    if states.closed:  # their files are not among the sources of any session; the folder changes when one is replaced
        paths.append(str(listing.folder))
    else:
        names[str(listing.folder)] = listing.names
    paths += [path for path, entry in registries.list_files().items() if entry is None or entry.session_id not in keys]
    pids = reader.processes.pids.difference(*map(reader.list_pids, keys))
    return SharedSources(Sources(paths, _find_starts(reader, pids), until), names)


def _sort_registry(reader: FactReader) -> dict[str | int, list[str]]:
    """Returns the registry files by session id and by pid: which session a process serves now matters to all that it served."""
    found: dict[str | int, list[str]] = {}
    for path, entry in reader.registries.list_files().items():
        if entry is not None:
            found.setdefault(entry.session_id, []).append(path)
            found.setdefault(entry.pid, []).append(path)
    return found


def _make_part(
    reader: FactReader,
    key: str,
    texts: Sequence[str],
    registered: Mapping[str | int, Sequence[str]],
    recheck_at: float | None,
) -> Part:
    pids = sorted(reader.list_pids(key))
    state = reader.states.states.get(key)
    wanted: list[str | int] = [key, *pids]
    files = dict.fromkeys(path for each in wanted for path in registered.get(each, ()))
    if state is not None:
        files[reader.states.locate(key)] = None
    entries = reader.registries.entries.get(key, ())
    identity = [
        state.config_dir if state is not None else "",
        *map(str, pids),
        *(f"{entry.pid} {entry.pid_domain} {entry.config_dir}" for entry in entries),
    ]
    paths = reader.list_transcript_paths(key)
    return Part(texts, list(files), identity, Sources(paths, _find_starts(reader, pids), recheck_at))


def _find_starts(reader: FactReader, pids: Iterable[int]) -> dict[int, str]:
    """Returns the starts of those processes that were looked up."""
    running, looked_up = reader.processes.running, reader.processes.pids
    return {pid: (running[pid].start or "") if pid in running else "" for pid in pids if pid in looked_up}
