"""Tables of names, written as text."""

PRODUCTION = frozenset({"prod", "production", "live", "staging"})
"""Names of environments that other people use."""


def read_names(text: str) -> frozenset[str]:
    """Returns the names in a text, separated by blanks."""
    return frozenset(text.split())
