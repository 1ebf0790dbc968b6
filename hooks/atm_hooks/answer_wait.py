"""Waits in the hook for a person's answer from an armed app, and prints it for the client: all that a hook ever prints.

The client shows its dialog all the while, and whoever answers first wins. The wait ends in silence when the request is
withdrawn, the lease or the client is gone, the time is over, or a signal comes. Nothing that it left behind can become an
answer later: it takes one only while it waits, for the request that it holds itself, and its nonce is never used again.
"""

import posix
import time
from _signal import SIGHUP, SIGINT, SIGTERM, signal  # type: ignore[import-not-found]  # `signal` pulls in enum
from select import select

from atm_hooks import answer_log, answers, journal, proc
from atm_hooks.codec import Object, decode, encode
from atm_hooks.payload import text
from atm_hooks.private import open_fifo, open_folder, read_private, remove, write_new
from atm_hooks.verdict import KINDS, PLAN, QUESTION, check, make_request, parsed

LOOK = 1.0
"""Seconds between two checks when nobody wakes the hook."""
GRACE = 0.9
"""Seconds that a heartbeat may be late, as after a sleep of the machine. No answer counts meanwhile."""
BYPASS = "bypassPermissions"


def ask(root: str, raw: bytes, event: Object) -> None:
    """Asks the armed app for an answer to `raw`, the stdin of the hook; `event` is what payload.py made of it.

    Raises VoidError for what can't be asked, UnsafeError, OSError: then nothing was printed.
    """
    held = answers.find_lease(root, time.time())
    if held is None or (event.get("permission_mode") == BYPASS and event.get("tool") not in (QUESTION, PLAN)):
        return
    posix.fstat(1)  # where nobody listens the next file that is opened would be taken for stdout
    payload = decode(raw.decode("utf-8", "replace"))
    if not isinstance(payload, dict):
        return
    request = make_request(payload, event, held, event["at"])
    data = encode(request).encode("ascii")
    if len(data) > answers.REQUEST_SIZE:
        raise answers.VoidError("a request too large to be shown")
    answers.prepare(root)
    wait = Wait(root, request, event, held["wait"])
    try:
        wait.open(data)
        found = wait.verdict()
        if found:
            _tell(root, wait, *found)
    finally:
        wait.close()


class Wait:
    """One request and its files, from the question to the answer."""

    def __init__(self, root: str, request: Object, event: Object, seconds: float) -> None:
        self.root, self.request, self.event = root, request, event
        self.name = f"{request['nonce']}.json"
        self.until = time.monotonic() + seconds
        self.client = Client(event.get("pid"))
        self.missed = 0.0
        """Since when the heartbeat is late, by the monotonic clock; 0 while the lease lives."""
        self.is_stopped = False
        self.fifo = -1
        self.stamp = (0, 0)
        """Device and inode of the request as we wrote it."""

    def open(self, data: bytes) -> None:
        """Makes the files; the request last, so that its hook can be woken as soon as it is there."""
        for each in (SIGTERM, SIGHUP, SIGINT):
            signal(each, self._stop)
        nonce = self.request["nonce"]
        posix.mkfifo(f"{self.root}/answers/wake/{nonce}", 0o600)
        folder = open_folder(self.root, "wake")
        try:
            # read and write: without a writer of its own it would be at its end, and never sleep
            self.fifo = open_fifo(folder, nonce, posix.O_RDWR)
        finally:
            posix.close(folder)
        write_new(answers.request_path(self.root, nonce), data)
        self.stamp = self._stamp()

    def close(self) -> None:
        """Removes the files. The FIFO is closed last, so that whoever can write to it has a hook that still runs."""
        for part, name in (("requests", self.name), ("verdicts", self.name), ("wake", self.request["nonce"])):
            try:
                if remove(self.root, part, name) and part == "verdicts":
                    self.note({}, "void: it came too late")
            except Exception:  # the rest goes all the same; the app sweeps
                pass
        if self.fifo >= 0:
            posix.close(self.fifo)

    def verdict(self) -> tuple[Object, bytes] | None:
        """The verdict that counts, and what to tell the client; None when the wait is over without one."""
        while not self._is_over():
            found = None if self.missed else self._look()
            if found:
                return found
            left = self.until - time.monotonic()
            if select([self.fifo], [], [], max(0.0, min(LOOK, left)))[0]:
                try:
                    posix.read(self.fifo, 65536)
                except BlockingIOError:
                    pass
        return None

    def note(self, verdict: Object, outcome: str) -> None:
        """A line in the log of answers."""
        now, event = time.time(), self.event
        decision = verdict.get("decision")
        kind = decision.get("kind") if isinstance(decision, dict) else None
        by = verdict.get("by")
        line = {
            "at": round(now, 3),
            "nonce": self.request["nonce"],
            "session_id": event["session_id"],
            "agent_id": event.get("agent_id"),
            "tool": event.get("tool", ""),
            "summary": event.get("summary", ""),
            "decision": kind if isinstance(kind, str) and kind in KINDS else "",
            "message": self._words(decision if isinstance(decision, dict) else {}),
            "by": by if by in ("app", "shell") else "",
            "after": self.after(now),
            "outcome": outcome,
        }
        answer_log.append(self.root, line)

    def after(self, now: float) -> float:
        """Seconds since it was asked."""
        return max(0.0, round(now - float(self.request["at"]), 3))

    def _words(self, decision: Object) -> str:
        """The text of a decision: its reason, its answers, or the suggestions that were chosen."""
        told = decision.get("message") or decision.get("answers")
        if not told and isinstance(decision.get("suggestions"), list):
            offered = self.request["suggestions"]
            told = [offered[each] for each in decision["suggestions"] if type(each) is int and 0 <= each < len(offered)]
        try:
            return text(told if isinstance(told, str) else encode(told) if told else "")
        except (ValueError, RecursionError):
            return ""

    def _stop(self, *_: object) -> None:
        self.is_stopped = True
        if self.fifo >= 0:
            try:
                posix.write(self.fifo, b"s")
            except OSError:  # full: it wakes up all the same
                pass

    def _stamp(self) -> tuple[int, int]:
        found = posix.lstat(answers.request_path(self.root, self.request["nonce"]))
        return found.st_dev, found.st_ino

    def _is_over(self) -> bool:
        now = time.monotonic()
        if not posix.access(f"{self.root}/answers/lease", posix.F_OK):
            return True
        if answers.find_lease(self.root, time.time()) is not None:
            self.missed = 0.0
        elif not self.missed:
            self.missed = now
        elif now - self.missed >= GRACE:
            return True
        try:
            if self._stamp() != self.stamp:
                return True
        except OSError:  # withdrawn
            return True
        return self.is_stopped or now >= self.until or self.client.is_gone()

    def _look(self) -> tuple[Object, bytes] | None:
        """The verdict, if there is one that counts. Any other is removed, and the client's dialog stays open."""
        verdict: Object = {}
        try:
            verdict = self._read()
            decision = check(verdict, self.request, self.request["input"])
        except FileNotFoundError:
            return None
        except (answers.VoidError, answers.UnsafeError, OSError) as error:
            remove(self.root, "verdicts", self.name)
            self.note(verdict, f"void: {error}"[:200])
            return None
        told = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}
        output = encode(told).encode("ascii") + b"\n"
        # who made it may take it back until here
        return (verdict, output) if remove(self.root, "verdicts", self.name) else None

    def _read(self) -> Object:
        path = f"{self.root}/answers/verdicts/{self.name}"
        try:
            return parsed(read_private(path, answers.VERDICT_SIZE))
        except answers.UnsafeError:
            time.sleep(0.05)  # while it is made it has two names for a moment
            return parsed(read_private(path, answers.VERDICT_SIZE))


class Client:
    """The client that started this hook. Without it nobody reads the answer, even if the shell between the two still runs."""

    def __init__(self, pid: int | None) -> None:
        self.pid = pid
        self.shell = posix.getppid()
        self.start = proc.start_ticks(pid) if pid else self._shells_parent()

    def is_gone(self) -> bool:
        """Whether it has ended; where the system does not tell, it counts as running."""
        if posix.getppid() != self.shell:
            return True
        if not self.pid:
            return self._shells_parent() != self.start
        try:
            posix.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:  # another user's
            pass
        return proc.start_ticks(self.pid) != self.start or proc.fields(self.pid)[:1] == [b"Z"]

    def _shells_parent(self) -> str:
        return b"".join(proc.fields(self.shell)[1:2]).decode("ascii", "replace")


def _tell(root: str, wait: Wait, verdict: Object, output: bytes) -> None:
    """Prints the decision, and records that a person made it."""
    try:
        while output:
            output = output[posix.write(1, output) :]
    except OSError as error:
        wait.note(verdict, f"void: the client does not listen: {error}")
        return
    now, event = time.time(), wait.event
    kept = ("session_id", "agent_id", "agent_type", "pid", "tool", "hash")
    answered = {
        "at": round(now, 4),
        "event": "Answered",
        **{key: event[key] for key in kept if key in event},
        "key": wait.request["key"],
        "decision": verdict["decision"]["kind"],
        "by": verdict["by"],
        "after": wait.after(now),
    }
    try:
        journal.record(root, answered)
    finally:
        wait.note(verdict, "given")
