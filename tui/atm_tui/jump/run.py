"""Runs a terminal's own programs: to ask before a jump, and to jump."""

import shutil
import subprocess

from atm_tui.jump.values import Command, JumpError

_PATIENCE = 10.0
"""Seconds that a program may take."""


def is_there(program: str) -> bool:
    """Whether the PATH has this program."""
    return shutil.which(program) is not None


def output(command: Command, *, any_status: bool = False) -> str:
    """What a command prints. Raises JumpError, in the program's own words, when it fails or (unless `any_status`) says so."""
    # env in front only sets variables: the program is what follows them
    program = next(word for word in command if word != "env" and "=" not in word)
    if not is_there(program):
        raise JumpError(f"{program} is not on the PATH")
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
    except OSError as error:
        raise JumpError(f"{program} can't be run: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise JumpError(f"{program} gave no answer within {_PATIENCE:.0f} s") from error
    if done.returncode and not any_status:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise JumpError(f"{program}: {said[0] if said else f'ended with {done.returncode}'}")
    return done.stdout
