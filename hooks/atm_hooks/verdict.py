"""Requests and verdicts as values: the digest of an input, the seal of a verdict, and whether a verdict counts. Pure.

All that a hook tells the client is made here, from a decision that names what the client itself asked and offered.
"""

import posix
from _blake2 import blake2b

from atm_hooks.codec import Object, decode, encode_sorted

VERSION = 1
LONGEST = 3600
"""Seconds that a hook waits at most, whatever the lease says."""
MESSAGE = 2000
"""Characters of a reason, or of an answer in a person's own words."""
DEPTH = 50
"""Levels of lists and objects in an input or a suggestion; deeper ones can't be read on a screen and are refused."""
QUESTION, PLAN = "AskUserQuestion", "ExitPlanMode"
KINDS = {
    "allow": frozenset(("kind",)),
    "deny": frozenset(("kind", "message")),
    "always": frozenset(("kind", "suggestions")),
    "answer": frozenset(("kind", "answers")),
    "approve": frozenset(("kind",)),
}
"""What a decision can be, and its keys."""
_VERDICT = frozenset(
    ("version", "nonce", "session_id", "agent_id", "tool", "digest", "request", "by", "at", "decision", "seal")
)
_HEX = frozenset("0123456789abcdef")


class VoidError(Exception):
    """A verdict, decision or request that does not count; the text says why, in a few words."""


def is_id(value: object, digits: int = 32) -> bool:
    """Whether it consists of that many hex digits: 32 for a nonce or lease id, 64 for a secret, digest or seal."""
    return isinstance(value, str) and len(value) == digits and _HEX.issuperset(value)


def new_id(digits: int = 32) -> str:
    """That many random hex digits."""
    return posix.urandom(digits // 2).hex()


def digest(tool_input: object) -> str:
    """64 hex digits that are equal for equal inputs, whatever the order of their keys. Raises VoidError when it has none."""
    return blake2b(_canonical(tool_input), digest_size=32).hexdigest()


def seal(secret: str, verdict: Object) -> str:
    """64 hex digits that can only be made for this verdict with the request's secret. Raises VoidError when it has none."""
    rest = {key: value for key, value in verdict.items() if key != "seal"}
    return blake2b(_canonical(rest), key=bytes.fromhex(secret), digest_size=32).hexdigest()


def _canonical(value: object) -> bytes:
    try:
        return encode_sorted(value).encode("ascii")
    except (ValueError, TypeError, RecursionError):
        raise VoidError("it is no plain JSON") from None


def is_too_deep(value: object) -> bool:
    """Whether lists and objects are nested deeper in it than DEPTH."""
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


def make_request(payload: Object, event: Object, held: Object, at: float) -> Object:
    """Makes the request for what the client asks. `payload`: as it came; `event`: as payload.py made it; `held`: the lease.

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
        "nonce": new_id(),
        "secret": new_id(64),
        "lease": held["id"],
        "at": at,
        "until": at + min(held["wait"], LONGEST),
        "session_id": event["session_id"],
        "agent_id": event.get("agent_id"),
        "agent_type": event.get("agent_type", ""),
        "key": f"{event.get('agent_id', '')}|{tool}|{event.get('hash', '')}",
        "tool": tool,
        "digest": digest(given),
        "input": given,
        "suggestions": suggestions if isinstance(suggestions, list) else [],
        "cwd": event.get("cwd", ""),
        "permission_mode": event.get("permission_mode", ""),
        "transcript_path": event.get("transcript_path", ""),
    }


def parsed(data: bytes) -> Object:
    """The JSON object in bytes. Raises VoidError for anything else."""
    try:
        found = decode(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise VoidError("no JSON") from None
    if not isinstance(found, dict):
        raise VoidError("no JSON object")
    return found


def is_number(value: object) -> bool:
    """Whether it is a finite number, and no boolean."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -1e15 < value < 1e15


def check(verdict: Object, request: Object, payload_input: Object) -> Object:
    """The client's `decision` for a verdict.

    `request` and `payload_input` are those that the hook holds itself, never read from a file. Raises VoidError, saying
    why, unless every part of the verdict is for this request and sealed by who could read it, and the decision fits the tool.
    """
    if verdict.keys() != _VERDICT:
        raise VoidError("not the keys of a verdict")
    if type(verdict["version"]) is not int or verdict["version"] != VERSION:
        raise VoidError("another version")
    for key in ("nonce", "session_id", "agent_id", "tool"):
        if verdict[key] != request[key]:
            raise VoidError(f"another {key}")
    if verdict["digest"] != digest(payload_input) or request["digest"] != verdict["digest"]:
        raise VoidError("another input")
    if verdict["by"] not in ("app", "shell") or not is_number(verdict["at"]):
        raise VoidError("by nobody, or at no time")
    if verdict["seal"] != seal(request["secret"], verdict):
        raise VoidError("the seal does not fit")
    # suggestions, folder and mode were seen too when the yes was given
    if verdict["request"] != digest(request):
        raise VoidError("another request was shown")
    return decide(verdict["decision"], request["tool"], payload_input, request["suggestions"])


def decide(decision: object, tool: str, given: Object, suggestions: list[Object]) -> Object:
    """Makes the `decision` of the hook's output, as the client takes it.

    All that can widen a permission is taken from what the client itself offered, never from the decision. Raises
    VoidError when the decision does not fit the tool.
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
        message = _words(decision.get("message", ""))
        return {"behavior": "deny", "message": message} if message else {"behavior": "deny"}
    if tool == QUESTION:
        if kind != "answer":
            raise VoidError("a question wants an answer")
        return {"behavior": "allow", "updatedInput": {**given, "answers": _answers(decision.get("answers"), given)}}
    if tool == PLAN:
        if kind != "approve":
            raise VoidError("a plan wants to be approved")
        return {"behavior": "allow", "updatedInput": given}
    if kind == "allow":
        return {"behavior": "allow"}
    if kind == "always":
        return {"behavior": "allow", "updatedPermissions": _chosen(decision.get("suggestions"), suggestions)}
    raise VoidError(f"{kind} does not fit the tool")


def _words(value: object) -> str:
    """A text that a person wrote. Raises VoidError when it is no text or too long."""
    if not isinstance(value, str) or len(value) > MESSAGE:
        raise VoidError(f"no text of at most {MESSAGE} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise VoidError("half a character") from None
    return value


def _chosen(indices: object, suggestions: list[Object]) -> list[Object]:
    if not isinstance(indices, list) or not indices:
        raise VoidError("no suggestion is chosen")
    for each in indices:
        if type(each) is not int or not 0 <= each < len(suggestions) or not isinstance(suggestions[each], dict):
            raise VoidError("no such suggestion")
    if len(set(indices)) != len(indices):
        raise VoidError("a suggestion is chosen twice")
    return [suggestions[each] for each in indices]


def _answers(answers: object, given: Object) -> Object:
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
        if not each or not all(_words(one).strip() for one in each) or len(set(each)) != len(each):
            raise VoidError("an empty answer, or one given twice")
    return answers
