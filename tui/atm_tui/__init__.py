"""The terminal monitor for many Claude Code sessions."""

__version__ = "0.1.0"
