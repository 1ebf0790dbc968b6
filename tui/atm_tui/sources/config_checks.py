"""Checks of the configuration that types don't express. Each yields the place of what is wrong, and what would be right."""

from collections.abc import Callable, Iterator
from typing import Any

from atm_tui import paths
from atm_tui.config import CHOICES, TREE_COLUMNS, Config
from atm_tui.model.fleet_server import FILES, find_server_problems
from atm_tui.model.host import find_host_problems
from atm_tui.model.key_path import KeyPath
from atm_tui.model.notification import NotifyWay, parse_quiet_hours
from atm_tui.sources.exists import exists, is_folder, is_readable
from atm_tui.text import suggest_name

Found = Iterator[tuple[KeyPath, str]]


def _check_choices(config: Config) -> Found:
    for key, known in CHOICES.items():
        given = getattr(config, key)
        for number, value in enumerate([given] if isinstance(given, str) else given):
            if value not in known:
                path: KeyPath = (key,) if isinstance(given, str) else (key, number)
                yield path, f'unknown value "{value}"{suggest_name(value, known, "values")}'


def _check_columns(config: Config) -> Found:
    if "session" not in config.columns:
        yield ("columns",), 'needs "session": rows without a name can\'t be told apart'
    for number, name in enumerate(config.columns):
        if name in config.columns[:number]:
            yield ("columns", number), f'"{name}" is there twice'
    for name in config.column_widths:
        if name not in TREE_COLUMNS:
            yield ("column_widths", name), f"unknown column{suggest_name(name, TREE_COLUMNS, 'columns')}"


def _check_thresholds(config: Config) -> Found:
    if list(config.context_thresholds) != sorted(config.context_thresholds):
        yield ("context_thresholds",), "the three must not fall: each is where the next colour begins"


def _check_dangers(config: Config) -> Found:
    if not config.dangers:
        return
    from atm_tui.risk.rules import DangerError, build_rules  # noqa: PLC0415  most commands look for no dangers

    for number, entry in enumerate(config.dangers):
        try:
            build_rules([entry])
        except DangerError as error:
            yield ("dangers", number), str(error)


def _check_notifications(config: Config) -> Found:
    if NotifyWay.COMMAND in config.notify_by and not any(config.notify_command[:1]):
        yield (
            ("notify_by", config.notify_by.index(NotifyWay.COMMAND)),
            '"command" needs the key notify_command: a program and its arguments',
        )
    try:
        parse_quiet_hours(config.quiet_hours)
    except ValueError:
        yield ("quiet_hours",), f'"{config.quiet_hours}" is not like "22:00-07:00"'


def _check_hosts(config: Config) -> Found:
    for name, host in config.hosts.items():
        for key, text in find_host_problems(name, host):
            yield ("hosts", name, key) if key else ("hosts", name), text


def _check_fleet(config: Config) -> Found:
    for field, text in find_server_problems(config.fleet):
        yield ("fleet", field), text


def _check_folders(config: Config) -> Found:
    for number, folder in enumerate(config.watch):
        if not is_folder(paths.make_absolute(folder)):
            yield ("watch", number), f'there is no folder "{folder}". Create it, or correct its name.'


def find_unreadable_files(config: Config) -> Found:
    """Yields each file for the server of a fleet that can't be read now.

    It may come later, and is read anew with each connection: so it is told to who asks, and the configuration holds all the same.
    """
    for field in FILES:
        given = getattr(config.fleet, field)
        path = paths.make_absolute(given)
        if not given or is_readable(path):
            continue
        if exists(path):
            yield ("fleet", field), f'"{given}" is no file that you may read. Correct its path, or its permissions.'
        else:
            yield ("fleet", field), f'there is no file "{given}". Create it, or correct its path.'


def _check_pricing(config: Config) -> Found:
    """Checks each value by itself, so that one that is wrong hides no other."""
    if not config.pricing:
        return
    from atm_tui.cost.pricing import RATES, PricingError, build_table  # noqa: PLC0415

    for table, number in _divide_pricing(config.pricing, dict.fromkeys(RATES, 0)):
        try:
            build_table(table, "", None)
        except PricingError as error:
            yield tuple(number if part == 0 else part for part in error.path), error.text


def _divide_pricing(pricing: dict[str, Any], rates: dict[str, int]) -> Iterator[tuple[dict[str, Any], int]]:
    """Yields price tables with one value each, and where it is in its list. `rates`: what a list of prices has to have."""
    for name, given in pricing.items():
        if name == "models" and isinstance(given, dict):
            for model, fields in given.items():
                if not isinstance(fields, dict):
                    yield {name: {model: fields}}, 0
                    continue
                for field, value in fields.items():
                    entries = value if isinstance(value, list) else ()
                    for number, entry in enumerate(entries):
                        for part in _divide_prices(entry, rates) if field == "prices" else (entry,):
                            yield {name: {model: {field: [part]}}}, number
                    if not entries:
                        yield {name: {model: {field: value}}}, 0
        elif name == "region_factors" and isinstance(given, dict):
            for region, factor in given.items():
                yield {name: {region: factor}}, 0
        else:
            yield {name: given}, 0


def _divide_prices(entry: Any, rates: dict[str, int]) -> Iterator[Any]:
    """Yields a list of prices for each value of `entry`, and one for each that it lacks."""
    if not isinstance(entry, dict):
        yield entry
        return
    for rate in rates:
        if rate not in entry:
            yield {name: least for name, least in rates.items() if name != rate}
    for name, value in entry.items():
        parts = _divide_prices(value, {**rates, "above": 1}) if name == "long_prompt" else (value,)
        for part in parts:
            yield {**rates, name: part}


def _check_commands(config: Config) -> Found:
    if not config.commands:
        return
    from atm_tui.model.custom_command import check_custom_commands  # noqa: PLC0415

    for number, key, text in check_custom_commands(config.commands):
        yield ("commands", number, key), text


CHECKS: tuple[Callable[[Config], Found], ...] = (
    _check_choices,
    _check_columns,
    _check_thresholds,
    _check_dangers,
    _check_notifications,
    _check_hosts,
    _check_fleet,
    _check_folders,
    _check_pricing,
    _check_commands,
)
"""A check of a new key is added here."""
