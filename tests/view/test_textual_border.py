"""Imports of textual: view/ uses only its values, and every module of widgets/ defines a widget."""

import ast
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest
from textual.widget import Widget

from atm_tui import view, widgets

VALUES = {"textual.color", "textual.content", "textual.filter", "textual.strip", "textual.style", "textual.theme"}
"""Modules of textual that hold values, and need neither an app nor a widget."""
WITHOUT_WIDGET = {"atm_tui.widgets.ends_workers_first", "atm_tui.widgets.given_layout", "atm_tui.widgets.painting"}
"""Modules of widgets/ without one: what widgets and screens share, and a layout."""


def list_modules(package: object) -> list[str]:
    assert inspect.ismodule(package)
    return [f"{package.__name__}.{each.name}" for each in pkgutil.iter_modules(package.__path__)]


@pytest.mark.parametrize("name", list_modules(view))
def test_the_view_imports_no_app_and_no_widget(name: str) -> None:
    tree = ast.parse(Path(str(importlib.import_module(name).__file__)).read_text())
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
        elif isinstance(node, ast.Import):
            imported |= {each.name for each in node.names}
    assert {each for each in imported if each.startswith("textual")} <= VALUES


@pytest.mark.parametrize("name", list_modules(widgets))
def test_every_module_of_widgets_defines_a_widget(name: str) -> None:
    module = importlib.import_module(name)
    classes = [each for each in vars(module).values() if inspect.isclass(each) and each.__module__ == name]
    assert any(issubclass(each, Widget) for each in classes) is (name not in WITHOUT_WIDGET)
