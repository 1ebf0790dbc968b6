"""Ids of sessions, as the client makes them."""

A, B, C, D = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "abcd")
