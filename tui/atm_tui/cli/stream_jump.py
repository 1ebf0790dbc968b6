"""Carries out the command `jump` of a stream: shows the terminal of a session in one that a person has open on this machine."""

from atm_tui.cli.stream_served import RefusedError, Served
from atm_tui.cli.stream_views import find_asked
from atm_tui.jump.plan import plan_jump
from atm_tui.jump.run import run_plan
from atm_tui.jump.values import JumpError, Outcome, OwnTerminal
from atm_tui.model.stream_commands import JumpRequest, JumpResult


def jump_to_session(asked: JumpRequest, served: Served) -> JumpResult:
    """Goes to the terminal of a session. Raises RefusedError when none that is open here can show it."""
    plan = plan_jump(find_asked(asked.session_id, served), OwnTerminal())
    if plan.outcome is Outcome.GO:
        try:
            run_plan(plan)
        except JumpError as error:
            raise RefusedError(str(error)) from error
    elif plan.outcome is not Outcome.THERE:
        raise RefusedError(plan.text)
    return JumpResult(text=plan.text)
