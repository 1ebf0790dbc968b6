"""A request that waits in our hook for the user's answer; its possible answers; and the outcome of an answer. Pure.

A request holds the whole input of the call, as the client gave it to the hook, but not its secret.
"""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from atm_tui.model.checked import read_text
from atm_tui.model.permission_mode import name_mode

QUESTION = "AskUserQuestion"
"""The tool whose requests are answered by choosing options."""
PLAN = "ExitPlanMode"
"""The tool whose requests are answered by approving."""

RULES = ("addRules", "replaceRules", "removeRules")
FOLDERS = ("addDirectories", "removeDirectories")
"""Kinds of suggestions about rules, and about folders."""

ALIKE = "it asks the same twice, and an answer would not say which is meant"
"""The reason why a question can only be refused from here."""

_KEPT = {
    "session": "until this session ends",
    "localSettings": "in this project's .claude/settings.local.json, for you alone",
    "projectSettings": "in this project's .claude/settings.json, for all who work on it",
    "userSettings": "in your own settings.json, for all projects",
    "cliArg": "until this client ends",
}
"""Where the client stores a change of its permissions, by the client's name for the place."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One open request, as the hook wrote it. Fields that the client supplies can be missing."""

    nonce: str
    """32 random hex digits that identify this request; one of another machine has its name and a colon before them."""
    session_id: str
    key: str
    """The key of its Wait."""
    digest: str
    """64 hex digits computed from the input by the hook; an answer computes them again, from what was shown."""
    lease: str = ""
    """The id of the lease under which the hook waits."""
    at: float = 0.0
    """When it was asked, epoch seconds."""
    until: float = 0.0
    """When its hook stops waiting, epoch seconds."""
    agent_id: str | None = None
    """The subagent that asks; None: the main thread."""
    agent_type: str = ""
    tool: str = ""
    input: dict[str, Any] = {}
    suggestions: tuple[dict[str, Any], ...] = ()
    """What the client offers to allow from now on. An answer refers to these by their index, and can't add others."""
    cwd: str = ""
    permission_mode: str = ""
    transcript_path: str = ""

    @property
    def machine(self) -> str:
        """The other machine on which it is asked; empty: this one."""
        return self.nonce.partition(":")[0] if ":" in self.nonce else ""

    @property
    def own_nonce(self) -> str:
        """The nonce that it has on its machine."""
        return self.nonce.rpartition(":")[2]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of Decision that fit the tool, deny last; the hook refuses others."""
        if self.tool == QUESTION:
            return ("answer", "deny") if has_distinct_answers(self) else ("deny",)
        if self.tool == PLAN:
            return ("approve", "deny")
        return ("allow", "always", "deny") if self.suggestions else ("allow", "deny")


class Decision(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a person decided. Its JSON is the `decision` of the verdict."""

    kind: str
    """allow | deny | always | answer | approve"""
    message: str = ""
    """deny: the reason, which the model gets; at most 2,000 characters."""
    suggestions: tuple[int, ...] = ()
    """always: indices into the suggestions of the request."""
    answers: dict[str, str | tuple[str, ...]] = {}
    """answer: a label or free text by the text of the question; a list where the question takes several."""


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """An option of a question."""

    label: str
    description: str = ""
    preview: str = ""
    """What the client shows beside it, such as a sketch or a piece of code."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question of a request; free text is always possible too."""

    text: str
    """Identifies the question in the answer, so it is kept exactly as the client gave it."""
    header: str = ""
    multi: bool = False
    """Whether several options can be chosen."""
    options: tuple[Option, ...] = ()


class Arming(StrEnum):
    """Whether this app accepts answers now, here or on another machine. ELSEWHERE: another app has taken the lease.

    NOT_ALLOWED: that machine takes no answers from others.
    """

    OFF = "off"
    ON = "on"
    ELSEWHERE = "armed elsewhere"
    READ_ONLY = "read only"
    NOT_INSTALLED = "not installed"
    RECORDING = "recording"
    NOT_ALLOWED = "not allowed"


class AnswerOutcome(StrEnum):
    """The outcome of an answer.

    ELSEWHERE: someone else was first. GONE: the hook has ended; the dialog stays open. VOID: the hook, or the check
    before it, refused the answer; the dialog stays open. REFUSED: this process was not started by a person; the request
    stays open. REFUSED_THERE: the same of the process on its machine. NOT_SENT: there is no link to its machine. UNKNOWN: the link
    broke before the outcome came.
    """

    GIVEN = "given"
    ELSEWHERE = "elsewhere"
    GONE = "gone"
    VOID = "void"
    REFUSED = "refused"
    REFUSED_THERE = "refused there"
    NOT_SENT = "not sent"
    UNKNOWN = "unknown"


def list_questions(request: Request) -> tuple[Question, ...]:
    """Returns the questions of an AskUserQuestion, in their order; none for another tool."""
    given = request.input.get("questions") if request.tool == QUESTION else None
    found = []
    for each in given if isinstance(given, list) else ():
        if isinstance(each, dict) and isinstance(each.get("question"), str):
            options = each.get("options")
            found.append(
                Question(
                    text=each["question"],
                    header=read_text(each.get("header")),
                    multi=each.get("multiSelect") is True,
                    options=tuple(
                        Option(
                            label=one["label"],
                            description=read_text(one.get("description")),
                            preview=read_text(one.get("preview")),
                        )
                        for one in (options if isinstance(options, list) else ())
                        if isinstance(one, dict) and isinstance(one.get("label"), str)
                    ),
                )
            )
    return tuple(found)


def has_distinct_answers(request: Request) -> bool:
    """Whether an answer is unambiguous: the client tells questions and options apart by text and label only."""
    asked = list_questions(request)
    alike = (Counter(each.text for each in asked), *(Counter(one.label for one in each.options) for each in asked))
    return all(number == 1 for each in alike for number in each.values())


def describe_suggestion(suggestion: Mapping[str, Any]) -> tuple[str, str]:
    """Describes what a suggestion changes, with the client's rules word for word, and where the client stores it.

    An unknown kind is shown as the client gave it: nothing may be hidden from the person who says yes.
    """
    kind, behavior = read_text(suggestion.get("type")), read_text(suggestion.get("behavior"))
    where = read_text(suggestion.get("destination"))
    kept = _KEPT.get(where, f"in {where}" if where else "where the client decides")
    rules, folders = suggestion.get("rules"), suggestion.get("directories")
    keys = set(suggestion) - {"type"} - ({"destination"} if where else set())
    if keys == {"behavior", "rules"} and kind in RULES and isinstance(rules, list) and rules:
        verb = {"addRules": behavior, "replaceRules": f"{behavior} nothing but", "removeRules": f"no longer {behavior}"}
        words = [format_rule(rule) for rule in rules]
        if behavior and all(words):
            return f"{verb[kind]} {', '.join(words)}", kept
    if keys == {"directories"} and kind in FOLDERS and isinstance(folders, list) and folders:
        verb_of = {"addDirectories": "work in", "removeDirectories": "no longer work in"}
        if all(isinstance(folder, str) for folder in folders):
            return f"{verb_of[kind]} {', '.join(folders)}", kept
    if keys == {"mode"} and kind == "setMode" and (mode := read_text(suggestion.get("mode"))):
        return f"permission mode {name_mode(mode)}", kept
    import json  # noqa: PLC0415

    return json.dumps(suggestion, ensure_ascii=False), kept


def format_rule(rule: object) -> str:
    """Returns a rule in the client's spelling, as Bash(rm zz); "" for anything that is no rule."""
    if (
        not isinstance(rule, dict)
        or not set(rule) <= {"toolName", "ruleContent"}
        or not read_text(rule.get("toolName"))
    ):
        return ""
    content = rule.get("ruleContent")
    if content is None:
        return read_text(rule.get("toolName"))
    return f"{rule['toolName']}({content})" if isinstance(content, str) else ""
