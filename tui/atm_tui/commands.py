"""Every command, declared once: keys, footer, help screen and the README's table all derive from here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from textual.binding import Binding

from atm_tui.model.request import Arming, Request
from atm_tui.model.session import Liveness, Session


@dataclass(frozen=True)
class Selection:
    """What a command acts on: the selected row, and what there is beside it."""

    kind: str = ""
    """session, agent, over, project, closed, unreadable, or transcript: a session of which only that is left; empty when
    nothing is selected."""
    session: Session | None = None
    """The session that the row belongs to."""
    folder: str = ""
    """Where it works, or where the project is; empty when that is not known."""
    waiting: int = 0
    """Sessions that need you, anywhere."""
    empty: bool = True
    """There is no row at all."""
    view: str = "tree"
    """The view that it is selected on, by the id of its command."""
    agent_id: str | None = None
    """The agent that the row is of."""
    asks: Request | None = None
    """What it asks and can be answered here: its oldest request."""
    arming: Arming = Arming.OFF
    """Whether answers are taken here."""


NOTHING = Selection()

Disabled = Callable[[Selection], str | None]
"""Given what is selected, why a command can't run; None when it can."""

_NO_SESSION = {
    "project": "this is a project; select one of its sessions",
    "closed": "this is a group; select a session in it",
    "unreadable": "this file can't be read, so its session isn't known",
}


def _enabled(_: Selection) -> str | None:
    return None


def _no_session(at: Selection) -> str | None:
    return None if at.session else _NO_SESSION.get(at.kind, "there is no session to select yet")


def _no_transcript(at: Selection) -> str | None:
    if at.session is None:
        return _no_session(at)
    return None if at.session.transcript_path else "it has no transcript yet"


def _no_folder(at: Selection) -> str | None:
    return None if at.folder else _no_session(at) or "its folder isn't known"


def _nobody_waits(at: Selection) -> str | None:
    return None if at.waiting else "no session needs you"


def _untold(at: Selection) -> str | None:
    return "only its transcript is left; o opens that" if at.kind == "transcript" else _no_session(at)


def _not_live(at: Selection) -> str | None:
    over = at.session is not None and at.session.liveness is not Liveness.LIVE
    return "it is over; dismiss it instead" if over else _no_session(at)


def _not_over(at: Selection) -> str | None:
    live = at.session is not None and at.session.liveness is Liveness.LIVE
    return "it is still running; snooze it instead" if live else _untold(at)


_OWN_ORDER = {
    "board": "the board's order is its own: the cheapest answer first",
    "timeline": "the timeline goes by time, newest last",
    "history": "the history goes by time, newest first",
}


def _sorted(at: Selection) -> str | None:
    return _nothing(at) or _OWN_ORDER.get(at.view)


def _nothing(at: Selection) -> str | None:
    return "there are no sessions yet" if at.empty else None


_NOT_ARMED = {
    Arming.OFF: "not armed: A arms",
    Arming.ELSEWHERE: "another atm-tui is armed: A takes over",
    Arming.READ_ONLY: "this atm-tui is read only: see --read-only, and read_only in the configuration",
    Arming.NOT_INSTALLED: "not installed for it: press i, then choose answering",
    Arming.RECORDING: "this is a recording, not the session",
}


def _cant_arm(at: Selection) -> str | None:
    can = at.arming in (Arming.ON, Arming.OFF, Arming.ELSEWHERE)
    return None if can else _NOT_ARMED[at.arming]


def _cant_answer(at: Selection) -> str | None:
    if at.arming is not Arming.ON:
        return _NOT_ARMED[at.arming]
    return None if at.asks else _no_session(at) or "nothing waits for an answer here"


def _nothing_always(at: Selection) -> str | None:
    if at.asks is None or at.arming is not Arming.ON:
        return _cant_answer(at)
    return None if "always" in at.asks.kinds else "the client suggests nothing to allow from now on"


def _not_empty(at: Selection) -> str | None:
    return None if at.empty else "there are sessions to watch; `atm-tui demo` shows it beside them"


@dataclass(frozen=True)
class Command:
    """One command. `id` is stable: users remap keys by it, and the action that runs it has the same name."""

    id: str
    keys: tuple[str, ...]
    title: str
    """A word or two, for the footer."""
    help: str
    """A sentence's worth, for the help screen and the README."""
    group: str
    """tree: where the tree has the focus; pane: where a pane has it; main: on the main screen; tend: there too, of lasting
    effect; replay: there too, in a replay; usage: on the usage screen; app: everywhere."""
    footer: bool = False
    disabled: Disabled = _enabled
    by_key: bool = False
    """Whether the action wants to know which of the keys it was."""
    views: bool = False
    """Of a command of the main screen: whether the other views of the fleet have it too."""
    types: bool = False
    """Whether the keys after it are text: then it runs before any of them is looked at."""
    live: bool = False
    """Whether the footer names it only where it can run."""


COMMANDS: tuple[Command, ...] = (
    Command(
        "allow",
        ("a",),
        "allow",
        "Say yes; what is not seen in whole is shown first",
        "main",
        True,
        _cant_answer,
        views=True,
        live=True,
    ),
    Command("deny", ("d",), "deny", "Say no, with a reason", "main", True, _cant_answer, views=True, live=True),
    Command(
        "always",
        ("w",),
        "from now on",
        "Allow from now on, as the client itself suggests",
        "main",
        True,
        _nothing_always,
        views=True,
        live=True,
    ),
    Command(
        "jump",
        ("enter",),
        "jump",
        "Go to its terminal, or resume it when it is over",
        "main",
        True,
        _no_session,
        views=True,
    ),
    Command(
        "peek",
        ("space",),
        "peek",
        "Look closer: what it waits for, said and did last",
        "main",
        True,
        _untold,
        views=True,
    ),
    Command(
        "next_waiting",
        ("n",),
        "next waiting",
        "Next session that needs you, oldest wait first",
        "main",
        True,
        _nobody_waits,
        views=True,
    ),
    Command(
        "previous_waiting",
        ("N",),
        "previous waiting",
        "Previous session that needs you",
        "main",
        False,
        _nobody_waits,
        views=True,
    ),
    Command(
        "nth",
        tuple("123456789"),
        "select",
        "Select the 1st to 9th session on the screen",
        "main",
        by_key=True,
        views=True,
    ),
    Command(
        "filter",
        ("slash",),
        "filter",
        "Show only what matches what you type, in all views",
        "main",
        True,
        _nothing,
        views=True,
        types=True,
    ),
    Command(
        "clear_filter",
        ("escape",),
        "show all",
        "Take the filter away; without one, back to the tree",
        "main",
        views=True,
    ),
    Command(
        "sort",
        ("s",),
        "sort",
        "Next order: started, attention, newest, cost, context",
        "main",
        False,
        _sorted,
        views=True,
    ),
    Command(
        "copy", ("y",), "copy id", "Copy the session's id to the clipboard", "main", False, _no_session, views=True
    ),
    Command(
        "transcript", ("o",), "transcript", "Open the transcript in $PAGER", "main", False, _no_transcript, views=True
    ),
    Command("edit", ("e",), "edit", "Open the project in $EDITOR", "main", False, _no_folder, views=True),
    Command(
        "pin", ("p",), "pin", "Pin the session above the others, or unpin it", "tend", disabled=_untold, views=True
    ),
    Command(
        "snooze",
        ("z",),
        "snooze",
        "Snooze until it changes; again: 15 min, 1 h, off",
        "tend",
        disabled=_not_live,
        views=True,
    ),
    Command(
        "put_away",
        ("x",),
        "dismiss",
        "Take out a session that is over; in the history: back",
        "tend",
        disabled=_not_over,
        views=True,
    ),
    Command("undo", ("U",), "undo", "Take back the last pin, snooze or dismissal", "tend", views=True),
    Command("hide", ("v",), "hide jobs", "Hide headless and background sessions, or show them", "tend", views=True),
    Command("cursor_down", ("down", "j"), "down", "Next row", "tree"),
    Command("cursor_up", ("up", "k"), "up", "Previous row", "tree"),
    Command("cursor_first", ("home", "g"), "first", "First row", "tree"),
    Command("cursor_last", ("end", "G"), "last", "Last row", "tree"),
    Command("page_down", ("pagedown", "ctrl+f"), "page down", "One screen down", "tree"),
    Command("page_up", ("pageup", "ctrl+b"), "page up", "One screen up", "tree"),
    Command(
        "fold",
        ("left", "h"),
        "fold",
        "Fold the row, or go up a level; on the board: left",
        "tree",
    ),
    Command(
        "unfold",
        ("right", "l"),
        "unfold",
        "Unfold the row, or go inside; on the board: right",
        "tree",
    ),
    Command("panes", ("tab",), "panes", "On to the next pane, after the last to the tree", "main", True),
    Command("panes_back", ("shift+tab",), "pane before", "Back to the pane before", "main"),
    Command("pane", tuple("123456"), "pane", "Go to this pane", "pane", True, by_key=True),
    Command("leave_panes", ("escape",), "tree", "Back to the tree", "pane", True),
    Command("grow", ("plus",), "larger", "More room for what has the focus: the tree, or a pane", "main"),
    Command("shrink", ("minus",), "smaller", "Less room for it", "main"),
    Command("even", ("equals_sign",), "usual sizes", "Sizes as at first", "main"),
    Command("pause", ("p",), "pause", "Stop the clock, or let it go on", "replay", True),
    Command("step", ("full_stop",), "step", "Stop at the next entry", "replay", True),
    Command("step_back", ("comma",), "step back", "Stop at the entry before", "replay"),
    Command("faster", ("right_square_bracket",), "faster", "Play faster", "replay", True),
    Command("slower", ("left_square_bracket",), "slower", "Play slower", "replay"),
    Command("seek", ("right_curly_bracket", "shift+right"), "seek", "On by a tenth of the recording", "replay", True),
    Command("seek_back", ("left_curly_bracket", "shift+left"), "seek back", "Back by a tenth", "replay"),
    Command("demo", ("d",), "demo", "Watch a demo, as long as there are no sessions", "empty", False, _not_empty),
    Command(
        "arm",
        ("A",),
        "arm",
        "Take answers here, or no longer",
        "main",
        True,
        _cant_arm,
        views=True,
        live=True,
    ),
    Command("peek_jump", ("enter",), "jump", "Go to the session's terminal; the peek closes", "peek"),
    Command("peek_close", ("space", "escape", "q"), "close", "Close the peek", "peek"),
    Command("choose", tuple("123456789"), "choose", "Take this option, or this suggestion", "request", by_key=True),
    Command("other", ("o",), "other", "Answer a question in your own words", "request"),
    Command("send", ("enter",), "send", "Send the answers, once every question has one", "request"),
    Command("sure", ("y",), "yes", "Say yes a second time, where it looks dangerous", "request"),
    Command("next_request", ("right",), "next request", "The next request of the session", "request"),
    Command("previous_request", ("left",), "previous request", "The request before", "request"),
    Command("tree", ("t",), "tree", "Projects, sessions and agents as a tree", "app"),
    Command("board", ("b",), "board", "What needs you, what runs, what is done, as cards", "app", True),
    Command("timeline", ("L",), "timeline", "What happened in all sessions, newest last", "app"),
    Command("history", ("H",), "history", "Sessions of the last days, to search and to resume", "app"),
    Command("usage", ("u",), "usage", "What it cost, by day, project, model and session", "app", True),
    Command("previous_span", ("left", "h"), "span before", "A shorter span of days", "usage", True),
    Command("next_span", ("right", "l"), "next span", "A longer span of days", "usage", True),
    Command("read_again", ("r",), "read again", "Count what was spent meanwhile", "usage", True),
    Command("theme", ("T",), "theme", "Try other colours; what is taken is kept", "app"),
    Command("palette", ("ctrl+p",), "palette", "Find any command, session or theme by its name", "app", True),
    Command("welcome", ("W",), "walk through", "Signs, hooks and five keys, in three short steps", "app"),
    Command("install", ("i",), "install", "Install the hooks, or check them", "app"),
    Command("help", ("question_mark",), "help", "Show all keys and signs", "app", True),
    Command("quit", ("q",), "quit", "Leave; sessions go on", "app", True),
)

FIRST = ("peek", "request", "replay", "usage", "pane", "tree", "empty", "main", "tend", "app")
"""All groups, those of one place before those of many: the order of the help, and of what works at all."""

GROUPS: dict[str, tuple[str, str, str]] = {
    "main": ("session", "On a session", "on a view of the sessions"),
    "tend": ("tend", "To tend the list", "on a view of the sessions"),
    "app": ("app", "Everywhere", "not here"),
    "tree": ("move", "To move", "where a list has the focus"),
    "pane": ("pane", "In a pane", "where a pane has the focus"),
    "peek": ("peek", "In the peek", "in the peek"),
    "request": ("answer", "In a request", "while a request is shown"),
    "empty": ("session", "While there are no sessions", "while there are no sessions"),
    "replay": ("replay", "In a replay", "in a replay"),
    "usage": ("usage", "On the usage screen", "on the usage screen"),
}
"""Each group: a word for the palette, its title in the help, and where its keys work."""


def elsewhere(of: Command) -> str:
    """Where a command's key works, for where it does not."""
    return "in the tree" if of.group in ("main", "tend") and not of.views else GROUPS[of.group][2]


_NAMES = {
    "enter": ("↵", "Enter"),
    "space": ("␣", "Space"),
    "down": ("↓", "Down"),
    "up": ("↑", "Up"),
    "left": ("←", "Left"),
    "right": ("→", "Right"),
    "home": ("Home", "Home"),
    "end": ("End", "End"),
    "pagedown": ("PgDn", "PgDn"),
    "pageup": ("PgUp", "PgUp"),
    "tab": ("⇥", "Tab"),
    "shift+tab": ("⇧⇥", "Shift+Tab"),
    "plus": ("+", "+"),
    "minus": ("-", "-"),
    "equals_sign": ("=", "="),
    "question_mark": ("?", "?"),
    "slash": ("/", "/"),
    "escape": ("Esc", "Esc"),
    "comma": (",", ","),
    "full_stop": (".", "."),
    "left_square_bracket": ("[", "["),
    "right_square_bracket": ("]", "]"),
    "left_curly_bracket": ("{", "{"),
    "right_curly_bracket": ("}", "}"),
    "shift+left": ("⇧←", "Shift+Left"),
    "shift+right": ("⇧→", "Shift+Right"),
}


def key_label(key: str, *, ascii_only: bool = False) -> str:
    """How a key is written: ↵ for enter, ^f for ctrl+f; in words when only ASCII can be shown."""
    if key in _NAMES:
        return _NAMES[key][ascii_only]
    return key.replace("ctrl+", "^")


def command(command_id: str) -> Command:
    """The command of that id. Raises KeyError when there is none."""
    for each in COMMANDS:
        if each.id == command_id:
            return each
    raise KeyError(command_id)


def key_labels(of: Command, *, ascii_only: bool = False) -> list[str]:
    """How the keys of a command are written; a row of them by its ends."""
    if of.by_key:
        return [f"{of.keys[0]} … {of.keys[-1]}" if not ascii_only else f"{of.keys[0]}-{of.keys[-1]}"]
    return [key_label(key, ascii_only=ascii_only) for key in of.keys]


def bindings(group: str) -> list[Binding | tuple[str, str] | tuple[str, str, str]]:
    """The key bindings of a group. A command that can be disabled is run through `command`, which says why."""
    return [
        Binding(keys, action, each.title, show=each.footer, tooltip=each.help, id=each.id, priority=each.types)
        for each in COMMANDS
        if each.group == group
        for keys, action in _actions(each)
    ]


def _actions(of: Command) -> list[tuple[str, str]]:
    if of.by_key:
        return [(key, f"{of.id}('{key}')") for key in of.keys]
    return [(",".join(of.keys), of.id if of.disabled is _enabled else f"command('{of.id}')")]


ANSWERS = ("allow", "deny", "always")
"""The commands that answer a request."""


def answer_bindings() -> list[Binding | tuple[str, str] | tuple[str, str, str]]:
    """The key bindings of a screen that shows what one session asks, beside much else."""
    return [each for each in bindings("main") if isinstance(each, Binding) and each.id in ANSWERS]


def request_bindings() -> list[Binding | tuple[str, str] | tuple[str, str, str]]:
    """The key bindings of the request dialog, which runs the answers itself."""
    answers = [Binding(",".join(command(each).keys), each, id=each, show=False) for each in ANSWERS]
    return [*answers, *bindings("request")]


VIEWS = ("tree", "board", "timeline", "history")
"""The commands that show another view of the fleet."""


def view_bindings() -> list[Binding | tuple[str, str] | tuple[str, str, str]]:
    """The key bindings of a view beside the tree: what can be done with its session."""
    shared = {each.id for each in COMMANDS if each.views}
    ours = [*bindings("main"), *bindings("tend")]
    return [each for each in ours if isinstance(each, Binding) and each.id in shared]


IN_PANE = ("panes", "pane", "grow", "shrink", "leave_panes", "help", "quit")
"""The commands that the footer names while a pane has the focus."""


def pane_bindings() -> list[Binding | tuple[str, str] | tuple[str, str, str]]:
    """The key bindings of a pane, which the screen runs."""
    return [replace(each, action=f"screen.{each.action}") for each in bindings("pane") if isinstance(each, Binding)]


def footer_commands(*, replay: bool = False, view: bool = False, pane: bool = False) -> tuple[Command, ...]:
    """The commands that the footer names, in its order; those of a replay come first there, and only there.

    In a `view` beside the tree: what can be done with its session, and the way to the other views. In a `pane`: how to
    move on, and to resize it.
    """
    if pane:
        return tuple(each for each in COMMANDS if each.id in IN_PANE)
    if view:
        return tuple(
            each for each in COMMANDS if each.id in VIEWS or (each.footer and (each.views or each.group == "app"))
        )
    elsewhere = {"usage", "pane"} if replay else {"usage", "pane", "replay"}
    named = [each for each in COMMANDS if each.footer and each.group not in elsewhere]
    return tuple(sorted(named, key=lambda each: each.group != "replay"))


def readme_rows(commands: Iterable[Command] = COMMANDS) -> list[str]:
    """The rows of the README's table of keys: key names in words, then what the command does."""
    return [
        f"| {' '.join(f'`{label}`' for label in key_labels(each, ascii_only=True))} | {_where(each)}{each.help} |"
        for each in commands
    ]


def _where(of: Command) -> str:
    words = {"replay": "In a replay: ", "pane": "In a pane: ", "usage": "On the usage screen: "}
    return {**words, "request": "In a request: ", "peek": "In the peek: "}.get(of.group, "")
