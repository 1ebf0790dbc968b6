"""The files pane: the files that a session's tools created, edited and read, newest first."""

from rich.cells import cell_len

from atm_tui.model.session import Files, Session
from atm_tui.text import clean, fit_width, wrap_text
from atm_tui.view import present
from atm_tui.view.pane import LABEL, Line, RenderContext
from atm_tui.view.subject import Subject

_KINDS = (("new", "finished"), ("edited", "plain"), ("read", "muted"))
"""Kinds of `Files` with the role of their paths; a file is listed once, under the first kind that applies."""


def count_files(subject: Subject) -> str | None:
    """Counts the files; None for an agent, whose files are listed with its session's."""
    return str(len(_list_files(subject.files)) or "none") if isinstance(subject, Session) else None


def write(subject: Subject, context: RenderContext) -> list[Line]:
    """Writes the lines of the pane."""
    if not isinstance(subject, Session):
        return []
    lines: list[Line] = []
    before = ""
    for path, kind, role in _list_files(subject.files):
        label = fit_width(kind if kind != before else "", LABEL)
        before = kind
        for at, text in enumerate(_fit_path(_shorten_path(path, subject, context), context)):
            lines.append([(label if not at else " " * LABEL, "faint"), (text, role)])
    return lines


def _list_files(files: Files) -> list[tuple[str, str, str]]:
    """Returns path, kind and role of each file, each path once."""
    found: dict[str, tuple[str, str, str]] = {}
    for kind, role in _KINDS:
        for path in reversed(getattr(files, kind)):
            found.setdefault(path, (path, kind, role))
    return list(found.values())


def _shorten_path(path: str, session: Session, context: RenderContext) -> str:
    """Returns the path relative to the session's folder, or with ~ for home."""
    for root in (session.cwd, session.project.root):
        if root and path.startswith(root.rstrip("/") + "/"):
            return clean(path[len(root.rstrip("/")) + 1 :])
    return present.shorten_path(path, context.home)


def _fit_path(path: str, context: RenderContext) -> list[str]:
    """Cuts a path at its start to one line, or wraps it where there is room for all of it."""
    width = context.width - LABEL
    if context.whole or cell_len(path) <= width:
        return wrap_text(path, width, context.limit_lines(1))
    while path and cell_len(path) > width - 1:
        path = path[1:]
    return ["…" + path]
