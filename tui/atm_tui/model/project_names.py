"""Names projects: for equal names, adds as much of the path as distinguishes them. Pure."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePath

import msgspec

from atm_tui.model.session import Session


def find_distinct_names(projects: Mapping[str, str]) -> dict[str, str]:
    """Returns the longer names of projects with equal names, by root: the shortest end of the path that differs.

    `projects`: names by root. Projects with unique names are not in the result.
    """
    alike: dict[str, list[str]] = {}
    for root, name in projects.items():
        alike.setdefault(_find_own_name(name), []).append(root)
    found: dict[str, str] = {}
    for roots in alike.values():
        if len(roots) > 1:
            found |= {root: _find_shortest_end(_find_own_name(projects[root]), root, roots) for root in roots}
    return found


def _find_shortest_end(name: str, root: str, roots: Iterable[str]) -> str:
    parents = PurePath(root).parts[:-1]
    others = [PurePath(other).parts[:-1] for other in roots if other != root]
    for length in range(1, len(parents) + 1):
        if all(other[-length:] != parents[-length:] for other in others):
            return str(PurePath(*parents[-length:], name))
    return str(PurePath(*parents, PurePath(root).name))


def name_projects_apart(sessions: Iterable[Session]) -> list[Session]:
    """Returns the sessions; those of projects with equal names have a longer name of their project."""
    sessions = list(sessions)
    names = find_distinct_names({each.root: each.project.name for each in sessions if each.project.name})
    return [_rename_project(each, names) for each in sessions]


class ProjectNames:
    """Names projects apart as `name_projects_apart` does, but looks only at sessions that changed."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        """The sessions by id, as of the last `update`."""
        self._projects: dict[str, tuple[str, str]] = {}
        """Root and name of the project of each session."""
        self._names: dict[str, str] = {}

    def update(self, sessions: Mapping[str, Session], changed: Collection[str]) -> set[str]:
        """Brings the sessions up to date; returns the ids of those that differ, came or went.

        `changed`: ids of the sessions that differ since the last call, came or went.
        """
        differing, has_moved = set(changed), False
        for key in changed:
            session = sessions.get(key)
            project = (session.root, session.project.name) if session is not None else None
            has_moved |= project != self._projects.get(key)
            if project is not None:
                self._projects[key] = project
            else:
                self._projects.pop(key, None)
                self.sessions.pop(key, None)
        if has_moved:
            before, self._names = (
                self._names,
                find_distinct_names({root: name for root, name in self._projects.values() if name}),
            )
            renamed = {root for root in before.keys() | self._names.keys() if before.get(root) != self._names.get(root)}
            differing |= {key for key, (root, _) in self._projects.items() if root in renamed} if renamed else set()
        for key in differing & sessions.keys():
            self.sessions[key] = _rename_project(sessions[key], self._names)
        return differing


def _rename_project(session: Session, names: Mapping[str, str]) -> Session:
    """Returns a session with the longer name of its project, if there is one."""
    if not session.project.name or (name := names.get(session.root)) is None:
        return session
    return msgspec.structs.replace(session, project=msgspec.structs.replace(session.project, name=name))


def _find_own_name(name: str) -> str:
    """Returns the name of a project without the path that distinguished it before."""
    return PurePath(name).name or name
