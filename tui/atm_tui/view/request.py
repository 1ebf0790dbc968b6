"""A request as lines of text with roles: all that must be seen before a person says yes. No textual, nothing of a screen.

Every key of the input is shown: the ones that are known in a form that is read at a glance, the others as they are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import msgspec

from atm_tui.model.permission_mode import name_mode
from atm_tui.model.request import PLAN, QUESTION, Request, describe_suggestion, list_questions
from atm_tui.risk.characters import hidden_characters
from atm_tui.text import clean, format_age, format_count

_COMPARED = 250_000
"""Pairs of lines above which two texts are not compared, but shown as one taken out and one put in."""


class Row(NamedTuple):
    """One line; its text is free of controls and not yet broken to a width."""

    role: str
    """text | code | add | remove | same | question | option | muted | danger"""
    text: str
    label: str = ""
    """What the text is, in a word, where it stands beside a value: "cwd". An option's number."""


class Section(NamedTuple):
    """A part of the request, in the order in which it is read."""

    id: str
    """about | dangers | input | suggestions"""
    title: str
    rows: tuple[Row, ...]


def asked(
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
    """The whole request: about, dangers (when there are any), input, suggestions (when there are any).

    `session` and `agent` are the names of who asks, `dangers` the reasons of model.danger,
    `risks` those of each suggestion, `plan` the text of a plan and
    the file that it lies in; None: none was found, and `last_reply` is shown in its place.
    """
    sections = [about(request, now, session, agent, home)]
    if dangers:
        sections.append(Section("dangers", "Looks dangerous", tuple(Row("danger", clean(each)) for each in dangers)))
    if request.tool == PLAN:
        rows = [*_plan(plan, last_reply, home), *_rest(request.input, {"plan"} if plan else ())]
    else:
        rows = list(_input(request))
    sections.append(Section("input", "Asks", tuple(rows) or (Row("muted", "no input"),)))
    if request.suggestions:
        offered = []
        for number, suggestion in enumerate(request.suggestions, 1):
            what, kept = describe_suggestion(suggestion)
            offered += [Row("option", clean(what), str(number)), Row("muted", clean(kept))]
            offered += [Row("danger", clean(each)) for each in (risks[number - 1] if number <= len(risks) else ())]
        sections.append(Section("suggestions", "Allow from now on", tuple(offered)))
    return tuple(sections)


def about(request: Request, now: float, session: str = "", agent: str = "", home: str = "") -> Section:
    """Its first part: who asks, and what else goes on changing while the rest stays."""
    return Section("about", title(request), tuple(_about(request, now, session, agent, home)))


def title(request: Request) -> str:
    """What kind of yes is asked for, in a few words."""
    if request.tool == QUESTION:
        return format_count(len(list_questions(request)), "question")
    if request.tool == PLAN:
        return "a plan to approve"
    return f"permission for {clean(request.tool) or 'a tool without a name'}"


def number_of(request: Request, requests: Sequence[Request]) -> str:
    """Which of several open `requests` of the session it is: " · 2 of 3"; empty when it is the only one."""
    nonces = [each.nonce for each in requests]
    if len(nonces) < 2 or request.nonce not in nonces:
        return ""
    return f" · {nonces.index(request.nonce) + 1} of {len(nonces)}"


def whole_line(request: Request) -> str | None:
    """The whole input when one line holds it, word for word; None when it takes more, or hides something.

    A yes to this line is a yes to all that is asked.
    """
    given = request.input
    shown = {"Bash": ("command", {"command", "description"}), "Read": ("file_path", {"file_path"})}.get(request.tool)
    if shown is None or not set(given) <= shown[1]:
        return None
    line = given.get(shown[0])
    if not isinstance(line, str) or not line or hidden_characters(line) or clean(line) != line:
        return None
    return line


def _about(request: Request, now: float, session: str, agent: str, home: str) -> Iterator[Row]:
    yield Row("text", clean(session) or request.session_id[:8], "session")
    if request.agent_id:
        kind = f" ({clean(request.agent_type)})" if request.agent_type and request.agent_type != agent else ""
        yield Row("text", (clean(agent) or clean(request.agent_id)) + kind, "subagent")
    if request.cwd:
        yield Row("text", _short(request.cwd, home), "cwd")
    if request.permission_mode:
        yield Row("text", clean(name_mode(request.permission_mode)), "mode")
    waits = f"for {format_age(now - request.at, 600.0)}"
    left = request.until - now
    yield Row("text", f"{waits}, {format_age(left, 600.0)} left to answer here" if left > 0 else waits, "waits")


def _input(request: Request) -> Iterator[Row]:
    given, tool = request.input, request.tool
    if tool == QUESTION and list_questions(request):
        yield from _questions(request)
    elif isinstance(given.get("command"), str) and tool in ("Bash", "PowerShell"):
        yield from _lines("code", given["command"])
        yield from _rest(given, {"command"})
    elif tool in ("Edit", "MultiEdit") and isinstance(given.get("file_path"), str):
        yield Row("text", clean(given["file_path"]), "file")
        yield from _edits(given)
    elif tool in ("Write", "NotebookEdit"):
        body = "content" if tool == "Write" else "new_source"
        path = given.get("file_path" if tool == "Write" else "notebook_path")
        if isinstance(path, str) and isinstance(given.get(body), str):
            yield Row("text", clean(path), "file")
            yield from _rest(given, {"file_path", "notebook_path", body})
            yield from _lines("add", given[body])
        else:
            yield from _rest(given, ())
    else:
        yield from _rest(given, ())


def _questions(request: Request) -> Iterator[Row]:
    for number, question in enumerate(list_questions(request), 1):
        yield Row("question", clean(question.text), clean(question.header) or str(number))
        if question.multi:
            yield Row("muted", "several answers can be chosen")
        for at, option in enumerate(question.options, 1):
            yield Row("option", clean(option.label), str(at))
            yield from _lines("muted", option.description)
            yield from _lines("code", option.preview)
    raw = request.input.get("questions")
    for each in raw if isinstance(raw, list) else ():
        yield from _odd_parts(each)
    yield from _rest(request.input, {"questions"})


def _odd_parts(question: object) -> Iterator[Row]:
    """What of a question or its options is not of the known shape, and would not be seen otherwise."""
    if not isinstance(question, dict) or not isinstance(question.get("question"), str):
        yield from _value(question, "question", 0)
        return
    yield from _rest(question, {"question", "header", "multiSelect", "options"})
    options = question.get("options", [])
    known = {"label", "description", "preview"}
    for each in options if isinstance(options, list) else [options]:
        plain = isinstance(each, dict) and set(each) <= known and all(isinstance(v, str) for v in each.values())
        if not plain or "label" not in each:
            yield from _value(each, "option", 0)


def _edits(given: Mapping[str, Any]) -> Iterator[Row]:
    """The changes of an Edit, or of each edit of a MultiEdit."""
    edits = given.get("edits")
    if isinstance(edits, list) and edits and all(isinstance(each, dict) for each in edits):
        yield from _rest(given, {"file_path", "edits"})
        for number, each in enumerate(edits, 1):
            yield Row("muted", f"change {number} of {len(edits)}")
            yield from _edit(each, ())
    else:
        yield from _edit(given, {"file_path"})


def _edit(given: Mapping[str, Any], shown: Iterable[str]) -> Iterator[Row]:
    old, new = given.get("old_string"), given.get("new_string")
    if isinstance(old, str) and isinstance(new, str):
        yield from _rest(given, {*shown, "old_string", "new_string"})
        yield from diff_rows(old, new)
    else:
        yield from _rest(given, shown)


def diff_rows(old: str, new: str) -> list[Row]:
    """Every line of both texts, as taken out, put in or the same; nothing is left out."""
    before, after = _split(old) if old else [], _split(new) if new else []
    if len(before) * len(after) > _COMPARED:
        return [Row("remove", line) for line in before] + [Row("add", line) for line in after]
    rows = []
    raw_before, raw_after = old.split("\n") if old else [], new.split("\n") if new else []
    for kind, a, b, c, d in SequenceMatcher(None, raw_before, raw_after, autojunk=False).get_opcodes():
        if kind == "equal":
            rows += [Row("same", line) for line in before[a:b]]
        else:
            rows += [Row("remove", line) for line in before[a:b]] + [Row("add", line) for line in after[c:d]]
    return rows


def _plan(plan: tuple[str, str] | None, last_reply: str, home: str) -> Iterator[Row]:
    if plan is None:
        yield Row("muted", "no plan file was found")
        if last_reply:
            yield Row("muted", "the last reply:")
            yield from _lines("text", last_reply)
        return
    text, path = plan
    if path:
        yield Row("muted", _short(path, home), "file")
    yield from _lines("text", text)


def _rest(given: Mapping[str, Any], shown: Iterable[str]) -> Iterator[Row]:
    """All keys but those that are shown already."""
    left = set(shown)
    for key, value in given.items():
        if key not in left:
            yield from _value(value, clean(str(key)), 0)


def _value(value: object, label: str, depth: int) -> Iterator[Row]:
    """A value of any shape; what a list or an object holds stands below it, indented."""
    pad = "  " * depth
    if isinstance(value, Mapping) and value:
        yield Row("text", pad, label)
        for key, each in value.items():
            yield from _value(each, f"{pad}  {clean(str(key))}", depth + 1)
    elif isinstance(value, list) and value:
        yield Row("text", pad, label)
        for each in value:
            yield from _value(each, f"{pad}  -", depth + 1)
    elif isinstance(value, str):
        lines = _split(value)
        yield Row("text", lines[0], label)
        yield from (Row("text", line) for line in lines[1:])
    else:
        yield Row("text", clean(msgspec.json.encode(value).decode()), label)


def _lines(role: str, text: str) -> list[Row]:
    return [Row(role, line) for line in _split(text)] if text else []


def _split(text: str) -> list[str]:
    return [clean(line, lines=True).expandtabs(4) for line in text.split("\n")]


def _short(path: str, home: str) -> str:
    inside = home and (path == home or path.startswith(home.rstrip("/") + "/"))
    return clean("~" + path[len(home.rstrip("/")) :] if inside else path)
