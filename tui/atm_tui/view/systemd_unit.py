"""Writes the systemd user unit that publishes while the user is logged in. Pure."""

import re
from collections.abc import Mapping, Sequence

NAME = "atm-tui-publish.service"
_PLAIN = re.compile(r"[\w@:=,./+-]+", re.ASCII)


def write_unit(command: Sequence[str], environ: Mapping[str, str]) -> str:
    """Returns the text of the unit that runs a command with these variables."""
    variables = "".join(f"Environment={_quote(f'{name}={value}')}\n" for name, value in sorted(environ.items()))
    return (
        f"# ~/.config/systemd/user/{NAME}; then:\n"
        f"#   systemctl --user daemon-reload && systemctl --user enable --now {NAME}\n"
        "#   loginctl enable-linger    (to go on while you are logged out)\n"
        "[Unit]\n"
        "Description=Publish Claude Code sessions of this machine\n"
        "StartLimitIntervalSec=0\n"
        "\n"
        "[Service]\n"
        f"{variables}"
        f"ExecStart={' '.join(_quote(each.replace('$', '$$')) for each in command)}\n"
        "Restart=on-failure\n"
        "RestartSec=30\n"
        "Nice=10\n"
        "\n"
        "[Install]\n"
        "WantedBy=default.target\n"
    )


def _quote(word: str) -> str:
    """Quotes a word as systemd reads it. Raises ValueError for one that no unit can have."""
    if not word.isprintable():
        raise ValueError(word)
    word = word.replace("%", "%%")
    if _PLAIN.fullmatch(word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
