"""The hook, which runs inside Claude Code: it records events and folds them into states. Standard library only."""

__version__ = "0.2.0"
