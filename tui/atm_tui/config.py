"""The user's configuration: a TOML file, checked, with defaults for everything."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from atm_hooks.line_settings import SEGMENTS
from atm_tui import paths
from atm_tui.cost.pricing import PriceTable, build_table, load_default_table
from atm_tui.model.fleet_server import FleetServer
from atm_tui.model.host import Host
from atm_tui.model.notification import NotifyReason, NotifyWay

if TYPE_CHECKING:
    from atm_tui.risk.rules import Rules

Positive = Annotated[float, msgspec.Meta(ge=0)]

Usd = Positive

Seconds = Annotated[float, msgspec.Meta(ge=10, le=3600)]


class ConfigProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Something in the configuration that can't be used."""

    text: str
    """What is wrong, and what would be right."""
    key: str = ""
    """The dotted key; empty: the file as a whole."""
    line: int = 0
    """The line of the file, from 1; 0: of no line."""

    def describe(self, where: str) -> str:
        """Returns one line for a person. `where`: the file."""
        place = f"{where}:{self.line}" if self.line else where
        return f"{place}: {self.key}: {self.text}" if self.key else f"{place}: {self.text}"


class ConfigError(Exception):
    """The configuration can't be used; the message has a line for each problem: file, line, key and what to do."""

    def __init__(self, where: str, problems: Sequence[ConfigProblem]) -> None:
        """`where`: the file."""
        super().__init__("\n".join(each.describe(where) for each in problems))
        self.problems = tuple(problems)


TREE_COLUMNS = ("session", "branch", "state", "context", "cost", "for")
"""The columns of the tree."""


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a user can set. MEANINGS describes each key."""

    closed_after: Positive = 10.0
    forget_after: Positive = 24.0
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
    remote_answers: bool = False
    dangers: tuple[str, ...] = ()
    statusline: tuple[str, ...] = SEGMENTS
    pricing: dict[str, Any] = {}
    notify_by: tuple[NotifyWay, ...] = (NotifyWay.BELL,)
    notify_for: tuple[NotifyReason, ...] = tuple(NotifyReason)
    notify_finished_after: Positive = 60.0
    notify_cooldown: Annotated[float, msgspec.Meta(ge=0, le=3600)] = 30.0
    notify_command: tuple[str, ...] = ()
    quiet_hours: str = ""
    hosts: dict[str, Host] = {}
    fleet: FleetServer = FleetServer()
    watch: tuple[str, ...] = ()
    columns: tuple[str, ...] = TREE_COLUMNS
    column_widths: dict[str, Annotated[int, msgspec.Meta(ge=4, le=200)]] = {}
    keys: dict[str, str | tuple[str, ...]] = {}
    commands: tuple[Any, ...] = ()
    """Values of CustomCommand, a type that takes long to load; most users have no commands."""

    @property
    def hidden_kinds(self) -> frozenset[str]:
        """Kinds of sessions that are hidden."""
        kinds = {"headless": self.hide_headless, "background": self.hide_background}
        return frozenset(kind for kind, hidden in kinds.items() if hidden)

    def list_config_dirs(self, given: Sequence[Path] = ()) -> list[Path]:
        """Returns the config folders of Claude Code to look at. `given`: those of the command line, which take precedence."""
        named = given or [paths.make_absolute(each) for each in self.watch]
        return list(named) or [paths.find_claude_config_dir()]

    def build_danger_rules(self) -> "Rules":
        """Returns the user's changes to the list of dangers. Raises DangerError for an entry that a check would refuse."""
        from atm_tui.risk.rules import build_rules  # noqa: PLC0415  most commands look for no dangers

        return build_rules(self.dangers)

    def build_prices(self) -> PriceTable:
        """Returns the price table with the user's changes. Raises PricingError for those that a check would refuse."""
        base = load_default_table()
        return build_table(self.pricing, "config.toml", base) if self.pricing else base


TEXTUAL_THEMES = (
    "ansi-dark",
    "ansi-light",
    "atom-one-dark",
    "atom-one-light",
    "catppuccin-frappe",
    "catppuccin-latte",
    "catppuccin-macchiato",
    "catppuccin-mocha",
    "dracula",
    "flexoki",
    "gruvbox",
    "monokai",
    "nord",
    "rose-pine",
    "rose-pine-dawn",
    "rose-pine-moon",
    "solarized-dark",
    "solarized-light",
    "textual-dark",
    "textual-light",
    "tokyo-night",
)
THEME_NAMES = ("atm-dark", "atm-light", "atm-contrast", "atm-safe", *TEXTUAL_THEMES)

CHOICES: dict[str, tuple[str, ...]] = {"theme": THEME_NAMES, "statusline": SEGMENTS, "columns": TREE_COLUMNS}
"""The values of keys whose type is a text, or a list of texts. The themes are named here, since most commands load no Textual."""

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
    "remote_answers": "let atm-tui on another machine, whose entry in `hosts` has `answers = true`, answer requests of this one",
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
    "fleet": "a NATS server through which many machines are shown, see [a fleet](fleet.md)",
    "watch": "config folders of Claude Code to look at; `[]`: the one of Claude Code itself; the option `--watch` takes precedence",
    "columns": "columns of the tree, in their order; `session` is always one; where there is little room, some are left out",
    "column_widths": "widths of columns of the tree in cells, as `{ session = 30 }`; the others share the rest",
    "keys": "your own keys for the commands of the app, and a preset, see [keys](keys.md#your-own-keys)",
    "commands": "commands of your own, see [below](#commands-of-your-own)",
}
"""What each key of the configuration does, for the settings screen, the schema and the documentation."""
