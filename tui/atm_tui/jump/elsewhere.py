"""Jumps to a session in tmux on another machine: by a pane here that holds an ssh to there, a new window, or this terminal."""

import os
import re
import shlex

from atm_tui.jump.processes import read_tty
from atm_tui.jump.run import run_command
from atm_tui.jump.tmux import make_new_window_command, plan_unrecorded
from atm_tui.jump.tmux_server import TmuxServers
from atm_tui.jump.values import JumpError, JumpPlan, Outcome, OwnTerminal
from atm_tui.model.host import Host, reach, reach_by_terminal
from atm_tui.model.session import Elsewhere, Liveness, Session
from atm_tui.text import clean

_SOCKET = re.compile(r"/[\w./+-]+")
_PANE = re.compile(r"%\d{1,9}")
_CLIENT = re.compile(r"(\d{1,15}) (/dev/[\w/]+)")


def plan_elsewhere(session: Session, there: Elsewhere, own: OwnTerminal, servers: TmuxServers) -> JumpPlan:
    """Plans how to get to a session of another machine; asks that machine when a pane here may show it."""
    name = clean(there.machine)
    if session.liveness is not Liveness.LIVE:
        return JumpPlan(outcome=Outcome.REFUSED, text=f"It has ended on {name}: resume it there.")
    if not (there.host.ssh or there.host.exec):
        text = f"It runs on {name}, which is known through NATS alone: `hosts.{name}` of the configuration says how to get there."
        line = shlex.join(("atm-tui", "jump", there.session_id))
        return JumpPlan(outcome=Outcome.REFUSED, text=text, copy=line, runs_there=True)
    terminal = there.terminal
    if (
        terminal.kind != "tmux"
        or not _SOCKET.fullmatch(terminal.socket or "")
        or not _PANE.fullmatch(terminal.pane or "")
    ):
        text = f"It runs on {name}, and not in tmux: go to its terminal there."
        return JumpPlan(outcome=Outcome.REFUSED, text=text)
    if there.silent_since is None and (found := _plan_by_pane_here(there, own, servers)):
        return found
    attach = reach_by_terminal(there.host, _show_and_attach(there))
    line = shlex.join(attach)
    if window := make_new_window_command(attach, "", own):
        text = f"Showing it in a new tmux window, over {there.host.describe()}."
        return JumpPlan(outcome=Outcome.GO, text=text, commands=(window,), copy=line)
    text = f"It runs in pane {terminal.pane} of tmux on {name}."
    return JumpPlan(outcome=Outcome.ATTACH, text=text, takeover=attach, copy=line)


def _plan_by_pane_here(there: Elsewhere, own: OwnTerminal, servers: TmuxServers) -> JumpPlan | None:
    """Plans the jump to a pane of ours that holds an ssh to there, in which a client shows tmux; None without one."""
    if not there.host.ssh:
        return None
    for pid in _list_links(there.host):
        here = plan_unrecorded(Session(session_id="ssh", pid=pid), own, servers)
        if here is None or here.outcome not in (Outcome.GO, Outcome.THERE):
            continue
        if (client := find_client(there)) is None:
            return None
        switch = reach(
            there.host,
            f"{_check(there)}; {_make_tmux_command(there, 'switch-client', '-Z', '-c', client, '-t', _name_pane(there))}",
        )
        text = f"Going to the pane here that holds an ssh to {clean(there.machine)}, and to pane {_name_pane(there)} in it."
        return JumpPlan(outcome=Outcome.GO, text=text, commands=(switch, *here.commands), popup=here.popup)
    return None


def _list_links(host: Host) -> list[int]:
    """Returns the ssh processes of this user that have a terminal and this destination."""
    import psutil  # noqa: PLC0415  takes long to load

    destinations = {host.ssh, host.ssh.rpartition("@")[2]}
    found = []
    for process in psutil.process_iter(["name", "cmdline", "uids"]):
        info = process.info
        words = info["cmdline"] or ()
        is_ours = info["uids"] is not None and info["uids"].real == os.getuid()
        is_link = info["name"] == "ssh" and is_ours and not destinations.isdisjoint(words[1:])
        if is_link and read_tty(process.pid):  # psutil caches the list of terminals
            found.append(process.pid)
    return found


def find_client(there: Elsewhere) -> str | None:
    """Returns the tmux client there that was used last; None without any."""
    listing = reach(there.host, _make_tmux_command(there, "list-clients", "-F", "#{client_activity} #{client_name}"))
    try:
        lines = run_command(listing).splitlines()
    except JumpError:
        return None
    matches = filter(None, (_CLIENT.fullmatch(line.strip()) for line in lines))
    clients = [(int(found[1]), found[2]) for found in matches]
    return max(clients)[1] if clients else None


def _name_pane(there: Elsewhere) -> str:
    return there.terminal.pane or ""


def _make_tmux_command(there: Elsewhere, *words: str) -> str:
    return shlex.join(("tmux", "-S", there.terminal.socket or "", *words))


def _check(there: Elsewhere) -> str:
    """Returns shell text that ends with an error if the pane there runs something else by now."""
    if there.pid is None:
        return ":"
    tty = _make_tmux_command(there, "display-message", "-p", "-t", _name_pane(there), "#{pane_tty}")
    gone = shlex.quote(f"pane {_name_pane(there)} there runs something else now")
    return (
        f'tty=$(ps -o tty= -p {int(there.pid)} 2>/dev/null | tr -d " "); '
        f'[ -z "$tty" ] || [ "/dev/$tty" = "$({tty})" ] || {{ echo {gone} >&2; exit 1; }}'
    )


def _show_and_attach(there: Elsewhere) -> str:
    pane = _name_pane(there)
    show = _make_tmux_command(
        there, "select-window", "-t", pane, ";", "select-pane", "-Z", "-t", pane, ";", "attach-session", "-t", pane
    )
    return f"({_check(there)}; exec {show}) || {{ echo 'Enter closes this.'; read -r _; }}"
