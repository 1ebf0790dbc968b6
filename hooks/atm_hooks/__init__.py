"""Runs inside Claude Code. Standard library only."""
