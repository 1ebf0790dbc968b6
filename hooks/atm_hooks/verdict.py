"""Requests and verdicts as values: the digest of an input, the seal of a verdict, and whether a verdict counts. Pure.

All that a hook prints for the client is made here; it refers to what the client itself has asked and offered.
"""

import posix
from _blake2 import blake2b

from atm_hooks.codec import Object, decode, encode_readable, encode_sorted

VERSION = 1
SIDES = ("app", "shell", "stream")
"""Where a person can answer; stream: on another machine."""
LONGEST = 3600
"""Longest time in seconds that a hook waits, even if the lease allows more."""
MESSAGE = 2000
"""Largest length of a reason, or of an answer in the user's own words."""
DEPTH = 50
"""Largest nesting depth of an input or a suggestion; deeper ones can't be shown and are refused."""
QUESTION, PLAN = "AskUserQuestion", "ExitPlanMode"
KINDS = {
    "allow": frozenset(("kind",)),
    "deny": frozenset(("kind", "message")),
    "always": frozenset(("kind", "suggestions")),
    "answer": frozenset(("kind", "answers")),
    "approve": frozenset(("kind",)),
}
"""The kinds of decisions, and the keys of each."""
_VERDICT = frozenset(
    ("version", "nonce", "session_id", "agent_id", "tool", "digest", "request", "by", "at", "decision", "seal")
)
_HEX = frozenset("0123456789abcdef")


class VoidError(Exception):
    """A verdict, decision or request does not count; the message gives the reason in a few words."""


def is_id(value: object, digits: int = 32) -> bool:
    """Whether a value consists of that many hex digits: 32 for a nonce or lease id, 64 for a secret, digest or seal."""
    return isinstance(value, str) and len(value) == digits and _HEX.issuperset(value)


def make_id(digits: int = 32) -> str:
    """Returns that many random hex digits."""
    return posix.urandom(digits // 2).hex()


def digest_input(tool_input: object) -> str:
    """Returns 64 hex digits, equal for inputs that are equal but for the order of keys. Raises VoidError if it is no JSON."""
    return blake2b(_encode_canonical(tool_input), digest_size=32).hexdigest()


def seal_verdict(secret: str, verdict: Object) -> str:
    """Returns 64 hex digits that nobody can make for this verdict without the request's secret. Raises VoidError."""
    rest = {key: value for key, value in verdict.items() if key != "seal"}
    return blake2b(_encode_canonical(rest), key=bytes.fromhex(secret), digest_size=32).hexdigest()


def _encode_canonical(value: object) -> bytes:
    try:
        return encode_sorted(value).encode("ascii")
    except (ValueError, TypeError, RecursionError):
        raise VoidError("it is no plain JSON") from None


def is_too_deep(value: object) -> bool:
    """Whether lists and objects in a value are nested deeper than DEPTH."""
    level = [value]
    for _ in range(DEPTH):
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return any(isinstance(each, (dict, list)) for each in level)


def make_request(payload: Object, event: Object, lease: Object, at: float) -> Object:
    """Makes the request for what the client asks. `payload`: as it came; `event`: as payload.py made it.

    Raises VoidError when it has no tool or no input that could be shown and named.
    """
    given, suggestions = payload.get("tool_input"), payload.get("permission_suggestions")
    tool = event.get("tool")
    if not isinstance(given, dict) or not tool or tool != payload.get("tool_name"):
        raise VoidError("no tool with an input")
    if is_too_deep(given) or is_too_deep(suggestions):
        raise VoidError("nested too deep to be shown")
    return {
        "version": VERSION,
        "nonce": make_id(),
        "secret": make_id(64),
        "lease": lease["id"],
        "at": at,
        "until": at + min(lease["wait"], LONGEST),
        "session_id": event["session_id"],
        "agent_id": event.get("agent_id"),
        "agent_type": event.get("agent_type", ""),
        "key": f"{event.get('agent_id', '')}|{tool}|{event.get('hash', '')}",
        "tool": tool,
        "digest": digest_input(given),
        "input": given,
        "suggestions": suggestions if isinstance(suggestions, list) else [],
        "cwd": event.get("cwd", ""),
        "permission_mode": event.get("permission_mode", ""),
        "transcript_path": event.get("transcript_path", ""),
    }


def parse_object(data: bytes) -> Object:
    """Decodes a JSON object. Raises VoidError for anything else."""
    try:
        found = decode(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise VoidError("no JSON") from None
    if not isinstance(found, dict):
        raise VoidError("no JSON object")
    return found


def is_number(value: object) -> bool:
    """Whether a value is a finite number and no boolean."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -1e15 < value < 1e15


def check_verdict(verdict: Object, request: Object, payload_input: Object) -> Object:
    """Returns the `decision` for the client, if a verdict counts.

    `request` and `payload_input` are those in the hook's memory, never read from a file. Raises VoidError with the reason
    unless the verdict is for this request in every part, is sealed with its secret, and the decision fits the tool.
    """
    if verdict.keys() != _VERDICT:
        raise VoidError("not the keys of a verdict")
    if type(verdict["version"]) is not int or verdict["version"] != VERSION:
        raise VoidError("another version")
    for key in ("nonce", "session_id", "agent_id", "tool"):
        if verdict[key] != request[key]:
            raise VoidError(f"another {key}")
    if verdict["digest"] != digest_input(payload_input) or request["digest"] != verdict["digest"]:
        raise VoidError("another input")
    if verdict["by"] not in SIDES or not is_number(verdict["at"]):
        raise VoidError("by nobody, or at no time")
    if verdict["seal"] != seal_verdict(request["secret"], verdict):
        raise VoidError("the seal does not fit")
    # the person also saw suggestions, folder and mode
    if verdict["request"] != digest_input(request):
        raise VoidError("another request was shown")
    return make_decision(verdict["decision"], request["tool"], payload_input, request["suggestions"])


def make_decision(decision: object, tool: str, given: Object, suggestions: list[Object]) -> Object:
    """Makes the `decision` of the hook's output, in the client's form.

    All that can widen a permission comes from the client's own suggestions, never from the decision. Raises VoidError
    when the decision does not fit the tool.
    """
    kind = decision.get("kind") if isinstance(decision, dict) else None
    if (
        not isinstance(decision, dict)
        or not isinstance(kind, str)
        or kind not in KINDS
        or decision.keys() - KINDS[kind]
    ):
        raise VoidError("no decision")
    if kind == "deny":
        message = _check_text(decision.get("message", ""))
        return {"behavior": "deny", "message": message} if message else {"behavior": "deny"}
    if tool == QUESTION:
        if kind != "answer":
            raise VoidError("a question wants an answer")
        return {
            "behavior": "allow",
            "updatedInput": {**given, "answers": _check_answers(decision.get("answers"), given)},
        }
    if tool == PLAN:
        if kind != "approve":
            raise VoidError("a plan wants to be approved")
        return {"behavior": "allow", "updatedInput": given}
    if kind == "allow":
        return {"behavior": "allow"}
    if kind == "always":
        return {"behavior": "allow", "updatedPermissions": _pick_suggestions(decision.get("suggestions"), suggestions)}
    raise VoidError(f"{kind} does not fit the tool")


def _check_text(value: object) -> str:
    """Returns a text that a person wrote. Raises VoidError when it is no text or too long."""
    if not isinstance(value, str) or len(value) > MESSAGE:
        raise VoidError(f"no text of at most {MESSAGE} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise VoidError("half a character") from None
    return value


def _pick_suggestions(indices: object, suggestions: list[Object]) -> list[Object]:
    if not isinstance(indices, list) or not indices:
        raise VoidError("no suggestion is chosen")
    for each in indices:
        if type(each) is not int or not 0 <= each < len(suggestions) or not isinstance(suggestions[each], dict):
            raise VoidError("no such suggestion")
    if len(set(indices)) != len(indices):
        raise VoidError("a suggestion is chosen twice")
    return [suggestions[each] for each in indices]


def _check_answers(answers: object, given: Object) -> Object:
    asked = given.get("questions")
    questions = [
        each
        for each in (asked if isinstance(asked, list) else [])
        if isinstance(each, dict) and isinstance(each.get("question"), str)
    ]
    several = {each["question"]: each.get("multiSelect") is True for each in questions}
    if len(several) != len(questions):
        raise VoidError("one question stands there twice")
    if not isinstance(answers, dict) or not answers or answers.keys() != several.keys():
        raise VoidError("not the questions that were asked")
    for question, answer in answers.items():
        if isinstance(answer, list) and not several[question]:
            raise VoidError("several answers to a question that takes one")
        each = answer if isinstance(answer, list) else [answer]
        if not each or not all(_check_text(one).strip() for one in each) or len(set(each)) != len(each):
            raise VoidError("an empty answer, or one given twice")
    return {
        question: join_choices(answer if isinstance(answer, list) else [answer]) if several[question] else answer
        for question, answer in answers.items()
    }


def join_choices(choices: list[str]) -> str:
    """Joins the answers to a question that takes several, in their order, as the client itself joins them.

    A run of blanks is one blank; an answer that could be read as two, or holds a quote, is a JSON string.
    """
    plain = [" ".join(each.split()) for each in choices]
    return ", ".join(encode_readable(each) if ", " in each or '"' in each else each for each in plain)


def describe_answers(answers: object) -> str:
    """Returns the answers of a decision as a line for the log, whether they count or not; "" when there are none."""
    parts = []
    for question, answer in answers.items() if isinstance(answers, dict) else ():
        chosen = [each for each in (answer if isinstance(answer, list) else [answer]) if isinstance(each, str)]
        parts.append(f"{question} → {join_choices(chosen) if isinstance(answer, list) else ''.join(chosen)}")
    return "; ".join(parts)
