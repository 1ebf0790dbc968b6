"""All commands of the app. Keys, footer, help screen and the table of keys in the documentation are made from this list."""

from collections.abc import Iterator
from dataclasses import replace

from textual.binding import Binding

from atm_tui.view import disabled_reasons as why
from atm_tui.view.command import Command
from atm_tui.view.dialog_commands import DIALOG_COMMANDS, DIALOGS, MOTIONS, PEEK

COMMANDS: tuple[Command, ...] = (
    Command(
        "allow",
        ("a",),
        "allow",
        "Allow; a request that is not fully visible opens first",
        "main",
        True,
        why.require_request,
        views=True,
        only_enabled=True,
    ),
    Command(
        "deny",
        ("d",),
        "deny",
        "Deny, with a reason if you like",
        "main",
        True,
        why.require_request,
        views=True,
        only_enabled=True,
    ),
    Command(
        "always",
        ("w",),
        "from now on",
        "Allow from now on, by a suggestion of Claude Code",
        "main",
        True,
        why.require_suggestions,
        views=True,
        only_enabled=True,
    ),
    Command(
        "jump",
        ("enter",),
        "jump",
        "Go to its terminal, or resume it if it has ended",
        "main",
        True,
        why.require_session,
        views=True,
    ),
    Command(
        "peek",
        ("space",),
        "peek",
        "Look closer: its request, last reply and last tools",
        "main",
        True,
        why.require_hooks,
        views=True,
    ),
    Command(
        "next_waiting",
        ("n",),
        "next waiting",
        "Next session that needs you, oldest wait first",
        "main",
        True,
        why.require_waiting_session,
        views=True,
    ),
    Command(
        "previous_waiting",
        ("N",),
        "previous waiting",
        "Previous session that needs you",
        "main",
        False,
        why.require_waiting_session,
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
        "Filter all views by what you type",
        "main",
        True,
        why.require_rows,
        views=True,
        typing=True,
    ),
    Command(
        "needs_me",
        ("exclamation_mark",),
        "needs me",
        "Only what needs you; again: what was listed before",
        "main",
        False,
        why.require_rows,
        views=True,
    ),
    Command(
        "clear_filter",
        ("escape",),
        "show all",
        "Remove all marks, else the filter; without either, back to the tree",
        "main",
        views=True,
    ),
    Command(
        "sort",
        ("s",),
        "sort",
        "Change order: started, attention, newest, cost, context",
        "main",
        False,
        why.require_sortable,
        views=True,
    ),
    Command("reverse", ("S",), "reverse", "Reverse the order", "main", False, why.require_sortable, views=True),
    Command(
        "copy",
        ("y",),
        "copy",
        "Copy its id, folder, a command, its last reply or the transcript's path",
        "main",
        False,
        why.require_session,
        views=True,
    ),
    Command(
        "conversation",
        ("o",),
        "read",
        "Read its conversation here",
        "main",
        False,
        why.require_conversation,
        views=True,
    ),
    Command(
        "transcript",
        ("O",),
        "transcript",
        "Open its raw file in $PAGER",
        "main",
        False,
        why.require_transcript,
        views=True,
    ),
    Command("edit", ("e",), "edit", "Open the project in $EDITOR", "main", False, why.require_folder, views=True),
    Command(
        "pin",
        ("p",),
        "pin",
        "Pin the session above the others, or unpin it",
        "organize",
        disabled=why.require_hooks,
        views=True,
    ),
    Command(
        "snooze",
        ("z",),
        "snooze",
        "Snooze until it changes; again: 15 min, 1 h, off",
        "organize",
        disabled=why.require_running,
        views=True,
    ),
    Command(
        "put_away",
        ("x",),
        "dismiss",
        "Dismiss an ended session; in the history: bring it back",
        "organize",
        disabled=why.require_ended,
        views=True,
    ),
    Command("undo", ("U",), "undo", "Undo the last pin, snooze or dismissal", "organize", views=True),
    Command(
        "mark",
        ("v",),
        "mark",
        "Mark the session, or all of a project, for pin, snooze and dismiss",
        "organize",
        disabled=why.require_markable,
        views=True,
    ),
    Command("hide", ("V",), "hide jobs", "Hide or show headless and background sessions", "organize", views=True),
    Command("cursor_down", ("down", "j"), "down", "Next row", "tree"),
    Command("cursor_up", ("up", "k"), "up", "Previous row", "tree"),
    Command("cursor_first", ("home", "g"), "first", "First row", "tree"),
    Command("cursor_last", ("end", "G"), "last", "Last row", "tree"),
    Command("page_down", ("pagedown", "ctrl+f"), "page down", "One screen down", "tree"),
    Command("page_up", ("pageup", "ctrl+b"), "page up", "One screen up", "tree"),
    Command("fold", ("left", "h"), "fold", "Fold the row, or go up a level; on the board: left", "tree"),
    Command("unfold", ("right", "l"), "unfold", "Unfold the row, or go inside; on the board: right", "tree"),
    Command("panes", ("tab",), "panes", "Next pane; after the last one, the tree", "main", True, why.require_rows),
    Command("panes_back", ("shift+tab",), "previous pane", "Previous pane", "main"),
    Command("pane", tuple("123456"), "pane", "Go to this pane", "pane", True, by_key=True),
    Command("leave_panes", ("escape",), "tree", "Back to the tree", "pane", True),
    Command("zoom", ("f",), "zoom", "Zoom the pane to the whole screen, and back", "main"),
    Command("grow", ("plus",), "larger", "Enlarge what has the focus: the tree or a pane", "main"),
    Command("shrink", ("minus",), "smaller", "Shrink what has the focus", "main"),
    Command("even", ("equals_sign",), "reset sizes", "Reset all sizes", "main"),
    Command("pause", ("p",), "pause", "Pause or resume playback; at the end, play again", "replay", True),
    Command("step", ("full_stop", "greater_than_sign"), "step", "Pause at the next entry", "replay", True),
    Command("step_back", ("less_than_sign",), "step back", "Pause at the previous entry", "replay"),
    Command("faster", ("right_square_bracket",), "faster", "Play faster", "replay", True),
    Command("slower", ("left_square_bracket",), "slower", "Play slower", "replay"),
    Command(
        "seek", ("right_curly_bracket", "shift+right"), "seek", "Forward by a tenth of the recording", "replay", True
    ),
    Command(
        "seek_back", ("left_curly_bracket", "shift+left"), "seek back", "Back by a tenth of the recording", "replay"
    ),
    Command("demo", ("d",), "demo", "Watch a demo, while there are no sessions", "empty", False, why.require_no_rows),
    Command(
        "arm",
        ("A",),
        "arm",
        "Start or stop answering requests here",
        "main",
        True,
        why.require_armable,
        views=True,
        only_enabled=True,
    ),
    *PEEK,
    Command(
        "toggle_entry", ("enter", "space"), "unfold", "Unfold or fold a tool, note or subagent", "conversation", True
    ),
    Command("search", ("slash",), "search", "Search all of the conversation", "conversation", True, typing=True),
    Command("next_match", ("n",), "next match", "Next match of the search", "conversation", True),
    Command("previous_match", ("N",), "previous match", "Previous match of the search", "conversation", True),
    Command("raw", ("O",), "raw", "The raw transcript in $PAGER", "conversation", True),
    Command("conversation_close", ("escape", "o", "q"), "close", "End the search, else close", "conversation", True),
    Command("choose", tuple("123456789"), "choose", "Choose this option or suggestion", "request", by_key=True),
    Command("other", ("o",), "other", "Answer a question in your own words", "request"),
    Command("send", ("enter",), "send", "Send the answers, once every question has one", "request"),
    Command("sure", ("y",), "yes", "Confirm a yes to what looks dangerous", "request"),
    Command("next_request", ("right",), "next request", "Next request of the session", "request"),
    Command("previous_request", ("left",), "previous request", "Previous request of the session", "request"),
    Command("tree", ("t",), "tree", "Projects, sessions and agents as a tree", "app"),
    Command("board", ("b",), "board", "Cards: what needs you, what is running, what is done", "app", True),
    Command("timeline", ("L",), "timeline", "What happened in all sessions, newest last", "app"),
    Command("history", ("H",), "history", "Sessions of the last days, to search and to resume", "app"),
    Command("usage", ("u",), "usage", "What it cost, by day, project, model and session", "app", True),
    Command("previous_span", ("left", "h"), "previous span", "A shorter span of days", "usage", True),
    Command("next_span", ("right", "l"), "next span", "A longer span of days", "usage", True),
    Command("look_inside", ("enter",), "look inside", "What is in a day, project, model or session", "usage", True),
    Command("look_outside", ("escape",), "back", "Back to what it is part of, else close", "usage", True),
    Command("read_again", ("r",), "read again", "Read the figures again", "usage", True),
    Command("theme", ("T",), "theme", "Choose a theme; it is kept", "app"),
    Command("settings", ("comma",), "settings", "The configuration: all keys and values; change them", "app"),
    Command("palette", ("ctrl+p",), "palette", "Find any command, session or theme by its name", "app", True),
    Command(
        "command_line",
        ("colon",),
        "command",
        "Type a command by its name, as :board or :theme nord",
        "app",
        typing=True,
    ),
    Command("welcome", ("W",), "walk through", "Introduction: signs, hooks and five keys", "app"),
    Command("install", ("i",), "install", "Install the hooks, or check them", "app"),
    Command("notices", ("D",), "notices", "Show all notices, and what `atm-tui doctor` finds", "app"),
    Command("mute", ("m",), "mute", "Mute notifications for an hour, or end that", "app"),
    Command("help", ("question_mark",), "help", "Show all keys and signs", "app", True),
    Command("suspend", ("ctrl+z",), "suspend", "Suspend to the shell; `fg` comes back", "app"),
    Command("interrupt", ("ctrl+c",), "quit", "Twice within two seconds: quit", "app"),
    Command("quit", ("q",), "quit", "Quit; sessions keep running", "app", True),
    *DIALOG_COMMANDS,
)

FIRST = (
    *("peek", "conversation", "request", "replay", "usage", "pane", "tree", "empty"),
    *("main", "custom", "organize", "app", "settings", "choices", "text", "wizard"),
)
"""All groups, in the order of the help: those of one place before those of several."""

GROUPS: dict[str, tuple[str, str, str]] = {
    "main": ("session", "On a session", "on a view of the sessions"),
    "organize": ("organize", "To organize the list", "on a view of the sessions"),
    "custom": ("yours", "Your own commands", "on a view of the sessions"),
    "app": ("app", "Everywhere", "not here"),
    "tree": ("move", "To move", "where a list has the focus"),
    "pane": ("pane", "In a pane", "where a pane has the focus"),
    "peek": ("peek", "In the peek", "in the peek"),
    "conversation": ("reading", "In a conversation", "in a conversation"),
    "request": ("answer", "In a request", "while a request is shown"),
    "empty": ("session", "While there are no sessions", "while there are no sessions"),
    "replay": ("replay", "In a replay", "in a replay"),
    "usage": ("usage", "On the usage screen", "on the usage screen"),
    "settings": ("settings", "On the settings screen", "on the settings screen"),
    "choices": ("choices", "In a list to choose from", "in a list to choose from: themes, values, the menu of a row"),
    "text": ("text", "In help and notices", "in help and notices"),
    "wizard": ("wizard", "In the install wizard", "in the install wizard"),
}
"""For each group: a word for the palette, its title in the help, and where its keys work."""

HANDLED = frozenset({"main", "custom", "organize", "empty", "replay", "pane", "peek", "conversation"})
"""The groups whose commands are run through a screen's table of handlers, which also says why a command can't run."""

ANSWERS = ("allow", "deny", "always")
"""The commands that answer a request."""

VIEWS = ("tree", "board", "timeline", "history")
"""The commands that show another view of the fleet."""

Bindings = list[Binding | tuple[str, str] | tuple[str, str, str]]


def find_command(command_id: str) -> Command:
    """Returns the command with this id. Raises KeyError when there is none."""
    for each in COMMANDS:
        if each.id == command_id:
            return each
    raise KeyError(command_id)


def describe_place(of: Command) -> str:
    """Returns the place where a command's keys work, for a message in other places."""
    return "in the tree" if of.group in ("main", "organize") and not of.views else GROUPS[of.group][2]


def make_action(of: Command, number: int = 0) -> str:
    """Returns the Textual action that runs a command; `number`: of a key among those of a command that has one for each number."""
    if of.group in DIALOGS:
        return of.id.removeprefix(f"{of.group}_")
    given = f"'{number}'" if of.by_key and number else ""
    if of.group in HANDLED:
        return f"command('{of.id}', {given})" if given else f"command('{of.id}')"
    return f"{of.id}({given})" if given else of.id


def make_bindings(*groups: str) -> Bindings:
    """Makes the key bindings of some groups."""
    return [each for of in COMMANDS if of.group in groups for each in make_command_bindings(of)]


def make_command_bindings(of: Command) -> Iterator[Binding]:
    """Makes the key bindings of a command."""
    for number, keys in enumerate(of.keys if of.by_key else (",".join(of.keys),), 1):
        made_id = f"{of.id}.{number}" if of.by_key else of.id
        action = make_action(of, number)
        yield Binding(keys, action, of.title, show=of.footer, tooltip=of.help, id=made_id, priority=of.typing)


def find_command_id(binding: Binding) -> str:
    """Returns the id of the command whose key a binding is; empty if it is of none."""
    return (binding.id or "").partition(".")[0]


def make_motion_bindings() -> list[Binding]:
    """Makes the key bindings that move through lines."""
    return [binding for each in MOTIONS for binding in make_command_bindings(find_command(each))]


def make_choice_bindings(*command_ids: str) -> list[Binding]:
    """Makes the key bindings of a list to choose from: to take and to leave, and those of some other commands."""
    every = ("choices_take", "choices_leave", *command_ids)
    return [binding for each in every for binding in make_command_bindings(find_command(each))]


def make_answer_bindings() -> Bindings:
    """Makes the key bindings of a screen that shows, among other things, the requests of a session."""
    return [each for each in make_bindings("main") if isinstance(each, Binding) and each.id in ANSWERS]


def make_request_bindings() -> Bindings:
    """Makes the key bindings of the request dialog, which runs the answers itself."""
    answers = [Binding(",".join(find_command(each).keys), each, id=each, show=False) for each in ANSWERS]
    return [*answers, *make_bindings("request")]


def make_pane_bindings() -> Bindings:
    """Makes the key bindings of a pane; the screen runs them."""
    return [
        replace(each, action=f"screen.{each.action}") for each in make_bindings("pane") if isinstance(each, Binding)
    ]
