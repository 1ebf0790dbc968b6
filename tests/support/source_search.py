"""Searches the source of hooks and app, for tests that allow a kind of call only in certain functions."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def list_sources() -> list[Path]:
    """Returns all modules of the app and of the hooks."""
    return sorted([*ROOT.glob("tui/**/*.py"), *ROOT.glob("hooks/**/*.py")])


def find_calls(tree: ast.AST, matches: Callable[[ast.AST], bool]) -> Iterator[tuple[str, int]]:
    """Yields, for each node that matches, the name of the innermost function around it (or "<module>") and its line."""
    functions, lines = [], []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append(node)
        if matches(node):
            lines.append(node.lineno)  # type: ignore[attr-defined]
    for line in lines:
        inside = [each for each in functions if each.lineno <= line <= (each.end_lineno or 0)]
        yield (max(inside, key=lambda each: each.lineno).name if inside else "<module>"), line


def parse_sources(hint: str) -> Iterator[tuple[str, ast.Module]]:
    """Yields the name and the syntax tree of each module in whose text a regular expression finds something.

    `hint`: finds at least what is searched for in the tree; it spares most modules the parser.
    """
    pattern = re.compile(hint)
    for file in list_sources():
        text = file.read_text("utf-8")
        if pattern.search(text):
            yield str(file.relative_to(ROOT)), ast.parse(text)
