"""Answering is opt-in: without it nothing is other than before; with it one handler waits; and a new install keeps the choice."""

import json
import os
from pathlib import Path

import pytest

from atm_tui.settings.answering import accepts_answers
from atm_tui.settings.apply import read_settings
from atm_tui.settings.check import Level
from atm_tui.settings.doctor import check_answers, check_settings
from atm_tui.settings.document import Document
from atm_tui.settings.inspection import Fault, inspect
from atm_tui.settings.options import ANSWER_TIMEOUT, ANSWERS_MEAN, EVENT_NAMES, EventSet, Options, Route
from atm_tui.settings.status import HookStatus, read_hooks_status
from atm_tui.view.wizard_options import list_choices, toggle_choice
from tests.support.effort import sample

MINE = b'{\n\t"hooks": {"PermissionRequest": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/my/own"}]}]}\n}'
ASKED = "PermissionRequest"


def list_handlers(data: bytes | None) -> dict[str, dict[str, object]]:
    """Our handlers by event."""
    hooks = json.loads(data or b"")["hooks"]
    return {event: groups[-1]["hooks"][-1] for event, groups in hooks.items()}


def test_without_answering_the_settings_are_unchanged(install) -> None:
    for answers in (None, False):
        plan = install(MINE, answers=answers)
        assert b"--answers" not in plan.after
        assert plan.after == install(MINE).after
        assert list_handlers(plan.after)[ASKED]["timeout"] == 5


def test_with_answering_one_handler_waits_and_the_others_are_unchanged(install, commands) -> None:
    before, after = list_handlers(install(MINE).after), list_handlers(install(MINE, answers=True).after)
    assert after.pop(ASKED) == {
        "type": "command",
        "command": commands.make_hook_command().replace(" 2>/dev/null", " --answers 2>/dev/null"),
        "timeout": 3660,
    }
    assert {**after, ASKED: before[ASKED]} == before
    assert ANSWER_TIMEOUT > 3600


@pytest.mark.parametrize("original", sample([MINE, b"{}", b"{ }\r\n", None], MINE, None))
def test_a_second_install_keeps_or_changes_the_choice_and_uninstall_restores_every_byte(
    machine, original: bytes | None
) -> None:
    if original is not None:
        machine.path.write_bytes(original)
    for answers, waits in ((None, False), (True, True), (None, True), (False, False), (None, False), (True, True)):
        machine.install(Options(answers=answers))
        assert accepts_answers(machine.path.parent) is waits
        assert (b" --answers " in (read_settings(machine.path) or b"")) is waits
    assert not machine.install(Options()), "twice is the same as once"
    machine.uninstall()
    assert read_settings(machine.path) == original
    assert not accepts_answers(machine.path.parent)


def test_undo_restores_the_previous_choice(machine) -> None:
    machine.install(Options())
    before = machine.path.read_bytes()
    done = machine.install(Options(answers=True))
    machine.installer.undo(done)
    assert machine.path.read_bytes() == before


def test_answers_combine_with_other_options(install) -> None:
    plan = install(b"{}", answers=True, events=EventSet.LEAN, async_=frozenset(EVENT_NAMES))
    found = list_handlers(plan.after)
    assert found[ASKED]["timeout"] == ANSWER_TIMEOUT
    assert "async" not in found[ASKED]
    assert found["Stop"]["async"] is True


@pytest.mark.parametrize("tmux", [True, False])
def test_the_plugin_waits_too_and_keeps_the_choice(machine, tmux: bool) -> None:
    machine.path.write_bytes(b'{"enabledPlugins": {"atm-tui@atm-tui": true}}')
    for answers, waits in ((None, False), (True, True), (None, True), (False, False)):
        machine.install(Options(route=Route.PLUGIN, answers=answers, tmux=tmux))
        text = next(machine.installer.plugin.rglob("hooks.json")).read_text()
        assert (" --answers " in text) is waits
        assert (" --tmux " in text) is tmux
        assert ("prints nothing" in text) is not waits


def test_the_choice_moves_from_the_settings_to_the_plugin(machine) -> None:
    machine.install(Options(answers=True))
    machine.install(Options(route=Route.PLUGIN))
    assert " --answers " in next(machine.installer.plugin.rglob("hooks.json")).read_text()


def test_the_command_line_explains_answering_and_refuses_conflicts(run, home) -> None:
    code, out, err = run("install", "--answers", "--async", ASKED, "--yes")
    assert (code, out) == (1, "")
    assert "--answers needs Claude Code to wait" in err
    code, out, _ = run("install", "--answers", "--yes")
    assert code == 0
    assert ANSWERS_MEAN in out
    assert accepts_answers(home / ".claude")
    code, out, _ = run("install", "--yes")
    assert "Nothing to do" in out
    code, out, _ = run("install", "--no-answers", "--yes")
    assert code == 0
    assert ANSWERS_MEAN not in out
    assert not accepts_answers(home / ".claude")


class TestDoctor:
    @pytest.fixture
    def waiting(self, run, home) -> Path:
        assert run("install", "--answers", "--yes")[0] == 0
        return home / ".claude"

    @pytest.mark.usefixtures("nothing_is_slow")
    def test_doctor_reports_answering_and_tries_the_command_without_waiting(self, waiting, home) -> None:
        found = list(check_settings(waiting, home / "state" / "atm-tui"))
        assert [(each.name, each.level) for each in found] == [
            (name, Level.OK) for name in ("settings", "hooks", "answers", "hook", "hook", "statusline", "recording")
        ]

    @pytest.mark.parametrize(
        ("old", "new"),
        [('"timeout": 3660', '"timeout": 5'), ('"timeout": 3660', '"async": true'), (', "timeout": 3660', "")],
    )
    def test_an_unusable_answer_hook_is_reported_and_repaired_by_an_install(
        self, waiting, home, run, old: str, new: str
    ) -> None:
        path = waiting / "settings.json"
        good = path.read_text()
        content = json.loads(good)
        handler = content["hooks"][ASKED][0]["hooks"][0]
        path.write_text(json.dumps(content).replace(json.dumps(handler), json.dumps(handler).replace(old, new)))
        levels = {each.name: each.level for each in check_settings(waiting, home / "state" / "atm-tui")}
        assert levels["deaf"] is Level.BROKEN
        report = read_hooks_status(waiting, home / "state" / "atm-tui")
        assert report.status is HookStatus.STALE
        assert "answer" in report.message
        assert run("install", "--yes")[0] == 0
        assert json.loads(path.read_text()) == json.loads(good)

    def test_without_the_choice_nothing_mentions_answers(self, config_dir, home) -> None:
        found = inspect(Document((config_dir / "settings.json").read_bytes()), home / "state" / "atm-tui")
        assert not found.answers
        assert Fault.DEAF not in dict(found.faults)
        assert list(check_answers(home / "state" / "atm-tui")) == []

    def test_a_folder_readable_by_others_is_named(self, tmp_path: Path) -> None:
        folder = tmp_path / "answers" / "requests"
        folder.mkdir(0o700, parents=True)
        for path in (tmp_path, folder.parent):
            path.chmod(0o700)
        assert [each.level for each in check_answers(tmp_path)] == [Level.OK]
        os.chmod(folder, 0o755)  # noqa: PTH101
        (check,) = check_answers(tmp_path)
        assert check.level is Level.WARNING
        assert "requests is not yours alone" in check.text
        assert "chmod -R go=" in check.advice


class TestWizard:
    def chosen(self, options: Options) -> str:
        return next(each.value for each in list_choices(options) if each.name == "answering")

    def test_answering_is_off_until_chosen_and_is_explained(self) -> None:
        options = Options()
        assert self.chosen(options) == "as it is"
        options = toggle_choice(options, "answering")
        assert (self.chosen(options), options.answers) == ("on", True)
        options = toggle_choice(options, "answering")
        assert (self.chosen(options), options.answers) == ("off", False)
        about = next(each.about for each in list_choices(options) if each.name == "answering")
        assert "never answers by itself" in about

    def test_while_it_is_on_claude_waits_at_a_permission_request(self) -> None:
        options = Options(answers=True)
        assert toggle_choice(options, ASKED) == options
        assert toggle_choice(Options(), ASKED).async_ == {ASKED}
        back = toggle_choice(toggle_choice(Options(async_=frozenset([ASKED])), "answering"), "answering")
        assert back.async_ == {ASKED}, "the choice of before comes back"
