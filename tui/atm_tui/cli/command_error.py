"""The error that ends a command: a message for stderr and an exit code."""

from atm_tui.cli.exit_codes import ExitCode


class CommandError(Exception):
    """A command failed. `main` prints the text, which is for a person, and exits with the code."""

    def __init__(self, text: str, code: ExitCode) -> None:
        super().__init__(text)
        self.code = code
