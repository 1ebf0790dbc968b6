"""Recorded sessions that `atm-tui demo` replays through the real hook code."""
