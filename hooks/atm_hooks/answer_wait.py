"""Waits in the hook for a person's answer from an armed app, and prints it for the client. A hook prints nothing else.

The client shows its dialog meanwhile, and the first answer wins. The wait ends without output when the request is
withdrawn, the lease or the client is gone, the time is over, or a signal comes. No file that is left behind can become an
answer later: the hook takes one only while it waits, for the request that it holds in memory, and each nonce is used once.
"""

import posix
import time
from _signal import SIGHUP, SIGINT, SIGTERM, signal  # type: ignore[import-not-found]  # `signal` pulls in enum
from select import select

from atm_hooks import answer_log, answers, journal, proc
from atm_hooks.codec import Object, decode, encode, encode_readable
from atm_hooks.payload import read_text
from atm_hooks.private import open_fifo, open_folder, read_private, remove, write_new
from atm_hooks.verdict import KINDS, PLAN, QUESTION, SIDES, check_verdict, describe_answers, make_request, parse_object

CHECK_SECONDS = 1.0
"""Seconds between two checks when nobody wakes the hook, and a heartbeat is late or nobody tells of the client's end."""
GRACE_SECONDS = 0.9
"""Seconds that a heartbeat may be late, as after a sleep of the machine. No answer counts while it is late."""
BYPASS = "bypassPermissions"


def ask_app(root: str, raw: bytes, event: Object) -> None:
    """Asks the armed app for an answer to `raw`, the stdin of the hook, and prints it. `event` is what payload.py made of `raw`.

    Prints nothing if no app is armed. Raises VoidError for a request that can't be shown, UnsafeError, OSError; then nothing
    was printed.
    """
    lease = answers.find_lease(root, time.time())
    if lease is None or (event.get("permission_mode") == BYPASS and event.get("tool") not in (QUESTION, PLAN)):
        return
    posix.fstat(1)  # raises if stdout is closed: the next opened file would get its number, and the output
    payload = decode(raw.decode("utf-8", "replace"))
    if not isinstance(payload, dict):
        return
    request = make_request(payload, event, lease, event["at"])
    data = encode(request).encode("ascii")
    if len(data) > answers.REQUEST_SIZE:
        raise answers.VoidError("a request too large to be shown")
    answers.prepare_answers(root)
    wait = Wait(root, request, event, lease["wait"])
    try:
        wait.open(data)
        found = wait.wait_for_verdict()
        if found:
            _print_decision(root, wait, *found)
    finally:
        wait.close()


class Wait:
    """A request that waits for its answer, and the files that belong to it."""

    def __init__(self, root: str, request: Object, event: Object, seconds: float) -> None:
        self.root, self.request, self.event = root, request, event
        self.name = f"{request['nonce']}.json"
        self.until = time.monotonic() + seconds
        self.client = Client(event.get("pid"))
        self.late_since = 0.0
        """Monotonic seconds since when the heartbeat is late; 0 while it is on time."""
        self.is_stopped = False
        self.fifo = -1
        self.ends: list[int] = []
        """Files that become readable when the client or its shell ends; none where the system has no such files."""
        self.identity = (0, 0)
        """Device and inode of the request's file as this hook wrote it."""

    def open(self, data: bytes) -> None:
        """Creates the files. The request comes last: whoever finds it can wake this hook."""
        for each in (SIGTERM, SIGHUP, SIGINT):
            signal(each, self._stop)
        nonce = self.request["nonce"]
        posix.mkfifo(f"{self.root}/answers/wake/{nonce}", 0o600)
        folder = open_folder(self.root, "wake")
        try:
            # opened for writing too: a FIFO without a writer is at its end, and select would return at once
            self.fifo = open_fifo(folder, nonce, posix.O_RDWR)
        finally:
            posix.close(folder)
        write_new(answers.locate_request(self.root, nonce), data)
        self.identity = self._identify_request()
        self.ends = self.client.open_ends()

    def close(self) -> None:
        """Removes the files. The FIFO is closed last: as long as it can be opened for writing, the hook runs."""
        for part, name in (("requests", self.name), ("verdicts", self.name), ("wake", self.request["nonce"])):
            try:
                if remove(self.root, part, name) and part == "verdicts":
                    self.log_outcome({}, "void: it came too late")
            except Exception:  # go on with the others; the app removes what is left
                pass
        for file in self.ends:
            posix.close(file)
        if self.fifo >= 0:
            posix.close(self.fifo)

    def wait_for_verdict(self) -> tuple[Object, bytes] | None:
        """Waits; returns the verdict that counts and the output for the client, or None when the wait ended without one."""
        while not self._is_over():
            found = None if self.late_since else self._take_verdict()
            if found:
                return found
            ready = select([self.fifo, *self.ends], [], [], self._find_pause())[0]
            if len(ready) > (self.fifo in ready):
                return None
            if ready:
                try:
                    posix.read(self.fifo, 65536)
                except BlockingIOError:
                    pass
        return None

    def log_outcome(self, verdict: Object, outcome: str) -> None:
        """Adds a line about a verdict to the log of answers; `outcome`: "given", or "void: " and the reason."""
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
            "message": self._describe_decision(decision if isinstance(decision, dict) else {}),
            "by": by if by in SIDES else "",
            "after": self.measure_wait(now),
            "outcome": outcome,
        }
        answer_log.append_line(self.root, line)

    def measure_wait(self, now: float) -> float:
        """Returns the seconds from the request until `now` (epoch seconds)."""
        return max(0.0, round(now - float(self.request["at"]), 3))

    def _describe_decision(self, decision: Object) -> str:
        """Returns the text of a decision for the log: its reason, its answers, or the suggestions that were chosen."""
        chosen = decision.get("message") or describe_answers(decision.get("answers"))
        if not chosen and isinstance(decision.get("suggestions"), list):
            offered = self.request["suggestions"]
            indices = [each for each in decision["suggestions"] if type(each) is int and 0 <= each < len(offered)]
            chosen = [offered[each] for each in indices]
        try:
            return read_text(chosen if isinstance(chosen, str) else encode_readable(chosen) if chosen else "")
        except (ValueError, RecursionError):
            return ""

    def _stop(self, *_: object) -> None:
        self.is_stopped = True
        if self.fifo >= 0:
            try:
                posix.write(self.fifo, b"s")
            except OSError:  # the FIFO is full: the hook wakes up anyway
                pass

    def _identify_request(self) -> tuple[int, int]:
        found = posix.lstat(answers.locate_request(self.root, self.request["nonce"]))
        return found.st_dev, found.st_ino

    def _is_over(self) -> bool:
        now = time.monotonic()
        if not posix.access(f"{self.root}/answers/lease", posix.F_OK):
            return True
        if answers.find_lease(self.root, time.time()) is not None:
            self.late_since = 0.0
        elif not self.late_since:
            self.late_since = now
        elif now - self.late_since >= GRACE_SECONDS:
            return True
        return self._is_withdrawn() or self.is_stopped or now >= self.until or self.client.is_gone()

    def _find_pause(self) -> float:
        """Returns the seconds until the next check: until the heartbeat would be late, where all else wakes the hook."""
        pause = CHECK_SECONDS
        if self.ends and not self.late_since:
            try:
                pause = posix.stat(f"{self.root}/answers/lease").st_mtime + answers.LEASE_SECONDS - time.time()
            except OSError:
                pass
        pause = min(max(CHECK_SECONDS, pause), answers.LEASE_SECONDS)
        return max(0.0, min(pause, self.until - time.monotonic()))

    def _is_withdrawn(self) -> bool:
        """Whether the request is gone, or is not the file that this hook wrote."""
        try:
            return self._identify_request() != self.identity
        except OSError:
            return True

    def _take_verdict(self) -> tuple[Object, bytes] | None:
        """Returns the verdict and the output, if there is one that counts. Removes and logs any other; the dialog stays."""
        verdict: Object = {}
        try:
            verdict = self._read_verdict()
            decision = check_verdict(verdict, self.request, self.request["input"])
        except FileNotFoundError:
            return None
        except (answers.VoidError, answers.UnsafeError, OSError) as error:
            remove(self.root, "verdicts", self.name)
            self.log_outcome(verdict, f"void: {error}"[:200])
            return None
        if answers.find_lease(self.root, time.time()) is None or self._is_withdrawn():  # since the last check
            return None
        answer = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}
        output = encode(answer).encode("ascii") + b"\n"
        # the app may take the verdict back until here
        return (verdict, output) if remove(self.root, "verdicts", self.name) else None

    def _read_verdict(self) -> Object:
        path = f"{self.root}/answers/verdicts/{self.name}"
        try:
            return parse_object(read_private(path, answers.VERDICT_SIZE))
        except answers.UnsafeError:
            time.sleep(0.05)  # it has two names for a moment while it is created
            return parse_object(read_private(path, answers.VERDICT_SIZE))


class Client:
    """The client that started this hook: nobody reads the answer once it is gone, even if the shell between still runs."""

    def __init__(self, pid: int | None) -> None:
        self.pid = pid
        self.shell = posix.getppid()
        self.start = proc.read_start_ticks(pid) if pid else self._find_shell_parent()

    def open_ends(self) -> list[int]:
        """Opens files that become readable when it or its shell ends; none if one can't be opened."""
        found: list[int] = []
        try:
            found.extend(posix.pidfd_open(pid) for pid in {self.shell, self.pid or int(self.start)})
        except (AttributeError, OSError, ValueError):
            while found:
                posix.close(found.pop())
        return found

    def is_gone(self) -> bool:
        """Whether it has ended; it counts as running if the system can't tell."""
        if posix.getppid() != self.shell:
            return True
        if not self.pid:
            return self._find_shell_parent() != self.start
        try:
            posix.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:  # another user's
            pass
        return proc.read_start_ticks(self.pid) != self.start or proc.read_stat_fields(self.pid)[:1] == [b"Z"]

    def _find_shell_parent(self) -> str:
        return b"".join(proc.read_stat_fields(self.shell)[1:2]).decode("ascii", "replace")


def _print_decision(root: str, wait: Wait, verdict: Object, output: bytes) -> None:
    """Prints the decision for the client, then records and logs that a person made it."""
    try:
        while output:
            output = output[posix.write(1, output) :]
    except OSError as error:
        wait.log_outcome(verdict, f"void: the client does not listen: {error}")
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
        "after": wait.measure_wait(now),
    }
    try:
        journal.record_event(root, answered)
    finally:
        wait.log_outcome(verdict, "given")
