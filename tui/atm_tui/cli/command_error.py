"""How a command ends early: with one message on stderr and one exit code."""

from atm_tui.cli.exit_codes import ExitCode


class CommandError(Exception):
    """The command can't do what it was asked for. The text is for a person; `main` prints it and exits with the code."""

    def __init__(self, text: str, code: ExitCode) -> None:
        super().__init__(text)
        self.code = code
