"""The tmux configuration of atm-tui: its text, and the plan that adds it to the user's file between two markers. Pure."""

import re
from pathlib import Path

from atm_tui.settings.errors import SettingsError
from atm_tui.settings.plan import Plan
from atm_tui.sources.exists import is_file

PREFIX = "@meta.claude."
"""Prefix of the pane options that the hook sets with `install --tmux`."""
KEYS = {"popup": "g", "next": "N", "jump": "J"}
"""The keys after tmux's prefix. tmux itself uses none of them."""
_ICONS = (
    ("state", "needs_you", "⏸"),
    ("state", "working", "▶"),
    ("state", "idle", "■"),
    # hooks of an older atm-tui only set this one, which does not distinguish waiting from finished sessions
    ("status", "running", "▶"),
    ("status", "stopped", "⏸"),
)
"""An option of the pane, a value, and the icon for it; the first that fits counts."""
BEGIN = b"# >>> atm-tui: made by `atm-tui tmux-conf --install`, removed by `--uninstall`"
END = b"# <<< atm-tui\n"
NEW_FILE = b" (there was no file before)"
NO_NEWLINE = b" (the last line had no end)"
_BLOCK = re.compile(rb"(?P<newline>\n?)" + re.escape(BEGIN) + rb"(?P<note>[^\n]*)\n.*?" + re.escape(END), re.DOTALL)


def make_tmux_conf(program: str) -> str:
    """Returns commands for tmux 3.2 and later; loading them twice changes no more than once.

    `program`: how to start atm-tui, in characters that need no quotes.
    """
    icon = f"#{{?{PREFIX}status,?,#{{?{PREFIX}session_id,■,}}}}"
    for option, value, sign in reversed(_ICONS):
        icon = f"#{{?#{{==:#{{{PREFIX}{option}}},{value}}},{sign},{icon}}}"
    waiting = "#{P:#{E:@atm_pane_icon}}"
    add_icon = "set -gF pane-border-format '##{E:@atm_pane_icon} #{pane-border-format}'"
    add_status = f"set -gF status-right '##({program} status --tmux) #{{status-right}}'"
    ask = f"set -g @atm_session \\\"%%%\\\" ; run-shell '{program} jump -- #{{q:@atm_session}}'"
    lines = [
        "# the icon of a pane: ▶ it works, ⏸ it waits for you, ■ it has finished or ended, ? unknown; for formats of your own",
        f'set -g @atm_pane_icon "{icon}"',
        "# the mark of a window: ⏸ when any of its panes waits",
        f'set -g @atm_window_mark "#{{?#{{m:*⏸*,{waiting}}}, ⏸,}}"',
        *(
            f"if -F '#{{m:*@atm_window_mark*,#{{{option}}}}}' '' \"set -ga {option} '#{{E:@atm_window_mark}}'\""
            for option in ("window-status-format", "window-status-current-format")
        ),
        f"if -F '#{{m:*@atm_pane_icon*,#{{pane-border-format}}}}' '' \"{add_icon}\"",
        "# who needs you, and how many work",
        f"if -F '#{{m:*status --tmux*,#{{status-right}}}}' '' \"{add_status}\"",
        "if -F '#{e|>:#{status-interval},5}' 'set -g status-interval 5'",
        "if -F '#{e|<:#{status-right-length},80}' 'set -g status-right-length 80'",
        "# behind the prefix: the monitor in a popup, the session that waits longest, a session by its name",
        f'bind {KEYS["popup"]} display-popup -E -w 90% -h 90% "{program}"',
        f'bind {KEYS["next"]} run-shell "{program} next"',
        f"bind {KEYS['jump']} command-prompt -p 'go to session:' \"{ask}\"",
    ]
    return "\n".join(lines) + "\n"


def plan_install(path: Path, before: bytes | None, text: str) -> Plan:
    """Plans to add the text between markers at the end of a file, or to replace the text between existing markers."""
    note = NEW_FILE if before is None else NO_NEWLINE if before and not before.endswith(b"\n") else b""
    old = before or b""
    found = _find_block(path, old)
    if found is not None:
        note = found["note"]
    block = BEGIN + note + b"\n" + text.encode() + END
    if found is not None:
        after = old[: found.start()] + found["newline"] + block + old[found.end() :]
    else:
        after = old + (b"\n" if note == NO_NEWLINE else b"") + block
    return Plan(path, before, after, (), (), None)


def plan_uninstall(path: Path, before: bytes | None) -> Plan:
    """Plans to remove the markers and the text between them, which restores the original bytes, or removes a file that was new."""
    found = _find_block(path, before or b"")
    if before is None or found is None:
        return Plan(path, before, before, (), (), None)
    newline = b"" if found["note"] == NO_NEWLINE else found["newline"]
    after = before[: found.start()] + newline + before[found.end() :]
    return Plan(path, before, None if found["note"] == NEW_FILE and not after else after, (), (), None)


def _find_block(path: Path, data: bytes) -> re.Match[bytes] | None:
    found = list(_BLOCK.finditer(data))
    if len(found) > 1 or (not found and BEGIN in data):
        raise SettingsError(
            f"{path}: the markers of atm-tui stand there more than once, or one of them is missing. Nothing was changed.\n"
            "  Next: remove them, and what stands between them, by hand."
        )
    return found[0] if found else None


def choose_tmux_file(home: Path, config_home: Path) -> Path:
    """Returns the existing file that tmux reads: ~/.tmux.conf, else tmux/tmux.conf; the first if none exists."""
    first, second = home / ".tmux.conf", config_home / "tmux" / "tmux.conf"
    there = {each: is_file(each) for each in (first, second)}
    return second if there[second] and not there[first] else first
