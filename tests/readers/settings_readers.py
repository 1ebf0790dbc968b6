"""Feeds of what the installer and doctor read: settings, receipts, backups, manifests, policy, the copied hooks, logs."""

import json
import os
import random
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

from atm_hooks import journal
from atm_tui.settings import apply as applying
from atm_tui.settings import doctor, survey, swap, trial
from atm_tui.settings.all_checks import find_config_dirs
from atm_tui.settings.answering import accepts_answers
from atm_tui.settings.apply import apply, read_settings
from atm_tui.settings.backup_copies import read_copies
from atm_tui.settings.command import Commands
from atm_tui.settings.doctor_state import check_hook_log
from atm_tui.settings.document import Document
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.files_in_use import list_files_in_use
from atm_tui.settings.hook_version import describe_copy
from atm_tui.settings.hookfiles import is_current
from atm_tui.settings.installer import Installer
from atm_tui.settings.kept_reports import HookReports
from atm_tui.settings.options import Options, Route
from atm_tui.settings.plan import Plan, plan_install
from atm_tui.settings.receipt import Receipts
from atm_tui.settings.setup import Setup
from atm_tui.settings.setup_steps import Mode, Request, apply_plans, find_changed, list_survey_files, plan_changes
from atm_tui.settings.status import list_read_files, read_hooks_status
from tests.readers.table import ReaderSandbox, feeds
from tests.support.damage import damage_bytes, damage_lines, damage_text
from tests.support.full_home import SESSION, write

NO_TRIALS = (
    patch.object(doctor, "try_command", lambda *_, **__: trial.Trial(1.0)),
    patch.object(doctor, "try_recording", lambda _: trial.Recording("")),
    patch.object(doctor, "measure_empty_program", lambda _: 0.0),
)
"""A damaged command is not run."""


def _make_installer(sandbox: ReaderSandbox) -> Installer:
    commands = Commands(Path(os.path.realpath(sys.executable)), sandbox.data / "hooks/atm_hooks", sandbox.state)
    return Installer(commands, Receipts(sandbox.data / "settings"), sandbox.claude, sandbox.data / "marketplace")


def _make_setup(sandbox: ReaderSandbox) -> Setup:
    found = survey.list_targets([sandbox.claude], sandbox.work / "api")
    picked = frozenset(each.path for each in found)
    return Setup(_make_installer(sandbox), found, picked, Options(), str(sandbox.folder), lambda: iter(()))


def _damage_settings(data: bytes, dice: random.Random) -> bytes:
    """Settings with hooks for a few events only, damaged: each place in them has its turn more often."""
    given = json.loads(data)
    hooks = given.get("hooks", {})
    few = {event: hooks[event] for event in ("PreToolUse", "PermissionRequest", "Stop") if event in hooks}
    given = {**given, "hooks": few} if few else given
    if few and dice.random() < 0.3:
        _damage_commands(given["hooks"], dice)
    text = json.dumps(given, indent=dice.choice([None, 2, "\t"])).encode()
    return damage_bytes(text, dice) if dice.random() < 0.4 else damage_lines([given], dice)


def _damage_commands(hooks: dict[str, Any], dice: random.Random) -> None:
    """Damages the text of commands, in such a way that some still count as ours."""
    for groups in hooks.values():
        for handler in groups[0]["hooks"]:
            words = handler["command"].split(" ")
            at = dice.randrange(len(words))
            words[at] = dice.choice(["a\0b", "/" + "y" * 300, "\ud800", "'", '"', "$(", *words, words[at] + "\0"])
            handler["command"] = " ".join(words)


@feeds(
    "atm_tui.settings.status:read_hooks_status",
    "atm_tui.settings.status:list_read_files",
    "atm_tui.settings.answering:_has_answering_hook",
    "atm_tui.settings.survey:survey_target",
    "atm_tui.settings.doctor:_read_document",
    "atm_tui.settings.apply:plan_when_stable",
    "atm_tui.settings.setup_steps:_read_bytes",
    "atm_tui.settings.setup_steps:_is_as_planned",
    fed="settings of a config folder and of a project, under status, survey, plans and doctor",
)
def feed_settings(sandbox: ReaderSandbox, dice: random.Random) -> str:
    path = write(sandbox.places["settings"], _damage_settings(sandbox.good["settings"], dice))
    write(sandbox.places["project settings"], _damage_settings(sandbox.good["project settings"], dice))
    read_hooks_status(sandbox.claude, sandbox.state)
    list_read_files(sandbox.claude, sandbox.state)
    accepts_answers(sandbox.claude)
    setup = _make_setup(sandbox)
    list_survey_files(setup, Options())
    with NO_TRIALS[0], NO_TRIALS[1], patch.object(applying, "SETTLE", 0.0):
        list(doctor.check_settings(sandbox.claude, sandbox.state))
        list(doctor.check_project(sandbox.work / "api", sandbox.claude, sandbox.state))
        list(doctor.check_sessions(sandbox.claude, sandbox.state, sandbox.now))
        planned = [plan_changes(setup, Request(mode, (path,)), Options()) for mode in (Mode.INSTALL, Mode.UNINSTALL)]
    for each in planned:
        find_changed(each)
        for plan in each.plans:
            Document(plan.after or b"{}")
    assert path.read_bytes() == read_settings(path)
    return "refused, with line and column" if planned[0].trouble else "planned"


@feeds(
    "atm_tui.settings.receipt:load",
    "atm_tui.settings.receipt:list_targets",
    "atm_tui.settings.files_in_use:file_contains_ours",
    fed="the receipt of an installation",
)
def feed_receipt(sandbox: ReaderSandbox, dice: random.Random) -> str:
    installer, path = _make_installer(sandbox), sandbox.places["settings"]
    receipt = {
        "target": str(path),
        "created": dice.random() < 0.3,
        "found": {"hooks": None, "statusLine": '{"type": "command", "command": "x"}', "hooks.Stop": "[]", "env": "{}"},
    }
    write(installer.receipts.get_path(path), damage_lines([receipt], dice))
    found = installer.receipts.load(path)
    list_files_in_use(installer.receipts, sandbox.claude)
    for folder in find_config_dirs([]):
        read_hooks_status(folder, sandbox.state)
    try:
        plan = installer.plan_uninstall(path, path.read_bytes())
    except SettingsError:
        return "refused"
    Document(plan.after or b"{}")
    return "no receipt" if found is None else "a receipt"


@feeds("atm_tui.settings.installer:plan_restore", fed="backups of settings, and their names")
def feed_backup(sandbox: ReaderSandbox, dice: random.Random) -> str:
    path = sandbox.places["settings"]
    name = (
        damage_text("2026-01-02T03-04-05.12", dice).decode("utf-8", "replace").replace("/", "").replace("\0", "")[:60]
    )
    for copy in (sandbox.places["backup"], path.with_name(f"settings.json.{name}.atm.bak")):
        copy.unlink(missing_ok=True)  # the damaged name can be that of the first
        kind = dice.random()
        if kind < 0.1:
            copy.symlink_to(dice.choice(["/dev/zero", copy.name, "/"]))
        elif kind < 0.15:
            os.mkfifo(copy)
        else:
            write(copy, _damage_settings(sandbox.good["settings"], dice))
    copies = read_copies(path)
    setup = _make_setup(sandbox)
    planned = [plan_changes(setup, Request(Mode.RESTORE, (path,), each.path), Options()) for each in copies]
    for copy in path.parent.glob("*.bak"):
        copy.unlink()
    return f"{len(planned)} offered"


@feeds(
    "atm_tui.settings.apply:apply",
    "atm_tui.settings.apply:_write_plan",
    "atm_tui.settings.apply:_read_back",
    "atm_tui.settings.swap:put_in_place",
    "atm_tui.settings.swap:_stays_equal",
    "atm_tui.settings.swap:_swap_back",
    fed="settings that another program damages while they are written",
)
def feed_apply(sandbox: ReaderSandbox, dice: random.Random) -> str:
    installer, path = _make_installer(sandbox), sandbox.places["settings"]
    original = b'{"model": "opus"}\n'
    write(path, original)
    damaged = _damage_settings(original, dice)

    def replan(before: bytes | None) -> Plan:
        return plan_install(path, before, Options(), installer.commands, None)

    def write_late(_: float) -> None:
        for each in (path, *path.parent.glob(".settings.json.*.atm.tmp")):
            if dice.random() < 0.3:
                each.write_bytes(damaged)

    plan = replan(original)
    if dice.random() < 0.5:
        write(path, damaged)
    with patch.object(swap.time, "sleep", write_late):
        try:
            apply(plan, replan, installer.receipts, lambda: datetime(2026, 1, 2, tzinfo=UTC))
        except SettingsError:
            return "refused"
        finally:
            for each in path.parent.glob("*.bak"):
                each.unlink()
    assert not list(path.parent.glob(".settings.json.*"))
    return "written"


@feeds(
    "atm_tui.settings.answering:accepts_answers",
    "atm_tui.settings.answering:_has_answering_hook",
    "atm_tui.settings.status:read_hooks_status",
    "atm_tui.settings.status:list_read_files",
    "atm_tui.settings.doctor:_check_plugin",
    "atm_tui.settings.installer:install",
    "atm_tui.settings.installer:read_options",
    "atm_tui.settings.installer:find_options",
    fed="hooks.json of the plugin",
)
def feed_plugin(sandbox: ReaderSandbox, dice: random.Random) -> str:
    path = write(sandbox.places["plugin"], _damage_settings(sandbox.good["plugin"], dice))
    write(sandbox.places["settings"], '{"enabledPlugins": {"atm-tui@atm-tui": true}}')
    asks = accepts_answers(sandbox.claude)
    report = HookReports(sandbox.state).find(sandbox.claude)
    assert report.answers == asks
    list_read_files(sandbox.claude, sandbox.state)
    with NO_TRIALS[0], NO_TRIALS[1]:
        list(doctor.check_settings(sandbox.claude, sandbox.state))
    setup = _make_setup(sandbox)
    setup.installer.find_options([sandbox.places["settings"]])
    options = Options(route=Route.PLUGIN)
    planned = plan_changes(setup, Request(Mode.INSTALL, (sandbox.places["settings"],)), options)
    with patch("atm_tui.settings.installer.copy_hooks", lambda *_: False), patch.object(swap.time, "sleep"):
        outcome = apply_plans(setup, planned, options)
    assert outcome.trouble or json.loads(path.read_bytes())
    return "hooks that answer" if asks else f"hooks {report.status}"


@feeds(
    "atm_tui.settings.survey:find_policy",
    "atm_tui.settings.status:find_disabling_file",
    fed="the policy files of an administrator",
)
def feed_policy(sandbox: ReaderSandbox, dice: random.Random) -> str:
    folder = sandbox.folder / "policy"
    given = {"disableAllHooks": False, "allowManagedHooksOnly": dice.random() < 0.5, "permissions": {"deny": ["x"]}}
    for name in ("managed-settings.json", "managed-settings.d/1.json", "managed-settings.d/2.json"):
        write(folder / name, damage_lines([given], dice))
    with (
        patch.object(survey, "locate_managed_dir", lambda: folder),
        patch("atm_tui.settings.status.locate_managed_dir", lambda: folder),
    ):
        policy = survey.find_policy()
        report = read_hooks_status(sandbox.claude, sandbox.state)
    list(doctor.check_policy(folder))
    assert len(policy) == 3
    return f"hooks {report.status}"


@feeds("atm_tui.settings.doctor_state:check_hook_log", fed="hook.log")
def feed_hook_log(sandbox: ReaderSandbox, dice: random.Random) -> str:
    text = "".join(f"{sandbox.now - ago:.3f} refused: no JSON: ValueError\n" for ago in (3e6, 90_000, 10, 1))
    write(sandbox.places["hook log"], damage_text(text, dice))
    (found,) = check_hook_log(sandbox.state, sandbox.now)
    return found.level.value


@feeds(
    "atm_tui.settings.hookfiles:digest",
    "atm_tui.settings.hook_version:read_hook_version",
    fed="the copied files of the hooks",
)
def feed_hook_copy(sandbox: ReaderSandbox, dice: random.Random) -> str:
    folder = sandbox.folder / "copy/atm_hooks"
    for name in ("hook.py", "fold.py"):
        write(folder / name, damage_text("import sys\n", dice))
    write(folder / "__init__.py", damage_text('__version__ = "0.1.0"\n', dice))
    assert describe_copy(folder)
    odd = folder / "odd.py"
    if dice.random() < 0.3:
        dice.choice([os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])(odd)
    (folder / "__pycache__").mkdir(exist_ok=True)
    write(folder / f"hook.py.{sys.implementation.cache_tag}", b"")
    assert not is_current(folder)
    if odd.is_dir():
        odd.rmdir()
    else:
        odd.unlink(missing_ok=True)
    return "copied anew"


@feeds("atm_tui.settings.trial:try_recording", fed="what a hook that doctor tries leaves")
def feed_trial(sandbox: ReaderSandbox, dice: random.Random) -> str:
    command = _make_installer(sandbox).commands.make_hook_command()
    event = {"at": 1.0, "event": "UserPromptSubmit"}

    def run(*_: object, **named: object) -> None:
        session = json.loads(str(named["input"], "utf-8"))["session_id"]  # type: ignore[call-overload]
        write(Path(journal.locate_journal(str(sandbox.state), session)), damage_lines([event], dice))
        if dice.random() < 0.7:
            write(Path(journal.locate_state(str(sandbox.state), session)), damage_lines([{}], dice))

    with patch.object(trial.subprocess, "run", run):
        problem = trial.try_recording(command).problem
    assert {path.stem for path in (sandbox.state / "sessions").iterdir()} == {SESSION}
    return "a problem" if problem else "it records"
