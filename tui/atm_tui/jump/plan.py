"""Plans how to get to a session: by whether it still runs, and by its terminal.

The code for resuming, and for terminals other than tmux, is loaded when needed.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from atm_tui.jump.own_terminal import find_own_terminal
from atm_tui.jump.processes import is_running, read_tty
from atm_tui.jump.run import get_program, resolve_program
from atm_tui.jump.tmux import make_new_window_command, plan_unrecorded
from atm_tui.jump.tmux import plan as plan_in_tmux
from atm_tui.jump.tmux_client import find_own_tmux
from atm_tui.jump.tmux_server import TmuxServers
from atm_tui.jump.values import JumpPlan, Outcome, OwnTerminal
from atm_tui.model.pid_domain import PLACES
from atm_tui.model.session import Liveness, Session, Terminal
from atm_tui.text import clean

if TYPE_CHECKING:
    from atm_tui.jump.resume import SessionDirectory


def plan_jump(session: Session, own: OwnTerminal | None = None) -> JumpPlan:
    """Plans how to get to a session from our terminal (None: that of this process). Asks terminals and processes, moves nothing.

    Takes some tenths of a second at most: in the app, call it in a thread.
    """
    return _complete(session, _plan_to_process(session, own or find_own_terminal(), TmuxServers()), offers_resume=True)


def plan_next_jump(
    sessions: Sequence[Session], own: OwnTerminal | None = None, *, offers_resume: bool = True
) -> tuple[Session, JumpPlan]:
    """Plans the jump to the first session that can be reached; from one of them, to the next one after it, in a circle.

    Where none can be reached, returns the first one, with the reason. `own`: as in plan_jump. Asks each tmux server once.
    `offers_resume`: whether a plan that is refused has the command that resumes the session, for which its transcript is read.
    """
    own, servers = own or find_own_terminal(), TmuxServers()
    plans = [(session, _plan_to_process(session, own, servers)) for session in sessions]
    current = next((place for place, (_, plan) in enumerate(plans) if plan and plan.outcome is Outcome.THERE), -1)
    order = plans[current + 1 :] + plans[: current + 1]
    reachable = (each for each in order if each[1] and each[1].outcome in (Outcome.GO, Outcome.THERE))
    session, plan = next(reachable, order[0])
    return session, _complete(session, plan, offers_resume=offers_resume)


def _plan_to_process(session: Session, own: OwnTerminal, servers: TmuxServers) -> JumpPlan | None:
    """Plans the jump to the process of a session; None where none runs. Reads no transcript."""
    if session.elsewhere is not None:
        from atm_tui.jump.elsewhere import plan_elsewhere  # noqa: PLC0415  most sessions run here

        return plan_elsewhere(session, session.elsewhere, own, servers)
    if session.liveness is not Liveness.LIVE or (session.pid is not None and not is_running(session.pid)):
        return None
    if session.kind == "background":
        from atm_tui.jump.resume import make_client_command  # noqa: PLC0415

        return JumpPlan(
            outcome=Outcome.ATTACH,
            text="It runs in the background, without a terminal.",
            takeover=(*make_client_command(session.config_dir), "attach", session.session_id[:8]),
        )
    if session.kind == "headless":
        return JumpPlan(
            outcome=Outcome.REFUSED, text=f"It runs without a screen (claude -p), as process {session.pid}."
        )
    kind = session.terminal.kind
    if kind != "tmux" and (found := plan_unrecorded(session, own, servers)):
        return found
    if kind == "tmux":
        return plan_in_tmux(session, own, servers)
    if kind != Terminal().kind:
        from atm_tui.jump.terminals import TERMINALS  # noqa: PLC0415

        if adapter := TERMINALS.get(kind):
            return adapter(session, own)
    where = f" It runs {PLACES[session.place]}." if PLACES[session.place] else ""
    return JumpPlan(outcome=Outcome.REFUSED, text=f"Its terminal takes no commands from atm-tui.{where}")


def _complete(session: Session, plan: JumpPlan | None, *, offers_resume: bool) -> JumpPlan:
    """Adds to a plan what is only needed if it is the chosen one: the session's tty, and how to resume it."""
    if plan is None:
        return _offer_resume(session)
    if plan.outcome is not Outcome.REFUSED or session.kind == "headless" or session.elsewhere is not None:
        return plan
    return _add_tty_and_resume_line(session, plan, offers_resume=offers_resume)


def plan_resume(session: Session, own: OwnTerminal | None = None, project_dir: str = "") -> JumpPlan:
    """Plans how to resume an ended session: in a new tmux window (GO) if we run in tmux, else in this terminal (RESUME).

    `project_dir`: from the state file. REFUSED when the session's directory is gone, when the client isn't on the PATH, or
    when the session still runs.
    """
    if session.elsewhere is not None:
        return JumpPlan(outcome=Outcome.REFUSED, text=f"It runs on {clean(session.machine)}: resume it there.")
    if session.liveness is Liveness.LIVE:
        return JumpPlan(outcome=Outcome.REFUSED, text="It still runs: jump to it.")
    from atm_tui.jump.shell_text import format_commands  # noqa: PLC0415

    offer = _offer_resume(session, project_dir)
    if not offer.directory:
        return JumpPlan(outcome=Outcome.REFUSED, text=offer.text, copy=format_commands(offer), resumes=True)
    command = resolve_program(offer.takeover)
    if command is None:
        # a new window would close at once, with its error
        program = clean(get_program(offer.takeover))
        text = f"{offer.text} It can't be resumed: {program} is not on the PATH. ATM_CLAUDE can name the program."
        return JumpPlan(outcome=Outcome.REFUSED, text=text, copy=format_commands(offer), resumes=True)
    window = make_new_window_command(command, offer.directory, own or find_own_terminal())
    if window is None:
        return offer
    text = f"Resuming it in a new tmux window, in {offer.directory}."
    return JumpPlan(outcome=Outcome.GO, text=text, commands=(window,), resumes=True)


def plan_jump_or_resume(session: Session, project_dir: str = "", own: OwnTerminal | None = None) -> JumpPlan:
    """Plans the jump to a live session, else how to resume it, with a line for the clipboard in `copy`. For the app.

    `project_dir`: as in plan_resume. Takes some tenths of a second.
    """
    from atm_tui.jump.shell_text import format_commands  # noqa: PLC0415

    own = own or find_own_terminal()
    jump = plan_jump(session, own)
    if jump.outcome is not Outcome.RESUME:
        return msgspec.structs.replace(jump, copy=jump.copy or (format_commands(jump) if jump.takeover else ""))
    over = session
    if session.liveness is Liveness.LIVE:  # its process has ended since the fleet was read
        over = msgspec.structs.replace(session, liveness=Liveness.LOST)
    plan = plan_resume(over, own, project_dir)
    own_tmux = find_own_tmux(own) if plan.outcome is Outcome.GO else None
    line = format_commands(jump) if jump.directory or not plan.copy else plan.copy
    return msgspec.structs.replace(plan, copy=line, popup=own_tmux.popup if own_tmux else plan.popup)


def make_resume_line(session: Session) -> str:
    """Makes the line for a shell that resumes a session in its directory; "" on another machine. Reads its transcript."""
    if session.elsewhere is not None:
        return ""
    from atm_tui.jump.shell_text import format_commands  # noqa: PLC0415

    return format_commands(_offer_resume(session))


def _offer_resume(session: Session, project_dir: str = "") -> JumpPlan:
    from atm_tui.jump.resume import find_start_directory, make_resume_command  # noqa: PLC0415

    directory = find_start_directory(session, project_dir)
    how = "It has ended." if session.liveness is Liveness.ENDED else "Its process is gone."
    return JumpPlan(
        outcome=Outcome.RESUME,
        text=f"{how} {_describe_directory(directory)}",
        takeover=make_resume_command(session.session_id, session.config_dir),
        directory=directory.path if directory and directory.exists else "",
        resumes=True,
    )


def _describe_directory(directory: "SessionDirectory | None") -> str:
    if directory is None:
        return "Its directory isn't known."
    if not directory.exists:
        return f"Its directory {directory.path} is gone too."
    other = directory.transcript_directory
    return f"It belongs to {directory.path}." + (f" Its transcript is kept under the name of {other}." if other else "")


def _add_tty_and_resume_line(session: Session, plan: JumpPlan, *, offers_resume: bool) -> JumpPlan:
    """Adds to a refusal the session's tty, by which a person can find it, and a command that resumes it after its end."""
    tty = read_tty(session.pid) if session.pid is not None else None
    text = plan.text if tty is None or tty in plan.text else f"{plan.text} It is on {tty}."
    return msgspec.structs.replace(plan, text=text, copy=make_resume_line(session) if offers_resume else "")
