"""Checks programs that could answer, arm or type for a person: terminals, key presses, other agents, atm-tui itself."""

import re
from collections.abc import Iterator

from atm_tui.risk.calls import Call, assign_check
from atm_tui.risk.tables import read_names

_TMUX_READS = re.compile(
    r"(?:ls|list-\w+|lsp|lsw|lsc|lsb|lsk|lscm|has(?:-session)?|show(?:-\w+)?|info|display(?:-message)?|displayp|capture-pane|capturep|-V|start-server|start|wait-for)$"
)
_TMUX_VALUED = frozenset({"-L", "-S", "-f", "-c", "-T"})


def check_tmux(call: Call) -> Iterator[str]:
    """tmux: everything except listing and showing; `;` separates several commands."""
    args, at = call.args, 0
    while at < len(args) and args[at].startswith("-") and args[at] != "-V":
        if args[at] in ("-c", "-f"):
            yield "answers"
        at += 2 if args[at] in _TMUX_VALUED else 1
    if at >= len(args):
        if args:
            yield "answers"
        return
    verbs = [args[at], *(args[index + 1] for index, word in enumerate(args[:-1]) if word.endswith(";") and index >= at)]
    for verb in verbs:
        if not _TMUX_READS.match(verb):
            yield "answers"
    if re.match(r"display", verbs[0]) and ("-p" not in args or any("#(" in word for word in args)):
        yield "answers"
    if re.match(r"wait-for", verbs[0]) and call.has("-S", "-U"):
        yield "answers"


def check_screen(call: Call) -> Iterator[str]:
    """GNU screen: everything except its list."""
    if not call.has("-ls", "-list", "-v", "--version", "-help") and call.args:
        yield "answers"


def check_terminal(call: Call) -> Iterator[str]:
    """Terminals with remote control."""
    names, args = call.names, call.args
    match call.program:
        case "kitty" | "kitten":
            remote = "@" in args or any(word.startswith("@") for word in args)
            verbs = [word.lstrip("@") for word in names if word != "@"]
            if remote and verbs[:1] not in (["ls"], ["get-colors"], ["get-text"]):
                yield "answers"
        case "wezterm":
            if "cli" in names and not {"list", "list-clients", "get-text", "--help"} & set(args):
                yield "answers"
        case "zellij":
            if call.verb and call.verb not in ("list-sessions", "ls", "setup", "list-aliases", "la"):
                yield "answers"
        case "alacritty" | "ghostty" | "konsole" | "gnome-terminal" | "xterm" | "iterm2" | "foot" | "wt" | "terminator":
            if call.has("-e", "-x", "--command", "msg") or "msg" in names or any(word.startswith("+") for word in args):
                yield "answers"
        case "qdbus" | "dbus-send" | "busctl" | "gdbus":
            if re.search(
                r"konsole|sendText|runCommand|yakuake|terminal|Eval|systemd1|login1", " ".join(args), re.IGNORECASE
            ):
                yield "answers"
        case "cmux" | "tmuxinator" | "tmuxp" | "byobu" | "dtach" | "abduco" | "reptyr" | "ttyecho":
            if args and call.verb not in ("list", "ls", "--version", "doctor"):
                yield "answers"
        case "code" | "cursor" | "windsurf":
            if call.has("--command", "--install-extension", "--open-url"):
                yield "settings"


def check_keys(call: Call) -> Iterator[str]:
    """Programs that simulate keys or clicks."""
    reads = (
        "getactivewindow",
        "search",
        "getwindowname",
        "getmouselocation",
        "getdisplaygeometry",
        "version",
        "help",
        "getwindowgeometry",
        "getwindowpid",
    )
    chained = {
        "type",
        "key",
        "keydown",
        "keyup",
        "click",
        "mousedown",
        "windowactivate",
        "windowfocus",
        "exec",
        "behave",
        "mousemove",
        "windowkill",
        "windowclose",
    } & set(call.names)
    if call.args and (chained or (call.verb not in reads and not call.has("--version", "--help"))):
        yield "answers"


_LOOSE = re.compile(
    r"dangerously|skip-permissions|bypassPermissions|dontAsk|yolo|full-auto|danger-full-access|never|allow-all|auto-approve|trust-all|no-confirm|--yes\b|force"
)


def check_client(call: Call) -> Iterator[str]:
    """Claude Code and other agents: less restrictive modes, and settings."""
    args = call.args
    values = call.list_values("--permission-mode", "--approval-mode", "--ask-for-approval", "-a")
    if any(_LOOSE.search(word) for word in args if word.startswith("-")) or any(
        value not in ("default", "plan", "manual", "on-request", "untrusted") for value in values
    ):
        yield "mode"
    if call.has(
        "--allowedTools",
        "--allowed-tools",
        "--settings",
        "--mcp-config",
        "--add-dir",
        "--plugin-dir",
        "--permission-prompt-tool",
    ):
        yield "mode"
    if call.names[:1] in (("mcp",), ("config",), ("plugin",), ("plugins",)):
        if not {"list", "get", "ls", "--help", "help", "validate"} & set(args[1:3]):
            yield "settings"
    elif call.names[:1] in (("setup-token",), ("login",), ("logout",), ("auth",)):
        yield "credentials"


_ATM_READS = read_names("status explain usage report doctor answers timeline help")


def check_atm(call: Call) -> Iterator[str]:
    """atm-tui: everything except showing."""
    skip = [
        word
        for at, word in enumerate(call.args)
        if not word.startswith("-") and (at == 0 or call.args[at - 1] != "--watch")
    ]
    verb = skip[0] if skip else ""
    if verb not in _ATM_READS and not call.has("--version", "--help", "-h"):
        yield "answers"


CHECKS = {
    "tmux": check_tmux,
    "tmate": check_tmux,
    "psmux": check_tmux,
    "screen": check_screen,
    **assign_check(
        check_terminal,
        """
        kitty kitten wezterm zellij alacritty ghostty konsole gnome-terminal xterm foot wt terminator qdbus dbus-send
        busctl gdbus cmux tmuxinator tmuxp byobu dtach abduco reptyr ttyecho code cursor windsurf
    """,
    ),
    **assign_check(
        check_keys,
        """
        xdotool ydotool wtype dotool xte xvkbd cliclick wmctrl hs AutoHotkey sikuli evemu-play evemu-event input
        i3-msg swaymsg hyprctl xmacroplay autokey-run shortcuts automator uinput ttyplay
    """,
    ),
    **assign_check(
        check_client,
        """
        claude codex gemini aider opencode cursor-agent amp goose qwen copilot crush cline
    """,
    ),
    **assign_check(check_atm, "atm-tui atm atm_tui"),
}
