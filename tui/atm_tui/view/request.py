"""Writes a request as rows with roles: all that must be seen before a person says yes.

Every key of the input is shown: known ones in a readable form, the others as they are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from atm_tui.model.host import shorten_id
from atm_tui.model.permission_mode import name_mode
from atm_tui.model.request import PLAN, QUESTION, Request, describe_suggestion, list_questions
from atm_tui.risk.characters import find_hidden_characters
from atm_tui.text import FINE_UNTIL, clean, format_age, format_count
from atm_tui.view.request_limit import RequestLimit, Row, count_lines


class Section(NamedTuple):
    """One part of the request; parts come in the order in which they are read."""

    id: str
    """about | dangers | input | suggestions"""
    title: str
    rows: tuple[Row, ...]
    is_whole: bool = True
    """False: the request is too long, and part of it is missing here."""


def find_wait(
    request: Request,
    *,
    now: float,
    session: str = "",
    agent: str = "",
    home: str = "",
    dangers: Sequence[str] = (),
    risks: Sequence[Sequence[str]] = (),
    plan: tuple[str, str] | None = None,
    last_reply: str = "",
) -> tuple[Section, ...]:
    """Returns the request in sections: about, dangers (if any), input, suggestions (if any).

    All of it, unless it exceeds RequestLimit; then it can't be allowed from here.

    `session`, `agent`: the names of who asks. `dangers`: the reasons to ask twice; `risks`: those of each suggestion.
    `plan`: the text of a plan and its file; None when no file was found: then `last_reply` is shown instead.
    """
    sections = [describe_asker(request, now, session, agent, home)]
    if dangers:
        sections.append(Section("dangers", "Looks dangerous", tuple(Row("danger", clean(each)) for each in dangers)))
    limit = RequestLimit()
    sections.append(_make_input_section(request, limit, home, plan, last_reply))
    if request.suggestions:
        rows = limit.take_rows(_list_suggestion_rows(request, risks))
        sections.append(Section("suggestions", "Allow from now on", rows, not limit.is_exceeded))
    return tuple(sections)


def is_shown_whole(sections: Iterable[Section]) -> bool:
    """Returns whether sections hold all of a request: only a request that is shown whole can be allowed."""
    return all(each.is_whole for each in sections)


def _make_input_section(
    request: Request, limit: RequestLimit, home: str, plan: tuple[str, str] | None, last_reply: str
) -> Section:
    if request.tool == PLAN:
        made: Iterator[Row] = chain(
            _write_plan(plan, last_reply, home), _list_other_keys(request.input, {"plan"} if plan else ())
        )
    else:
        made = _write_input(request, limit)
    rows = limit.take_rows(made) or (Row("muted", "no input"),)
    if limit.is_exceeded:
        texts = [request.input, plan or last_reply] if request.tool == PLAN else request.input
        rows += (Row("danger", _describe_left_out(texts, rows)),)
    return Section("input", "Asks", rows, not limit.is_exceeded)


def _describe_left_out(texts: object, rows: Sequence[Row]) -> str:
    """Returns how much of the request's text is missing from its rows."""
    lines, characters = count_lines(texts)
    left = lines - sum(2 if row.role == "same" else 1 for row in rows)
    what = f"about {left:,} of its {lines:,} lines are" if left > 0 else "the end of its last line is"
    return f"not shown whole: {what} left out ({characters / 1e6:.2f} MB). It can be allowed in its pane."


def _list_suggestion_rows(request: Request, risks: Sequence[Sequence[str]]) -> Iterator[Row]:
    for number, suggestion in enumerate(request.suggestions, 1):
        what, kept = describe_suggestion(suggestion)
        yield Row("option", clean(what), str(number))
        yield Row("muted", clean(kept))
        yield from (Row("danger", clean(each)) for each in (risks[number - 1] if number <= len(risks) else ()))


def describe_asker(request: Request, now: float, session: str = "", agent: str = "", home: str = "") -> Section:
    """Returns the first section: who asks, and all else that changes while the rest stays the same."""
    return Section("about", write_title(request), tuple(_write_about(request, now, session, agent, home)))


def write_title(request: Request) -> str:
    """Returns what kind of approval is asked for, in a few words."""
    if request.tool == QUESTION:
        return format_count(len(list_questions(request)), "question")
    if request.tool == PLAN:
        return "a plan to approve"
    return f"permission for {clean(request.tool) or 'a tool without a name'}"


def find_number(request: Request, requests: Sequence[Request]) -> str:
    """Returns the position of a request among the open `requests` of its session: " · 2 of 3"; empty when it is the only one."""
    nonces = [each.nonce for each in requests]
    if len(nonces) < 2 or request.nonce not in nonces:
        return ""
    return f" · {nonces.index(request.nonce) + 1} of {len(nonces)}"


def write_whole_line(request: Request) -> str | None:
    """Returns the whole input when it fits on one line word for word; None when it takes more, or hides something.

    Allowing this line allows exactly what is asked.
    """
    given = request.input
    shown = {"Bash": ("command", {"command", "description"}), "Read": ("file_path", {"file_path"})}.get(request.tool)
    if shown is None or not set(given) <= shown[1]:
        return None
    line = given.get(shown[0])
    if not isinstance(line, str) or not line or find_hidden_characters(line) or clean(line) != line:
        return None
    return line


def _write_about(request: Request, now: float, session: str, agent: str, home: str) -> Iterator[Row]:
    if request.machine:
        yield Row("text", clean(request.machine), "machine")
    yield Row("text", clean(session) or shorten_id(request.session_id), "session")
    if request.agent_id:
        kind = f" ({clean(request.agent_type)})" if request.agent_type and request.agent_type != agent else ""
        yield Row("text", (clean(agent) or clean(request.agent_id)) + kind, "subagent")
    if request.cwd:
        yield Row("text", _shorten(request.cwd, home), "cwd")
    if request.permission_mode:
        yield Row("text", clean(name_mode(request.permission_mode)), "mode")
    waits = f"for {format_age(now - request.at, FINE_UNTIL)}"
    left = request.until - now
    yield Row("text", f"{waits}, {format_age(left, FINE_UNTIL)} left to answer here" if left > 0 else waits, "waits")


def _write_input(request: Request, limit: RequestLimit) -> Iterator[Row]:
    given, tool = request.input, request.tool
    if tool == QUESTION and list_questions(request):
        yield from _write_questions(request)
    elif isinstance(given.get("command"), str) and tool in ("Bash", "PowerShell"):
        yield from _split_lines("code", given["command"])
        yield from _list_other_keys(given, {"command"})
    elif tool in ("Edit", "MultiEdit") and isinstance(given.get("file_path"), str):
        yield Row("text", clean(given["file_path"]), "file")
        yield from _write_edits(given, limit)
    elif tool in ("Write", "NotebookEdit"):
        body = "content" if tool == "Write" else "new_source"
        path = given.get("file_path" if tool == "Write" else "notebook_path")
        if isinstance(path, str) and isinstance(given.get(body), str):
            yield Row("text", clean(path), "file")
            yield from _list_other_keys(given, {"file_path", "notebook_path", body})
            yield from _split_lines("add", given[body])
        else:
            yield from _list_other_keys(given, ())
    else:
        yield from _list_other_keys(given, ())


def _write_questions(request: Request) -> Iterator[Row]:
    for number, question in enumerate(list_questions(request), 1):
        yield Row("question", clean(question.text), clean(question.header) or str(number))
        if question.multi:
            yield Row("muted", "several answers can be chosen")
        for at, option in enumerate(question.options, 1):
            yield Row("option", clean(option.label), str(at))
            yield from _split_lines("muted", option.description)
            yield from _split_lines("code", option.preview)
    raw = request.input.get("questions")
    for each in raw if isinstance(raw, list) else ():
        yield from _list_odd_parts(each)
    yield from _list_other_keys(request.input, {"questions"})


def _list_odd_parts(question: object) -> Iterator[Row]:
    """Lists the parts of a question or its options of unknown shape, which would not be seen otherwise."""
    if not isinstance(question, dict) or not isinstance(question.get("question"), str):
        yield from _write_value(question, "question", 0)
        return
    yield from _list_other_keys(question, {"question", "header", "multiSelect", "options"})
    options = question.get("options", [])
    known = {"label", "description", "preview"}
    for each in options if isinstance(options, list) else [options]:
        plain = isinstance(each, dict) and set(each) <= known and all(isinstance(v, str) for v in each.values())
        if not plain or "label" not in each:
            yield from _write_value(each, "option", 0)


def _write_edits(given: Mapping[str, Any], limit: RequestLimit) -> Iterator[Row]:
    """Writes the changes of an Edit, or of each edit of a MultiEdit."""
    edits = given.get("edits")
    if isinstance(edits, list) and edits and all(isinstance(each, dict) for each in edits):
        yield from _list_other_keys(given, {"file_path", "edits"})
        for number, each in enumerate(edits, 1):
            yield Row("muted", f"change {number} of {len(edits)}")
            yield from _write_edit(each, (), limit)
    else:
        yield from _write_edit(given, {"file_path"}, limit)


def _write_edit(given: Mapping[str, Any], shown: Iterable[str], limit: RequestLimit) -> Iterator[Row]:
    old, new = given.get("old_string"), given.get("new_string")
    if isinstance(old, str) and isinstance(new, str):
        yield from _list_other_keys(given, {*shown, "old_string", "new_string"})
        yield from write_diff_rows(old, new, limit)
    else:
        yield from _list_other_keys(given, shown)


def write_diff_rows(old: str, new: str, limit: RequestLimit) -> Iterator[Row]:
    """Yields all lines of both texts as removed, added or unchanged; all as removed and added if comparing takes too long."""
    before, after = old.split("\n") if old else [], new.split("\n") if new else []
    steps = limit.compare_lines(before, after) or [("replace", 0, len(before), 0, len(after))]
    for kind, a, b, c, d in steps:
        if kind == "equal":
            yield from (Row("same", _clean_line(line)) for line in before[a:b])
        else:
            yield from (Row("remove", _clean_line(line)) for line in before[a:b])
            yield from (Row("add", _clean_line(line)) for line in after[c:d])


def _write_plan(plan: tuple[str, str] | None, last_reply: str, home: str) -> Iterator[Row]:
    if plan is None:
        yield Row("muted", "no plan file was found")
        if last_reply:
            yield Row("muted", "the last reply:")
            yield from _split_lines("text", last_reply)
        return
    text, path = plan
    if path:
        yield Row("muted", _shorten(path, home), "file")
    yield from _split_lines("text", text)


def _list_other_keys(given: Mapping[str, Any], shown: Iterable[str]) -> Iterator[Row]:
    """Writes all keys but those that are shown already."""
    left = set(shown)
    for key, value in given.items():
        if key not in left:
            yield from _write_value(value, clean(str(key)), 0)


def _write_value(value: object, label: str, depth: int) -> Iterator[Row]:
    """Writes a value of any shape; the items of a list or object are below it, indented."""
    pad = "  " * depth
    if isinstance(value, Mapping) and value:
        yield Row("text", pad, label)
        for key, each in value.items():
            yield from _write_value(each, f"{pad}  {clean(str(key))}", depth + 1)
    elif isinstance(value, list) and value:
        yield Row("text", pad, label)
        for each in value:
            yield from _write_value(each, f"{pad}  -", depth + 1)
    elif isinstance(value, str):
        for number, line in enumerate(value.split("\n")):
            yield Row("text", _clean_line(line), "" if number else label)
    else:
        yield Row("text", clean(msgspec.json.encode(value).decode()), label)


def _split_lines(role: str, text: str) -> Iterator[Row]:
    return (Row(role, _clean_line(line)) for line in (text.split("\n") if text else ()))


def _clean_line(line: str) -> str:
    return clean(line, lines=True).expandtabs(4)


def _shorten(path: str, home: str) -> str:
    inside = home and (path == home or path.startswith(home.rstrip("/") + "/"))
    return clean("~" + path[len(home.rstrip("/")) :] if inside else path)
