"""Finds what is risky in a request, so that a yes has to be confirmed."""
