"""Parses each style sheet once for all apps of a process: Textual parses them twice at every start of an app.

A rule is not changed once it is parsed, so that apps can share it. What a parse depends on is its key: the text, where
it is from, its scope and rank, and the variables of the theme.
"""

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation

_parse = Stylesheet._parse_rules
_parsed: dict[tuple[object, ...], list[RuleSet]] = {}


def _parse_once(
    self: Stylesheet,
    css: str,
    read_from: CSSLocation,
    is_default_rules: bool = False,
    tie_breaker: int = 0,
    scope: str = "",
) -> list[RuleSet]:
    key = (css, read_from, is_default_rules, tie_breaker, scope, frozenset(self._variables.items()))
    if key not in _parsed:
        _parsed[key] = _parse(self, css, read_from, is_default_rules, tie_breaker, scope)
    return _parsed[key]


def install() -> None:
    """Makes Textual's style sheets look here first."""
    Stylesheet._parse_rules = _parse_once  # type: ignore[method-assign]
