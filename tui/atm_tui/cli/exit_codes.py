"""Exit codes of the commands that go to a session, and how their help lists them."""

from enum import IntEnum


class Exit(IntEnum):
    """What became of it. 1 (configuration) and 2 (words that make no sense) are the command line's own."""

    DONE = 0
    NO_SESSION = 3
    AMBIGUOUS = 4
    CANT = 5
    FAILED = 6
    DECLINED = 7


EPILOG = """exit codes:
  0  done, already there, or printed
  1  the configuration can't be read
  2  words that make no sense, or a question and nobody to ask
  3  no session of that id or name, or none waits
  4  several sessions can be meant; they are listed
  5  can't be done; what can be done instead is said
  6  a command of the terminal or the client failed
  7  you said no"""
