#!/bin/sh
# For tmux plugin managers: they run this file, which loads what `atm-tui tmux-conf` prints.
here=$(cd -- "$(dirname -- "$0")" && pwd)
PATH=$here/.venv/bin:$PATH
export PATH
if ! command -v atm-tui >/dev/null; then
    tmux display-message 'atm-tui is not installed: pipx install atm-tui'
    exit 0
fi
atm-tui tmux-conf | tmux source-file -
