"""Textual widgets, one file each."""
