"""Runs the programs that query and control terminals. The code that runs them is loaded with the first one."""

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from atm_tui import paths
from atm_tui.jump.values import Command, JumpError, JumpPlan
from atm_tui.model.decoding import decode_json

T = TypeVar("T")

_TIMEOUT = 10.0
"""Time limit of a program in seconds."""


def has_program(program: str) -> bool:
    """Whether the PATH has this program."""
    import shutil  # noqa: PLC0415

    return shutil.which(program) is not None


def get_program(command: Command) -> str:
    """Returns the program that a command runs, after a leading `env` and the variables that it sets."""
    return next(word for word in command if word != "env" and "=" not in word)


def resolve_program(command: Command) -> Command | None:
    """Returns the command with the full path of its program, for a process with another PATH; None when our PATH lacks it."""
    import shutil  # noqa: PLC0415

    program = get_program(command)
    path = shutil.which(program)
    return tuple(path if word == program else word for word in command) if path else None


def run_command(command: Command, *, any_status: bool = False) -> str:
    """Runs a command and returns what it prints on stdout.

    Raises JumpError when it can't be run, takes too long or (unless `any_status`) exits with another code than 0, with
    the first line that it printed.
    """
    import subprocess  # noqa: PLC0415

    program = get_program(command)
    if not has_program(program):
        raise JumpError(f"{program} is not on the PATH")
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT,
            check=False,
        )
    except OSError as error:
        raise JumpError(f"{program} can't be run: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise JumpError(f"{program} gave no answer within {_TIMEOUT:.0f} s") from error
    if done.returncode and not any_status:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise JumpError(f"{program}: {lines[0] if lines else f'ended with {done.returncode}'}")
    return done.stdout


def read_json_output(command: Command, kind: type[T]) -> T:
    """Runs a command and decodes the JSON that it prints as `kind`. Raises JumpError as `run_command`, and for other output."""
    printed = run_command(command)
    try:
        return decode_json(printed, kind)
    except (ValueError, RecursionError) as error:  # errors of msgspec are ValueErrors
        raise JumpError(f"what it prints is not understood: {error}") from error


class Fed(msgspec.Struct, frozen=True, kw_only=True):
    """How a program ended that got some input."""

    code: int | None = None
    """Its exit code; None if it could not be run, took too long, or still runs."""
    problem: str = ""
    """Why it failed, without its name; "" on success, or while it runs."""


def feed_program(
    command: Command,
    given: bytes,
    timeout: float,
    *,
    variables: Mapping[str, str] | None = None,
    outlives: bool = False,
) -> Fed:
    """Runs a program with some input, and without its output. Blocks for as long as it runs, at most `timeout` seconds.

    `variables`: added to the environment. `outlives`: whether it may run for longer, and after us; else it is killed.
    """
    import subprocess  # noqa: PLC0415

    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            # some programs keep running in the background, and would keep a pipe open
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=paths.extend_environment(variables or {}),
            start_new_session=outlives,
        )
        process.communicate(given, timeout)
    except (OSError, ValueError) as error:
        return Fed(problem=str(getattr(error, "strerror", None) or error))
    except subprocess.TimeoutExpired:
        if outlives:
            return Fed()
        process.kill()
        process.communicate()
        return Fed(problem=f"gave no answer within {timeout:.0f} s")
    return Fed(code=process.returncode, problem=f"ended with {process.returncode}" if process.returncode else "")


def run_plan(plan: JumpPlan) -> None:
    """Runs the commands of a plan. Raises JumpError when one fails, and does not run those after it."""
    for command in plan.commands:
        run_command(command)
