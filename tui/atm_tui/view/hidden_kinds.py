"""The words for sessions that are hidden by their kind."""

from collections.abc import Collection


def format_hidden(kinds: Collection[str], hidden: int | None, key: str) -> str:
    """Returns a message about the sessions of these kinds: how many are hidden or, with None, that they are shown.

    `key`: the label of the key that shows them.
    """
    done = "are shown" if hidden is None else f"are hidden ({hidden}); {key} shows them"
    return f"{' and '.join(sorted(kinds, reverse=True))} sessions {done}"
