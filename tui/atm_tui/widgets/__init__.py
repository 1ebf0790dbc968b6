"""Widgets: one file each."""
