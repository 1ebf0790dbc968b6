"""Projects with equal names are distinguished by the shortest end of their path that differs."""

import pytest

from atm_tui.model.project_names import find_distinct_names, name_projects_apart
from atm_tui.model.session import Project, Session


@pytest.mark.parametrize(
    ("projects", "expected"),
    [
        ({"/w/acme/api": "api", "/w/beta/web": "web"}, {}),
        ({"/w/acme/api": "api", "/w/beta/api": "api"}, {"/w/acme/api": "acme/api", "/w/beta/api": "beta/api"}),
        (
            {"/a/x/api": "api", "/b/x/api": "api", "/c/y/api": "api"},
            {"/a/x/api": "a/x/api", "/b/x/api": "b/x/api", "/c/y/api": "y/api"},
        ),
        ({"/api": "api", "/w/api": "api"}, {"/api": "/api", "/w/api": "w/api"}),
        ({"/w/a/tool.git": "tool", "/w/b/tool": "tool"}, {"/w/a/tool.git": "a/tool", "/w/b/tool": "b/tool"}),
    ],
)
def test_names(projects: dict[str, str], expected: dict[str, str]) -> None:
    assert find_distinct_names(projects) == expected


def test_sessions_get_the_longer_name_only_where_names_collide() -> None:
    sessions = [
        Session(session_id=name, project=Project(root=f"/w/{name}", name=name.split("/")[-1]))
        for name in ("acme/api", "beta/api", "web")
    ]
    named = name_projects_apart(sessions)
    assert [each.project.name for each in named] == ["acme/api", "beta/api", "web"]
    assert named[2] is sessions[2]
    assert name_projects_apart(named) == named
