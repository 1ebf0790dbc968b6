"""The files pane: which files the tools of a session made, edited and read, newest first."""

from rich.cells import cell_len

from atm_tui.model.session import Files, Session
from atm_tui.view import present
from atm_tui.view.pane import LABEL, Line, RenderContext
from atm_tui.view.present import clean, fit, wrap
from atm_tui.view.subject import Subject

_KINDS = (("new", "finished"), ("edited", "plain"), ("read", "muted"))
"""As `Files` names them, and the role of their paths: a file stands under the first that it is in."""


def count_files(subject: Subject) -> str | None:
    """How many files; None where files are not kept apart: an agent's are among its session's."""
    return str(len(_list_files(subject.files)) or "none") if isinstance(subject, Session) else None


def write(subject: Subject, context: RenderContext) -> list[Line]:
    """The lines of the pane."""
    if not isinstance(subject, Session):
        return []
    lines: list[Line] = []
    before = ""
    for path, kind, role in _list_files(subject.files):
        label = fit(kind if kind != before else "", LABEL)
        before = kind
        for at, text in enumerate(_fit_path(_shorten_path(path, subject, context), context)):
            lines.append([(label if not at else " " * LABEL, "faint"), (text, role)])
    return lines


def _list_files(files: Files) -> list[tuple[str, str, str]]:
    """Path, kind, role: each path once."""
    found: dict[str, tuple[str, str, str]] = {}
    for kind, role in _KINDS:
        for path in reversed(getattr(files, kind)):
            found.setdefault(path, (path, kind, role))
    return list(found.values())


def _shorten_path(path: str, session: Session, context: RenderContext) -> str:
    """From the folder that the session works in, or from home."""
    for root in (session.cwd, session.project.root):
        if root and path.startswith(root.rstrip("/") + "/"):
            return clean(path[len(root.rstrip("/")) + 1 :])
    return present.path(path, context.home)


def _fit_path(path: str, context: RenderContext) -> list[str]:
    """One line with the end of the path, which tells more than its start; the whole of it where there is room."""
    width = context.width - LABEL
    if context.whole or cell_len(path) <= width:
        return wrap(path, width, context.limit_lines(1))
    while path and cell_len(path) > width - 1:
        path = path[1:]
    return ["…" + path]
