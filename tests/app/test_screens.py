"""Screens are composed of views and controllers instead of inheriting from other screens."""

import importlib
import pkgutil

from textual.screen import Screen

from atm_tui import screens
from atm_tui.screens import controllers
from atm_tui.screens.app_screen import AppScreen


def _list_classes(package: object) -> list[type]:
    path, name = package.__path__, package.__name__  # type: ignore[attr-defined]
    modules = [importlib.import_module(f"{name}.{each.name}") for each in pkgutil.iter_modules(path)]
    return [
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type) and each.__module__ == module.__name__
    ]


def test_no_screen_inherits_more_than_three_classes_of_ours() -> None:
    found = [each for each in _list_classes(screens) if issubclass(each, Screen)]
    assert len(found) > 8
    for each in found:
        ours = {base for base in each.__mro__ if base.__module__.startswith("atm_tui.")}
        assert len(ours - set(AppScreen.__mro__)) <= 3, each


def test_controllers_have_no_base_classes() -> None:
    found = [each for each in _list_classes(controllers) if each.__name__.endswith("Controller")]
    assert len(found) > 6
    assert all(each.__bases__ == (object,) for each in found)
