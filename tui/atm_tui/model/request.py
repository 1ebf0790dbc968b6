"""A request that waits in our hook for a person's answer; possible answers; and what became of an answer. Pure.

A request holds the whole input of the call, as the client gave it to the hook. Its secret stays in its file.
"""

import json
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from atm_tui.model.permission_mode import name_mode

QUESTION = "AskUserQuestion"
"""The tool whose request is answered by options."""
PLAN = "ExitPlanMode"
"""The tool whose request is answered by approving."""

RULES = ("addRules", "replaceRules", "removeRules")
FOLDERS = ("addDirectories", "removeDirectories")
"""Kinds of suggestions about rules, and about folders."""

ALIKE = "it asks the same twice, and an answer would not say which is meant"
"""Why a question can only be refused from here."""

_KEPT = {
    "session": "until this session ends",
    "localSettings": "in this project's .claude/settings.local.json, for you alone",
    "projectSettings": "in this project's .claude/settings.json, for all who work on it",
    "userSettings": "in your own settings.json, for all projects",
    "cliArg": "until this client ends",
}
"""Where the client keeps a change of its permissions, by the name that it gives the place."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One open request, as the hook wrote it down. Whatever the client supplies can be missing."""

    nonce: str
    """32 random hex digits that name this request."""
    session_id: str
    key: str
    """The same as the key of the Wait that it is about."""
    digest: str
    """64 hex digits of the input, as the hook gave them; an answer computes them again from the input."""
    lease: str = ""
    """The id of the lease under which the hook waits."""
    at: float = 0.0
    """When it was asked, epoch seconds."""
    until: float = 0.0
    """When the hook stops waiting, epoch seconds."""
    agent_id: str | None = None
    """The subagent that asks; None is the main thread."""
    agent_type: str = ""
    tool: str = ""
    input: dict[str, Any] = {}
    suggestions: tuple[dict[str, Any], ...] = ()
    """What the client offers to allow from now on; rules are taken from here alone, by their index."""
    cwd: str = ""
    permission_mode: str = ""
    transcript_path: str = ""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of Decision that fit the tool, deny last; the hook takes no other."""
        if self.tool == QUESTION:
            return ("answer", "deny") if has_distinct_answers(self) else ("deny",)
        if self.tool == PLAN:
            return ("approve", "deny")
        return ("allow", "always", "deny") if self.suggestions else ("allow", "deny")


class Decision(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a person decided; as JSON it is the verdict's `decision`."""

    kind: str
    """allow | deny | always | answer | approve"""
    message: str = ""
    """deny: the reason, which the model gets; at most 2,000 characters."""
    suggestions: tuple[int, ...] = ()
    """always: indices into the suggestions of the request."""
    answers: dict[str, str | tuple[str, ...]] = {}
    """answer: by the text of the question a label or free text; several where the question takes several."""


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One answer that a question offers."""

    label: str
    description: str = ""
    preview: str = ""
    """What the client shows beside it: a sketch, a piece of code."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One question of a request; free text is always possible too."""

    text: str
    """Names the question in the answer, so it is kept exactly as the client gave it."""
    header: str = ""
    multi: bool = False
    """Whether several options can be chosen."""
    options: tuple[Option, ...] = ()


class Arming(StrEnum):
    """Whether this app takes answers now. ELSEWHERE: another app took the lease over."""

    OFF = "off"
    ON = "on"
    ELSEWHERE = "armed elsewhere"
    READ_ONLY = "read only"
    NOT_INSTALLED = "not installed"
    RECORDING = "recording"


class Answered(StrEnum):
    """What became of an answer.

    ELSEWHERE: someone else was first. GONE: the hook has ended, and the dialog stays. VOID: the hook, or the check
    before it, did not take the answer, and the dialog stays. REFUSED: no person started this process, and the request
    stays open.
    """

    GIVEN = "given"
    ELSEWHERE = "elsewhere"
    GONE = "gone"
    VOID = "void"
    REFUSED = "refused"


def list_questions(request: Request) -> tuple[Question, ...]:
    """The questions of an AskUserQuestion, in their order; none for another tool."""
    given = request.input.get("questions") if request.tool == QUESTION else None
    found = []
    for each in given if isinstance(given, list) else ():
        if isinstance(each, dict) and isinstance(each.get("question"), str):
            options = each.get("options")
            found.append(
                Question(
                    text=each["question"],
                    header=_read_text(each, "header"),
                    multi=each.get("multiSelect") is True,
                    options=tuple(
                        Option(
                            label=one["label"],
                            description=_read_text(one, "description"),
                            preview=_read_text(one, "preview"),
                        )
                        for one in (options if isinstance(options, list) else ())
                        if isinstance(one, dict) and isinstance(one.get("label"), str)
                    ),
                )
            )
    return tuple(found)


def has_distinct_answers(request: Request) -> bool:
    """Whether an answer names its question and option: the client knows them by text and label, which must differ."""
    asked = list_questions(request)
    alike = (Counter(each.text for each in asked), *(Counter(one.label for one in each.options) for each in asked))
    return all(number == 1 for each in alike for number in each.values())


def describe_suggestion(suggestion: Mapping[str, Any]) -> tuple[str, str]:
    """Describes what a suggestion changes, with the client's rules word for word, and where the client keeps that.

    A kind that is not known stands as the client gave it: nothing of it may be hidden from whoever says yes.
    """
    kind, behavior = _read_text(suggestion, "type"), _read_text(suggestion, "behavior")
    where = _read_text(suggestion, "destination")
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
    if keys == {"mode"} and kind == "setMode" and (mode := _read_text(suggestion, "mode")):
        return f"permission mode {name_mode(mode)}", kept
    return json.dumps(suggestion, ensure_ascii=False), kept


def format_rule(rule: object) -> str:
    """A rule in the client's own spelling, Bash(rm zz); "" for what is no rule."""
    if not isinstance(rule, dict) or not set(rule) <= {"toolName", "ruleContent"} or not _read_text(rule, "toolName"):
        return ""
    content = rule.get("ruleContent")
    if content is None:
        return _read_text(rule, "toolName")
    return f"{rule['toolName']}({content})" if isinstance(content, str) else ""


def _read_text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) else ""
