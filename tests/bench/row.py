"""A row of the table that `python -m tests.bench` prints."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What was measured, as a multiple of something that was measured in turn with it."""

    name: str
    figure: str
    """With its unit."""
    reference: str
    """What the ratio is to."""
    ratio: float | None
    aim: float | None = None
    """The highest ratio that is wanted; None: there is no aim, or it is in `aims`."""
    aims: str = ""
    """An aim that is no ratio."""

    def __str__(self) -> str:
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        aim = self.aims or ("" if self.aim is None else f"at most {self.aim:g}")
        missed = self.aim is not None and self.ratio is not None and self.ratio > self.aim
        return f"{self.name:<58} {self.figure:>12} {ratio:>7} x {self.reference:<17} {aim:<16}{'  missed' if missed else ''}"
