"""Reads what is on disk, one file per source: bytes to facts, tolerant of anything."""
