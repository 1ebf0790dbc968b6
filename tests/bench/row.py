"""A row of the table that `python -m tests.bench` prints: a figure beside its reference and its aim."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Aim:
    """What a figure, or its ratio to the reference, should be."""

    limit: float
    of: Literal["ratio", "figure"] = "ratio"
    side: Literal["at most", "at least"] = "at most"

    def is_met(self, value: float) -> bool:
        """Returns whether a value is on the wanted side of the limit."""
        return value <= self.limit if self.side == "at most" else value >= self.limit


@dataclass(frozen=True)
class Row:
    """What was measured. A ratio is to a reference that was measured in turn with it, in the same run."""

    name: str
    figure: float | None
    """The median of several runs; None: it could not be measured, and `note` says why."""
    unit: str = ""
    reference: str = ""
    """What the ratio is to; empty: there is none."""
    ratio: float | None = None
    aim: Aim | None = None
    spread: float | None = None
    """Half of the distance between the quartiles of all runs, as a share of the median."""
    note: str = ""

    @property
    def is_met(self) -> bool | None:
        """Whether the aim is met; None: there is no aim, or no figure."""
        if self.aim is None:
            return None
        value = self.ratio if self.aim.of == "ratio" else self.figure
        return None if value is None else self.aim.is_met(value)


def compute_spread(values: Sequence[float]) -> float | None:
    """Returns half of the distance between the quartiles as a share of the median; None for fewer than three values."""
    middle = statistics.median(values) if len(values) > 2 else 0.0
    if not middle:
        return None
    first, _, third = statistics.quantiles(values, n=4)
    return (third - first) / 2 / middle


def summarize(
    name: str,
    values: Sequence[float],
    unit: str,
    references: Sequence[float] = (),
    *,
    reference: str = "",
    aim: Aim | None = None,
    note: str = "",
) -> Row:
    """Returns the row of several runs: medians of the values, and of their ratios to the references measured in turn with them."""
    ratios = [value / base for value, base in zip(values, references, strict=True)] if references else []
    return Row(
        name,
        statistics.median(values),
        unit,
        reference,
        statistics.median(ratios) if ratios else None,
        aim,
        compute_spread(ratios or values),
        note,
    )
