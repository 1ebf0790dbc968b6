"""Jumps from a session to its terminal: one file per terminal, and the plan that picks one."""
