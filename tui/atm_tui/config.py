"""The user's configuration: a TOML file, checked, with defaults for everything."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import msgspec

from atm_hooks.line_settings import SEGMENTS
from atm_hooks.regular_file import read_regular
from atm_tui.cost.pricing import PriceTable, PricingError, build_table, load_default_table
from atm_tui.model.decoding import convert
from atm_tui.model.host import Host, find_host_problem
from atm_tui.model.notification import NotifyReason, NotifyWay, parse_quiet_hours
from atm_tui.text import suggest_name

if TYPE_CHECKING:
    from atm_tui.risk.rules import Rules

_MAX_SIZE = 1 << 20
"""Largest size of a configuration file in bytes."""

Usd = Annotated[float, msgspec.Meta(ge=0)]

Seconds = Annotated[float, msgspec.Meta(ge=10, le=3600)]


class ConfigError(Exception):
    """The configuration can't be used; the message names the file, the key and what to do."""


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a user can set. MEANINGS describes each key."""

    closed_after: float = 10.0
    forget_after: float = 24.0
    hide_headless: bool = False
    hide_background: bool = False
    context_thresholds: tuple[int, int, int] = (60, 80, 90)
    budget_day: Usd = 0.0
    budget_session: Usd = 0.0
    popup_closes: bool = True
    ascii: bool = False
    theme: str = "atm-dark"
    answer_wait: Seconds = 600.0
    read_only: bool = False
    dangers: tuple[str, ...] = ()
    statusline: tuple[str, ...] = SEGMENTS
    pricing: dict[str, Any] = {}
    notify_by: tuple[NotifyWay, ...] = (NotifyWay.BELL,)
    notify_for: tuple[NotifyReason, ...] = tuple(NotifyReason)
    notify_finished_after: Annotated[float, msgspec.Meta(ge=0)] = 60.0
    notify_cooldown: Annotated[float, msgspec.Meta(ge=0, le=3600)] = 30.0
    notify_command: tuple[str, ...] = ()
    quiet_hours: str = ""
    hosts: dict[str, Host] = {}
    commands: tuple[Any, ...] = ()
    """Values of CustomCommand, a type that takes long to load; most users have no commands."""

    @property
    def hidden_kinds(self) -> frozenset[str]:
        """Kinds of sessions that are hidden."""
        kinds = {"headless": self.hide_headless, "background": self.hide_background}
        return frozenset(kind for kind, hidden in kinds.items() if hidden)

    def check_segments(self, where: str = "config.toml") -> None:
        """Raises ConfigError with `where` and the first unknown segment of the status line."""
        for name in self.statusline:
            if name not in SEGMENTS:
                raise ConfigError(
                    f'{where}: statusline: unknown segment "{name}"{suggest_name(name, list(SEGMENTS), "segments")}'
                )

    def check_notifications(self, where: str = "config.toml") -> None:
        """Raises ConfigError with `where` and the first invalid key about notifications."""
        if NotifyWay.COMMAND in self.notify_by and not any(self.notify_command[:1]):
            raise ConfigError(
                f'{where}: notify_by: "command" needs the key notify_command: a program and its arguments'
            )
        try:
            parse_quiet_hours(self.quiet_hours)
        except ValueError as error:
            raise ConfigError(f'{where}: quiet_hours: "{self.quiet_hours}" is not like "22:00-07:00"') from error

    def check_hosts(self, where: str = "config.toml") -> None:
        """Raises ConfigError with `where` and the first invalid entry of `hosts`."""
        for name, host in self.hosts.items():
            if problem := find_host_problem(name, host):
                raise ConfigError(f"{where}: {problem}")

    def build_danger_rules(self, where: str = "config.toml") -> "Rules":
        """Returns the user's changes to the list of dangers. Raises ConfigError that names `where` and the entry."""
        from atm_tui.risk.rules import DangerError, build_rules  # noqa: PLC0415  most commands look for no dangers

        try:
            return build_rules(self.dangers)
        except DangerError as error:
            raise ConfigError(f"{where}: dangers: {error}") from error

    def prices(self, where: str = "config.toml") -> PriceTable:
        """Returns the price table with the user's changes. Raises ConfigError that names `where` and the key."""
        if not self.pricing:
            return load_default_table()
        try:
            return build_table(self.pricing, where, load_default_table())
        except PricingError as error:
            raise ConfigError(str(error)) from error


MEANINGS = {
    "closed_after": 'seconds after which an ended session moves to "recently closed"',
    "forget_after": "hours after which the files of ended and lost sessions are removed",
    "hide_headless": "hide sessions without a screen: `claude -p` and the SDK",
    "hide_background": "hide background jobs: `claude --bg` and `/fork`",
    "context_thresholds": "percent of the context window at which the gauge changes colour",
    "budget_day": "USD per day for all sessions; when it is reached, the amount is coloured and one alert is shown; 0: no budget",
    "budget_session": "USD per session; when it is reached, the amount is coloured and one alert is shown; 0: no budget",
    "popup_closes": "in a tmux popup, exit after a jump, so that the popup does not cover the session",
    "ascii": "write ASCII only: symbols, gauges, scrollbars, and text of sessions without accents",
    "theme": "atm-dark, atm-light, atm-contrast, atm-safe (for colour-blind users), or one of Textual's; "
    "a theme chosen in the app takes precedence until this key is changed",
    "answer_wait": "seconds for which a request can be answered from here (10 to 3600); after that, only its own dialog is left",
    "read_only": "never answer requests, neither from the app nor from a shell",
    "dangers": "regular expressions: a request that matches one asks twice; "
    '`"!outside"` removes the entry `outside` from the built-in list',
    "statusline": "segments of our own line in Claude Code, in the order in which they are shown; "
    "`atm-tui statusline --preview` shows it",
    "pricing": "your own prices, in the format of `atm_tui/cost/pricing.toml`; they change and extend the built-in ones",
    "notify_by": "how notifications are given: bell, terminal, notify-send, osascript, tmux, command; "
    "`[]`: none; see [notifications](notifications.md)",
    "notify_for": "what gives a notification",
    "notify_finished_after": "seconds that a turn must have taken for a notification when it has finished",
    "notify_cooldown": "seconds between two notifications for the same reason about the same session",
    "notify_command": "program and arguments that get each notification as JSON on stdin; no shell reads them",
    "quiet_hours": 'hours of the day without notifications, as `"22:00-07:00"`',
    "hosts": "other machines whose sessions are shown as well, see [other machines](machines.md)",
    "commands": "commands of your own, see [below](#commands-of-your-own)",
}
"""What each key of the configuration does, for the documentation."""


def list_config_rows() -> list[str]:
    """Returns the rows of the documentation's table: key, default as TOML, meaning."""
    import tomli_w  # noqa: PLC0415

    rows = []
    for key, value in msgspec.to_builtins(Config()).items():
        default = (
            " ".join(tomli_w.dumps({key: value}).split())
            .removeprefix(f"{key} = ")
            .replace("[ ", "[")
            .replace(", ]", "]")
        )
        default = "{}" if value == {} else default
        rows.append(f"| `{key}` | `{default}` | {MEANINGS[key]} |")
    return rows


def read_config(path: Path) -> Config:
    """Reads the configuration in `path`; without a file, everything has its default.

    Raises ConfigError that names the file and the dotted key, for invalid TOML, an unknown key or a wrong type.
    """
    try:
        text = read_regular(str(path), _MAX_SIZE).decode("utf-8")
        import tomllib  # noqa: PLC0415  most users have no file

        data: dict[str, Any] = tomllib.loads(text)
    except FileNotFoundError:
        return Config()
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: nested too deep. Correct the file, or move it away to use the defaults.") from error
    except (ValueError, OverflowError) as error:  # not UTF-8, not TOML, or a number with too many digits
        raise ConfigError(f"{path}: {error}. Correct the file, or move it away to use the defaults.") from error
    known = list(get_type_hints(Config))
    for key in data:
        if key not in known:
            raise ConfigError(f'{path}: unknown key "{key}"{suggest_name(key, known, "keys")}')
    try:
        config = convert(data, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {error}. Correct the value, or remove the line to use the default.") from error
    config.check_segments(str(path))
    config.build_danger_rules(str(path))
    config.check_notifications(str(path))
    config.check_hosts(str(path))
    if not config.commands:
        return config
    from atm_tui.model.custom_command import CustomCommandError, read_custom_commands  # noqa: PLC0415

    try:
        return msgspec.structs.replace(config, commands=read_custom_commands(config.commands))
    except CustomCommandError as error:
        raise ConfigError(f"{path}: {error}") from error
