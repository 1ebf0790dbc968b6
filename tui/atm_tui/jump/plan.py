"""Plans how to get to a session: by whether it still runs, and by its terminal."""

import msgspec

from atm_tui.jump.own_terminal import find_own_terminal
from atm_tui.jump.processes import is_running, read_tty
from atm_tui.jump.resume import SessionDirectory, find_start_directory, make_client_command, make_resume_command
from atm_tui.jump.run import get_program, resolve_program
from atm_tui.jump.shell_text import format_commands
from atm_tui.jump.terminals import TERMINALS
from atm_tui.jump.tmux import make_new_window_command, plan_unrecorded
from atm_tui.jump.tmux_client import find_own_tmux
from atm_tui.jump.values import JumpPlan, Outcome, OwnTerminal
from atm_tui.model.pid_domain import PLACES
from atm_tui.model.session import Liveness, Session
from atm_tui.text import clean


def plan_jump(session: Session, own: OwnTerminal | None = None) -> JumpPlan:
    """Plans how to get to a session from our terminal (None: that of this process). Asks terminals and processes, moves nothing.

    Takes some tenths of a second at most: in the app, call it in a thread.
    """
    if session.liveness is not Liveness.LIVE or (session.pid is not None and not is_running(session.pid)):
        return _offer_resume(session)
    if session.kind == "background":
        return JumpPlan(
            outcome=Outcome.ATTACH,
            text="It runs in the background, without a terminal.",
            takeover=(*make_client_command(session.config_dir), "attach", session.session_id[:8]),
        )
    if session.kind == "headless":
        return JumpPlan(
            outcome=Outcome.REFUSED, text=f"It runs without a screen (claude -p), as process {session.pid}."
        )
    plan = _plan_in_terminal(session, own or find_own_terminal())
    return plan if plan.outcome is not Outcome.REFUSED else _add_tty_and_resume_line(session, plan)


def _plan_in_terminal(session: Session, own: OwnTerminal) -> JumpPlan:
    kind = session.terminal.kind
    if kind != "tmux" and (found := plan_unrecorded(session, own)):
        return found
    if adapter := TERMINALS.get(kind):
        return adapter(session, own)
    where = f" It runs {PLACES[session.place]}." if PLACES[session.place] else ""
    return JumpPlan(outcome=Outcome.REFUSED, text=f"Its terminal takes no commands from atm-tui.{where}")


def plan_resume(session: Session, own: OwnTerminal | None = None, project_dir: str = "") -> JumpPlan:
    """Plans how to resume an ended session: in a new tmux window (GO) if we run in tmux, else in this terminal (RESUME).

    `project_dir`: from the state file. REFUSED when the session's directory is gone, when the client isn't on the PATH, or
    when the session still runs.
    """
    if session.liveness is Liveness.LIVE:
        return JumpPlan(outcome=Outcome.REFUSED, text="It still runs: jump to it.")
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
    """Makes the line for a shell that resumes a session in its directory. Reads its transcript."""
    return format_commands(_offer_resume(session))


def _offer_resume(session: Session, project_dir: str = "") -> JumpPlan:
    directory = find_start_directory(session, project_dir)
    how = "It has ended." if session.liveness is Liveness.ENDED else "Its process is gone."
    return JumpPlan(
        outcome=Outcome.RESUME,
        text=f"{how} {_describe_directory(directory)}",
        takeover=make_resume_command(session.session_id, session.config_dir),
        directory=directory.path if directory and directory.exists else "",
        resumes=True,
    )


def _describe_directory(directory: SessionDirectory | None) -> str:
    if directory is None:
        return "Its directory isn't known."
    if not directory.exists:
        return f"Its directory {directory.path} is gone too."
    other = directory.transcript_directory
    return f"It belongs to {directory.path}." + (f" Its transcript is kept under the name of {other}." if other else "")


def _add_tty_and_resume_line(session: Session, plan: JumpPlan) -> JumpPlan:
    """Adds to a refusal the session's tty, by which a person can find it, and a command that resumes it after its end."""
    tty = read_tty(session.pid) if session.pid is not None else None
    text = plan.text if tty is None or tty in plan.text else f"{plan.text} It is on {tty}."
    return msgspec.structs.replace(plan, text=text, copy=format_commands(_offer_resume(session)))
