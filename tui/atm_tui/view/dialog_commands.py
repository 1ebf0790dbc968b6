"""The commands of dialogs, which are part of COMMANDS: peek, install wizard, settings screen, lists to choose from, and texts."""

from atm_tui.view.command import Command

PEEK = (
    Command("peek_jump", ("enter",), "jump", "Go to the session's terminal; the peek closes", "peek"),
    Command("peek_close", ("space", "escape", "q"), "close", "Close the peek", "peek"),
)
WIZARD = (
    Command("wizard_forward", ("enter",), "next", "Next step; it never writes a change", "wizard"),
    Command("wizard_apply", ("a",), "apply", "Write the changes that are shown", "wizard"),
    Command("wizard_choose", ("space",), "choose", "Pick the file, or change the option", "wizard"),
    Command("wizard_back", ("left", "backspace", "h"), "back", "Previous step", "wizard"),
    Command("wizard_events", ("e",), "events", "Choose which events the hooks report", "wizard"),
    Command(
        "wizard_details",
        ("d",),
        "whole lines",
        "Show the changes in full: long lines wrapped, what repeats unfolded",
        "wizard",
    ),
    Command("wizard_undo", ("z",), "undo", "Undo what was just written", "wizard"),
    Command("wizard_doctor", ("c",), "check", "Make all checks of `atm-tui doctor`", "wizard"),
    Command("wizard_again", ("r",), "look again", "Read the files, or make the checks, again", "wizard"),
    Command("wizard_uninstall", ("u",), "uninstall", "Show what removing the hooks would change", "wizard"),
    Command("wizard_backups", ("b",), "backups", "List the backups of the file, to restore one", "wizard"),
    Command("wizard_leave", ("escape", "q"), "leave", "Close the wizard", "wizard"),
)
SETTINGS = (
    Command("settings_change", ("enter", "space"), "change", "Change the value", "settings"),
    Command("settings_reset", ("d", "delete"), "default", "Remove it from the file: its default holds", "settings"),
    Command("settings_edit", ("e",), "edit the file", "Open the configuration in $EDITOR", "settings"),
    Command("settings_leave", ("escape", "q", "comma"), "close", "Close the settings", "settings"),
)
CHOICES = (
    Command("choices_pick", ("space",), "choose", "Choose the value, or no longer", "choices"),
    Command("choices_down", ("J", "shift+down"), "move down", "Move the value down in the order", "choices"),
    Command("choices_up", ("K", "shift+up"), "move up", "Move the value up in the order", "choices"),
    Command("choices_take", ("enter",), "take", "Take what is chosen", "choices"),
    Command("choices_leave", ("escape", "q"), "back", "Leave the value as it is", "choices"),
)
TEXT = (Command("text_close", ("escape", "q", "enter"), "close", "Close the help, or the notices", "text"),)
DIALOG_COMMANDS = (*WIZARD, *SETTINGS, *CHOICES, *TEXT)
DIALOGS = frozenset(each.group for each in DIALOG_COMMANDS)
"""The groups of dialogs without a selection: they run their commands themselves, and name the keys that work now."""

MOTIONS = ("cursor_down", "cursor_up", "page_down", "page_up", "cursor_first", "cursor_last")
"""The commands that move through the lines of any list or text."""
NEEDED = (
    *("peek_close", "wizard_forward", "wizard_apply", "wizard_choose", "wizard_again", "wizard_leave"),
    *("settings_leave", "choices_take", "choices_leave", "text_close"),
)
"""The commands that nothing but a key can run, and that a dialog asks for or can't be left without."""
