"""Goes through the source of hooks and app: for tests that allow a kind of call in named functions only."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def list_sources() -> list[Path]:
    """All modules of the app and of the hooks."""
    return sorted([*ROOT.glob("tui/**/*.py"), *ROOT.glob("hooks/**/*.py")])


def find_calls(tree: ast.AST, matches: Callable[[ast.AST], bool]) -> Iterator[tuple[str, int]]:
    """Yields, for each node that matches, the name of the innermost function around it (or "<module>") and its line."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in ast.walk(tree):
        if matches(node):
            line: int = node.lineno  # type: ignore[attr-defined]
            inside = [each for each in functions if each.lineno <= line <= (each.end_lineno or 0)]
            yield (max(inside, key=lambda each: each.lineno).name if inside else "<module>"), line
