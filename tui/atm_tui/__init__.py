"""The terminal monitor for many Claude Code sessions."""

from atm_hooks import __version__ as __version__  # one version for the app and for the hooks that it copies
