"""Names of projects: where two have the same one, as much of the path as tells them apart. Pure."""

from collections.abc import Iterable, Mapping
from pathlib import PurePath

import msgspec

from atm_tui.model.session import Session


def find_distinct_names(projects: Mapping[str, str]) -> dict[str, str]:
    """Returns the names of projects whose own name another one has too, by root: the shortest end of the path that differs.

    `projects`: names by root. Projects whose name is their own are not in the result.
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
    names = find_distinct_names({_find_root(each): each.project.name for each in sessions if each.project.name})
    return [
        msgspec.structs.replace(each, project=msgspec.structs.replace(each.project, name=names[root]))
        if each.project.name and (root := _find_root(each)) in names
        else each
        for each in sessions
    ]


def _find_own_name(name: str) -> str:
    """The name of a project without the path by which it was told apart before."""
    return PurePath(name).name or name


def _find_root(session: Session) -> str:
    return session.project.root or session.cwd
