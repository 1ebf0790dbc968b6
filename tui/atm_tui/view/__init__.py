"""Turns values into text: rows, cells, lines and panes; needs no screen."""
