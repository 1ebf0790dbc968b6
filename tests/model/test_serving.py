"""Which processes serve a session, one open twice or away from here. Pid, tty and pane are of the same process."""

from typing import Any

import msgspec
import pytest

from atm_hooks.fold import fold_all
from atm_tui.model.facts import HookState, ProcessFact, RegistryEntry
from atm_tui.model.liveness import SILENT
from atm_tui.model.pid_domain import Place, find_place
from atm_tui.model.resolve import Facts, resolve
from atm_tui.model.session import Liveness, Session, State

NOW = 1_000_000.0
OURS = "linux:aaaa:pid:[4026531836]"
CONTAINER = "linux:aaaa:pid:[4026532178]"
ELSEWHERE = "linux:bbbb:pid:[4026531836]"
ASK = {"tool": "Bash", "summary": "rm x", "hash": "h", "permission_mode": "default"}


def make_terminal(pane: str) -> dict[str, str]:
    return {"TMUX": "/tmp/tmux,77,0", "TMUX_PANE": pane}


def make_hooks(*events: tuple[str, int, dict[str, Any]], at: float = NOW - 100) -> HookState:
    """Folded from (event, pid, fields), a second apart."""
    made = [
        {"at": at + number, "session_id": "s", "event": kind, "pid": pid, **fields}
        for number, (kind, pid, fields) in enumerate(events)
    ]
    return msgspec.convert(fold_all(None, made), HookState)


def make_entry(pid: int, status: str | None = "idle", at: float = NOW - 50, **given: Any) -> RegistryEntry:
    values = {"session_id": "s", "status_at": at, "updated_at": at, "started_at": at, "pid_domain": OURS, **given}
    return RegistryEntry(pid=pid, status=status, **values)


def resolve_session(
    state: HookState | None, *entries: RegistryEntry, running: tuple[int, ...] = (), now: float = NOW
) -> Session:
    facts = Facts(
        session_id="s",
        hooks=state,
        registry=entries,
        processes={pid: ProcessFact(pid=pid, tty=f"/dev/pts/{pid}") for pid in running},
        pid_domain=OURS,
    )
    return resolve(facts, now).session


ALPHA = ("SessionStart", 10, {"source": "startup", "terminal": make_terminal("%1")})
BETA = ("SessionStart", 20, {"source": "resume", "terminal": make_terminal("%7")})


def get_place(session: Session) -> tuple[int | None, str | None, str | None]:
    return session.pid, session.terminal.tty, session.terminal.pane


@pytest.mark.parametrize("asks", [10, 20])
def test_the_process_that_asks_comes_first_with_its_own_tty_and_pane(asks: int) -> None:
    other = 30 - asks
    state = make_hooks(ALPHA, BETA, ("UserPromptSubmit", asks, {"prompt": "x"}), ("PermissionRequest", asks, ASK))
    entries = (make_entry(asks, "waiting", waiting_for="permission prompt"), make_entry(other))
    for given in (entries, entries[::-1]):
        session = resolve_session(state, *given, running=(10, 20))
        assert get_place(session) == (asks, f"/dev/pts/{asks}", "%1" if asks == 10 else "%7")
        assert [each.pid for each in session.processes] == [asks, other]
        assert [each.terminal.pane for each in session.processes] == (["%1", "%7"] if asks == 10 else ["%7", "%1"])


@pytest.mark.parametrize("asks", [10, 20])
def test_without_the_registry_the_hook_identifies_the_process_that_asks(asks: int) -> None:
    state = make_hooks(ALPHA, BETA, ("UserPromptSubmit", asks, {"prompt": "x"}), ("PermissionRequest", asks, ASK))
    for entries in ((), (make_entry(10, None), make_entry(20, None))):
        session = resolve_session(state, *entries, running=(10, 20))
        assert get_place(session) == (asks, f"/dev/pts/{asks}", "%1" if asks == 10 else "%7")
        assert len(session.processes) == 2


def test_when_no_process_asks_the_busiest_comes_first() -> None:
    state = make_hooks(ALPHA, BETA, ("UserPromptSubmit", 10, {"prompt": "x"}))
    assert get_place(resolve_session(state, make_entry(20), make_entry(10, "busy"), running=(10, 20)))[0] == 10
    assert get_place(resolve_session(state, make_entry(20, "busy"), make_entry(10), running=(10, 20)))[0] == 20


def test_when_one_process_ends_the_other_keeps_its_own_pane() -> None:
    state = make_hooks(ALPHA, BETA, ("SessionEnd", 20, {"reason": "other"}))
    session = resolve_session(state, make_entry(10), running=(10,))
    assert (session.liveness, get_place(session), len(session.processes)) == (
        Liveness.LIVE,
        (10, "/dev/pts/10", "%1"),
        1,
    )


def test_a_process_without_a_pane_does_not_get_another_ones() -> None:
    state = make_hooks(ALPHA, ("SessionEnd", 10, {"reason": "other"}), ("SessionStart", 20, {"source": "resume"}))
    assert get_place(resolve_session(state, running=(20,))) == (20, "/dev/pts/20", None)
    assert get_place(resolve_session(state, make_entry(20), running=(20,))) == (20, "/dev/pts/20", None)


# --- pids of others


@pytest.mark.parametrize(
    ("domain", "own", "place"),
    [
        (OURS, OURS, Place.HERE),
        (None, OURS, Place.HERE),
        (OURS, "", Place.HERE),
        (CONTAINER, OURS, Place.CONTAINER),
        (OURS, CONTAINER, Place.CONTAINER),
        (ELSEWHERE, OURS, Place.MACHINE),
        ("linux:bbbb:pid:[4026532178]", OURS, Place.MACHINE),
        ("linux::pid:[4026532178]", OURS, Place.CONTAINER),
        ("linux::pid:[4026531836]", OURS, Place.HERE),
        ("linux:00000000000000000000000000000000:pid:[1]", OURS, Place.HERE),
        ("something else", OURS, Place.MACHINE),
    ],
)
def test_a_pid_belongs_to_its_domain(domain: str | None, own: str, place: Place) -> None:
    assert find_place(domain, own) is place


@pytest.mark.parametrize(("domain", "place"), [(CONTAINER, Place.CONTAINER), (ELSEWHERE, Place.MACHINE)])
@pytest.mark.parametrize("running", [(), (10,)], ids=["no such pid here", "another program has its pid here"])
def test_a_pid_of_another_domain_decides_nothing(domain: str, place: Place, running: tuple[int, ...]) -> None:
    state = make_hooks(ALPHA, ("UserPromptSubmit", 10, {"prompt": "x"}), ("PermissionRequest", 10, ASK))
    asking = make_entry(10, "waiting", waiting_for="permission prompt", pid_domain=domain, proc_start="5")
    session = resolve_session(state, asking, running=running)
    assert (session.liveness, session.state, session.place) == (Liveness.LIVE, State.NEEDS_YOU, place)
    assert (session.pid, session.terminal.tty, session.terminal.pane) == (None, None, "%1")
    assert [wait.tool for wait in session.waits] == ["Bash"]


def test_the_hook_provides_the_domain_if_the_registry_does_not() -> None:
    start = ("SessionStart", 10, {"source": "startup", "pid_domain": CONTAINER})
    session = resolve_session(make_hooks(start, ("UserPromptSubmit", 10, {"prompt": "x"})))
    assert (session.liveness, session.place, session.pid) == (Liveness.LIVE, Place.CONTAINER, None)


def test_a_session_without_events_for_hours_is_lost() -> None:
    state, away = make_hooks(ALPHA), make_entry(10, pid_domain=CONTAINER)
    assert resolve_session(state, away, now=NOW + SILENT - 200).liveness is Liveness.LIVE
    assert resolve_session(state, away, now=NOW + SILENT + 200).liveness is Liveness.LOST
    assert resolve_session(None, away).liveness is Liveness.LIVE
    ended = make_hooks(ALPHA, ("SessionEnd", 10, {"reason": "other"}))
    assert resolve_session(ended).liveness is Liveness.ENDED


def test_one_session_here_and_in_a_container_is_open_twice() -> None:
    state = make_hooks(ALPHA, BETA, ("UserPromptSubmit", 20, {"prompt": "x"}), ("PermissionRequest", 20, ASK))
    asking = make_entry(20, "waiting", waiting_for="permission prompt", pid_domain=CONTAINER)
    session = resolve_session(state, make_entry(10), asking, running=(10, 20))
    assert [(each.pid, each.place) for each in session.processes] == [(None, Place.CONTAINER), (10, Place.HERE)]
    assert session.terminal.pane == "%7"


def test_a_process_of_another_domain_is_unaffected_by_our_pids() -> None:
    start = ("SessionStart", 10, {"source": "startup", "pid_domain": CONTAINER})
    facts = Facts(session_id="s", hooks=make_hooks(start), serving={10: "another"}, pid_domain=OURS)
    assert resolve(facts, NOW).session.liveness is Liveness.LIVE
