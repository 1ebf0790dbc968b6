"""The filters that the user typed last, and those that have a name. Pure."""

import re

import msgspec

MOST_RECENT = 50
"""Number of filters that are remembered."""
MOST_SAVED = 50
"""Number of filters that can have a name."""
LONGEST = 500
"""Longest filter that is remembered, in characters."""
NAME = re.compile(r"[\w.-]{1,32}")


class FilterBook(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered of filters."""

    recent: tuple[str, ...] = ()
    """As typed, newest first."""
    saved: dict[str, str] = {}
    """By name in casefold."""


def add_recent(book: FilterBook, text: str) -> FilterBook:
    """Returns the book with a filter that was used just now."""
    line = text.strip()
    if not line or len(line) > LONGEST:
        return book
    rest = [each for each in book.recent if each != line]
    return msgspec.structs.replace(book, recent=(line, *rest)[:MOST_RECENT])


def explain_bad_name(book: FilterBook, name: str) -> str | None:
    """Returns why a filter can't have this name; None if it can."""
    if not NAME.fullmatch(name):
        return "a name has letters, digits, - _ or . and at most 32 of them"
    if name.casefold() not in book.saved and len(book.saved) >= MOST_SAVED:
        return f"there are {MOST_SAVED} saved filters already; ^r removes the one in the line"
    return None


def save_filter(book: FilterBook, name: str, text: str) -> FilterBook:
    """Returns the book with a named filter."""
    return msgspec.structs.replace(book, saved={**book.saved, name.casefold(): text.strip()[:LONGEST]})


def remove_filter(book: FilterBook, name: str) -> FilterBook:
    """Returns the book without a named filter."""
    kept = {key: text for key, text in book.saved.items() if key != name.casefold()}
    return msgspec.structs.replace(book, saved=kept)
