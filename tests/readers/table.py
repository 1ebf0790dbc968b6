"""The table of all readers: what each reads, and a function that feeds it one damaged input."""

import random
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from atm_tui.config import Config
from atm_tui.cost.pricing import load_default_table
from atm_tui.monitor.live import LiveMonitor
from tests.support.full_home import FullHome


class ReaderSandbox(FullHome):
    """A full home, whose files a reader's feed replaces by damaged ones."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.table = load_default_table()
        self.good = {name: path.read_bytes() for name, path in self.places.items() if path.exists()}
        """The files as they were at first."""

    @cached_property
    def monitor(self) -> LiveMonitor:
        """A monitor that goes on from input to input, as in an app that runs."""
        return LiveMonitor(self.state, [self.claude], Config(), table=self.table)


Feed = Callable[[ReaderSandbox, random.Random], str]


class Reader(NamedTuple):
    """A row of the table."""

    feed: Feed
    """Feeds one damaged input. Returns what came out, in a word; raises only what no caller of the reader expects."""
    functions: tuple[str, ...]
    """The functions that call an opener of files, or ask another program, as `module:function`."""
    fed: str
    """What is damaged."""


READERS: dict[str, Reader] = {}
"""By the name of the feed."""


def feeds(*functions: str, fed: str) -> Callable[[Feed], Feed]:
    """Puts a feed into the table, with the functions that it feeds."""

    def add(feed: Feed) -> Feed:
        READERS[feed.__name__.removeprefix("feed_")] = Reader(feed, functions, fed)
        return feed

    return add
