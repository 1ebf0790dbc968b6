"""With `install --notify` the hooks name the Python that gives notifications; doctor tells when it is gone."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from atm_tui import paths
from atm_tui.cli.install import add_install_arguments, run_install
from atm_tui.settings.command import Commands, find_notifier
from atm_tui.settings.document import Document
from atm_tui.settings.inspection import Fault, inspect
from atm_tui.settings.options import Options
from atm_tui.view.wizard_options import list_choices, toggle_choice


def install(config_dir: Path, *words: str) -> list[str]:
    """Returns the commands of all hooks."""
    parser = argparse.ArgumentParser()
    add_install_arguments(parser)
    assert run_install(parser.parse_args(["--yes", *words])) == 0
    hooks = json.loads((config_dir / "settings.json").read_text())["hooks"]
    return [each["hooks"][0]["command"] for groups in hooks.values() for each in groups]


def test_every_hook_names_the_python_of_atm_tui_until_it_is_installed_without(config_dir: Path, capsys) -> None:
    assert {find_notifier(each) for each in install(config_dir, "--notify", "--answers")} == {Path(sys.executable)}
    document = Document((config_dir / "settings.json").read_bytes())
    assert inspect(document, paths.find_state_dir()).faults == ()
    assert {find_notifier(each) for each in install(config_dir)} == {None}


def test_a_python_that_is_gone_is_a_fault(config_dir: Path, commands: Commands, capsys) -> None:
    install(config_dir, "--notify")
    path = config_dir / "settings.json"
    path.write_text(path.read_text().replace(f"--notify {sys.executable}", "--notify '/no where/python'"))
    faults = inspect(Document(path.read_bytes()), paths.find_state_dir()).faults
    assert faults == ((Fault.DANGLING, "the Python that gives notifications is gone: /no where/python"),)
    assert find_notifier(replace(commands, notifier=Path("/a 'b")).make_hook_command()) == Path("/a 'b")
    assert find_notifier(commands.wrap("echo --notify x")) is None


def test_the_wizard_switches_it_on_and_off() -> None:
    on = toggle_choice(Options(), "notifier")
    assert on.notify
    assert {each.name: each.value for each in list_choices(on)}["notifier"] == "on"
    assert toggle_choice(on, "notifier") == Options()
