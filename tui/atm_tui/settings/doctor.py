"""The checks of `atm-tui doctor`: each examines one thing, and reports what it found and what to do."""

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from atm_hooks.journal import UnsafeError
from atm_hooks.lease import PARTS
from atm_hooks.private import FOLDER, open_folder
from atm_hooks.proc import read_pid_domain
from atm_tui.model.pid_domain import Place, find_place
from atm_tui.settings.apply import read_settings
from atm_tui.settings.check import Check, Level
from atm_tui.settings.command import find_wrapped, is_ours, split_command
from atm_tui.settings.document import Document
from atm_tui.settings.errors import DROPPED_FILE, READ_ANYWAY, EncodingError, JsonError, SettingsError
from atm_tui.settings.hook_speed import describe_slow_hook, format_ratio, is_slow, measure_empty_program
from atm_tui.settings.inspection import Fault, Inspection, has_flag, inspect
from atm_tui.settings.locations import (
    Scope,
    list_managed_files,
    locate_managed_dir,
    locate_plugin_hooks,
    locate_settings_file,
)
from atm_tui.settings.plugin import is_enabled
from atm_tui.settings.read import read_bytes
from atm_tui.settings.status import find_disabling_file
from atm_tui.settings.trial import Recording, Trial, try_command, try_recording
from atm_tui.settings.validity import Effect, find_faults
from atm_tui.sources.exists import exists, is_file, is_link
from atm_tui.sources.process import ProcessTable
from atm_tui.sources.registry import RegistrySource

INSTALL = "Run `atm-tui install`."
ADVICE = {
    Fault.OLD: "Run `atm-tui install --renew`, or press i in the app: it shows what changes, and keeps your options.",
    Fault.NEWER: "Update atm-tui: it is older than the hook that runs.",
}


def check_settings(config_dir: Path, state_dir: Path) -> Iterator[Check]:
    """Checks the settings file of a config folder and our entries in it, and runs each of our commands once."""
    path = config_dir / "settings.json"
    where = str(path)
    document = _read_document(path)
    if isinstance(document, Check):
        yield document
        return
    if document is None:
        yield Check("hooks", Level.WARNING, where, "no settings file, so no hooks", INSTALL)
        return
    yield from _check_validity(document, where)
    if reason := find_disabling_file(document, list_managed_files(locate_managed_dir())):
        yield Check(
            "disabled", Level.BROKEN, where, f"{reason}: no hook runs", "Set it to false, or ask whoever set it."
        )
    inspection = inspect(document, state_dir)
    by_plugin = is_enabled(document.encode())
    if by_plugin and inspection.is_installed:
        text = "hooks in the settings and in the plugin: every event arrives twice"
        yield Check("routes", Level.WARNING, where, text, "In Claude Code: /plugin uninstall atm-tui@atm-tui")
    yield from _check_our_entries(inspection, where, by_plugin=by_plugin)
    if by_plugin:
        yield from _check_plugin(state_dir)


def check_project(project: Path, config_dir: Path, state_dir: Path) -> Iterator[Check]:
    """Checks the two settings files of a project, which the client adds to those of the config folder; both are optional."""
    user = config_dir / "settings.json"
    known = _read_document(user)
    commands = set(inspect(known, state_dir).commands) if isinstance(known, Document) else set()
    for scope in (Scope.PROJECT, Scope.LOCAL):
        path = locate_settings_file(scope, config_dir, project)
        document = None if path == user else _read_document(path)
        if isinstance(document, Check):
            yield document
        if not isinstance(document, Document):
            continue
        yield from _check_validity(document, str(path))
        yield from _check_overrides(path, document)
        inspection = inspect(document, state_dir)
        # The client runs identical handlers once.
        if inspection.is_installed and commands and not commands & set(inspection.commands):
            text = f"hooks of ours that differ from those in {user}: every event arrives twice"
            yield Check("routes", Level.WARNING, str(path), text, f"Run `atm-tui uninstall --scope {scope}` here.")
        if inspection.is_installed:
            yield from _check_our_entries(inspection, str(path), by_plugin=False)


def check_policy(folder: Path) -> Iterator[Check]:
    """Checks an administrator's policy, if any."""
    for path in list_managed_files(folder):
        document = _read_document(path)
        if isinstance(document, Document):
            flags = [name for name in ("disableAllHooks", "allowManagedHooksOnly") if has_flag(document, name)]
            keys = ", ".join(dict.fromkeys(item.name for item in document.root.items)) or "nothing"
            if flags:
                text, advice = (
                    f"sets {' and '.join(flags)}: our hooks don't run",
                    "Ask the administrator of this machine.",
                )
                yield Check("policy", Level.WARNING, str(path), text, advice)
            else:
                yield Check("policy", Level.OK, str(path), f"an administrator sets {keys}")
        elif document is not None:
            yield replace(
                document, name="policy", level=Level.WARNING, advice="Tell the administrator of this machine."
            )


def _read_document(path: Path) -> Document | Check | None:
    """Returns a settings file as the client reads it; None when there is none, a finding when it can't be read."""
    try:
        data = read_settings(path)
        return None if data is None else Document(data)
    except SettingsError as error:
        text, advice = str(error).split("\n")[0], "Fix that, then run doctor again."
    except JsonError as error:
        effect = READ_ANYWAY if isinstance(error, EncodingError) else DROPPED_FILE
        text, advice = f"{error}; {effect}", "Correct that place in an editor."
    return Check("settings", Level.BROKEN, str(path), text, advice)


def _check_validity(document: Document, where: str) -> Iterator[Check]:
    found = find_faults(document)
    levels = {Effect.FILE: Level.BROKEN, Effect.ENTRY: Level.WARNING, Effect.NOTE: Level.WARNING}
    for finding in found:
        yield Check("settings", levels[finding.effect], where, finding.text, "Correct or remove that entry.")
    if not found:
        yield Check("settings", Level.OK, where, "valid for Claude Code")


def _check_plugin(state_dir: Path) -> Iterator[Check]:
    path = locate_plugin_hooks()
    try:
        inspection = inspect(Document(read_bytes(path)), state_dir)
    except (OSError, JsonError):
        yield Check(
            "plugin", Level.BROKEN, str(path), "enabled, but its files are gone", f"{INSTALL[:-2]} --route plugin`."
        )
        return
    yield from _check_our_entries(inspection, str(path), by_plugin=False)


def _check_our_entries(inspection: Inspection, where: str, *, by_plugin: bool) -> Iterator[Check]:
    if not inspection.is_installed and not by_plugin:
        yield Check("hooks", Level.WARNING, where, "our hooks are not installed", INSTALL)
    elif inspection.is_installed and not inspection.faults:
        yield Check("hooks", Level.OK, where, f"installed and current, {len(inspection.events)} events")
    if inspection.answers:
        text = "a permission request waits for your answer from atm-tui while it is armed"
        yield Check("answers", Level.OK, where, text)
    for fault, text in inspection.faults:
        yield Check(fault.value, Level.BROKEN, where, text, ADVICE.get(fault, INSTALL))
    works = not inspection.faults
    speeds = _EmptyPrograms()
    for command in inspection.commands:
        interpreter, empty_ms = speeds.find(command)
        trial = _try_twice(command, empty_ms, is_line=command == inspection.statusline)
        name = "statusline" if command == inspection.statusline else "hook"
        works &= not trial.problem
        if trial.problem:
            yield Check(name, Level.BROKEN, where, f"{trial.problem}: {command}", INSTALL, trial.ms)
        elif trial.silent:
            text = f"ours runs, but your own line printed nothing on a sample: {trial.silent}"
            yield Check(name, Level.WARNING, where, text, "Check whether it runs in a shell.", trial.ms)
        elif is_slow(trial.ms, empty_ms):
            own = "Your own statusLine takes most of it: look at what it does." if find_wrapped(command) else INSTALL
            yield Check(name, Level.WARNING, where, *describe_slow_hook(trial.ms, empty_ms, interpreter, own), trial.ms)
        else:
            yield Check(name, Level.OK, where, f"runs, {trial.ms:.0f} ms", "", trial.ms)
    if works:
        yield from _check_recording(inspection, speeds)


class _EmptyPrograms:
    """The time of an empty program in each interpreter, measured once."""

    def __init__(self) -> None:
        self._known: dict[Path, float] = {}

    def find(self, command: str) -> tuple[Path, float]:
        """Returns the interpreter of a command and the milliseconds of an empty program in it; 0.0 when unknown."""
        parts = split_command(command)
        if parts is None:
            return Path(), 0.0
        if parts[0] not in self._known:
            self._known[parts[0]] = measure_empty_program(parts[0])
        return parts[0], self._known[parts[0]]


def _check_recording(inspection: Inspection, speeds: _EmptyPrograms) -> Iterator[Check]:
    """Checks whether our first hook records an event of a made-up session in its real state folder, and how long it
    takes.
    """
    hook = next((each for each in inspection.commands if each != inspection.statusline), None)
    if hook is None:
        return
    interpreter, empty_ms = speeds.find(hook)
    done = _record_twice(hook, empty_ms)
    if done.problem:
        advice = "Fix what is named here or in the checks of that folder, then run doctor again."
        yield Check("recording", Level.BROKEN, done.folder, done.problem, advice)
    elif is_slow(done.ms, empty_ms):
        otherwise = (
            f"Look at the disk of {done.folder}: with ATM_STATE_DIR set, `atm-tui install` names another folder."
        )
        text, advice = describe_slow_hook(done.ms, empty_ms, interpreter, otherwise)
        yield Check("recording", Level.WARNING, done.folder, f"to record an event {text}", advice, done.ms)
    else:
        ratio = format_ratio(done.ms, empty_ms)
        text = f"an event of a made-up session was recorded, and removed again{', in ' if ratio else ''}{ratio}"
        yield Check("recording", Level.OK, done.folder, f"{text}, {done.ms:.0f} ms", "", done.ms)


def _record_twice(hook: str, empty_ms: float) -> Recording:
    done = try_recording(hook)
    if done.problem or not is_slow(done.ms, empty_ms):
        return done
    again = try_recording(hook)
    return again if again.problem or again.ms < done.ms else done


def _try_twice(command: str, empty_ms: float, *, is_line: bool) -> Trial:
    """Tries a slow command once more: the first run after an installation reads files that are cached later."""
    try:
        trial = try_command(command, is_line=is_line)
        if trial.problem or not is_slow(trial.ms, empty_ms):
            return trial
        again = try_command(command, is_line=is_line)
    except (OSError, ValueError) as error:  # ValueError: such an argument can't be passed to any program
        return Trial(0.0, f"it can't be tried: {getattr(error, 'strerror', None) or error}")
    return again if again.problem or again.ms < trial.ms else trial


def check_answers(state_dir: Path) -> Iterator[Check]:
    """Checks the folder for answers, if any: hooks wait only if it is private to this user."""
    where = state_dir / FOLDER
    if not exists(where) and not is_link(where):
        return
    try:
        for part in ("", *PARTS):
            with contextlib.suppress(FileNotFoundError):
                os.close(open_folder(str(state_dir), part))
    except (UnsafeError, OSError) as error:
        yield Check("answers", Level.WARNING, str(where), f"not used: {error}", f"chmod -R go= {where}, or remove it.")
    else:
        yield Check("answers", Level.OK, str(where), "private")


def _check_overrides(path: Path, document: Document) -> Iterator[Check]:
    """Checks for project settings that disable ours, since the client prefers the project's settings."""
    if has_flag(document, "disableAllHooks"):
        text = "disableAllHooks is true: no hook runs in this project"
        yield Check("disabled", Level.WARNING, str(path), text, "Set it to false, or ask whoever set it.")
    line = document.root.get("statusLine")
    command = line.get_string("command") if line is not None else None
    if line is not None and not line.is_null and not (command and is_ours(command)):
        text = "its statusLine replaces yours in this project: cost and context come from the transcript there"
        advice = "Fine if you want that line; else remove it, or run `atm-tui install --scope local` in that project."
        yield Check("statusline", Level.WARNING, str(path), text, advice)


def check_sessions(config_dir: Path, state_dir: Path, now: float) -> Iterator[Check]:
    """Checks for live sessions that run for more than a few seconds but whose hooks reported nothing, and for settings
    of their projects that disable our hooks.
    """
    registry, table = RegistrySource(config_dir), ProcessTable()
    registry.refresh()
    live = silent = 0
    shown: set[Path] = set()
    for entry in registry.entries.values():
        if find_place(entry.pid_domain, read_pid_domain()) is Place.HERE:
            process = table.look_up(entry.pid)
            if process is None or (entry.proc_start and process.start and entry.proc_start != process.start):
                continue
        live += 1
        overrides = list(_check_project_of(Path(entry.cwd), config_dir)) if entry.cwd else []
        if not shown.intersection(paths := {Path(check.where) for check in overrides}):
            yield from overrides
        shown |= paths
        if not is_file(state_dir / "sessions" / f"{entry.session_id}.json") and now - entry.started_at > 5:
            silent += 1
            text = f"session {entry.session_id[:8]} (pid {entry.pid}, {entry.cwd}) has not loaded the hooks"
            advice = "Send it a prompt; if it stays silent, restart it, or trust its folder."
            if any(check.name == "disabled" for check in overrides):
                text = f"session {entry.session_id[:8]} (pid {entry.pid}) runs no hooks: its project switches them off"
                advice = "See the settings file of the project, named above."
            yield Check("session", Level.WARNING, str(config_dir), text, advice)
    if not silent:
        yield Check("session", Level.OK, str(config_dir), f"{live} live sessions, all of them report")


def _check_project_of(folder: Path, config_dir: Path) -> Iterator[Check]:
    """Checks the settings of the project in which a session was started."""
    for scope in (Scope.PROJECT, Scope.LOCAL):
        path = locate_settings_file(scope, config_dir, folder)
        if path == config_dir / "settings.json":
            continue
        document = _read_document(path)
        if isinstance(document, Document):
            yield from _check_overrides(path, document)


def read_clock() -> float:
    """Returns the time in epoch seconds."""
    return time.time()
