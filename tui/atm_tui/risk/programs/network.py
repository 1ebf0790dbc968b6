"""Checks programs that send data to other machines, or give them access."""

import re
from collections.abc import Iterator

from atm_tui.risk.calls import Call, assign_check
from atm_tui.risk.programs.verbs import READS
from atm_tui.risk.tables import read_names

_LOCAL = re.compile(
    r"(?:https?://)?(?:[\w.-]+@)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\]|::1|host\.docker\.internal|[\w-]+\.localhost|[\w-]+\.test)(?=[:/?#]|$)"
)
_HIDDEN_HOST = re.compile(r"169\.254\.169\.254|metadata\.google\.internal|100\.100\.100\.200|metadata\.azure")
_DESTROYS = re.compile(
    r"_all\b|_delete_by_query|/(?:delete|destroy|drop|reset|purge|shutdown|flush|wipe|truncate)\b", re.IGNORECASE
)
_BODIES = (
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "--data-ascii",
    "-F",
    "--form",
    "--json",
    "--form-string",
    "-T",
    "--upload-file",
)
_TAKES_VALUE = read_names("""
    -X --request -H --header -o --output -u --user -A --user-agent -b --cookie -c --cookie-jar -e --referer -m
    --max-time -w --write-out -x --proxy --connect-timeout --retry -E --cert --key --cacert -K --config --url
    --output-dir -C --continue-at -r --range --resolve --connect-to --limit-rate --retry-delay
""")


def reaches_this_machine(call: Call) -> bool:
    """Whether all addresses of a program that fetches lead to this machine."""
    addresses = _find_addresses(call)
    return bool(addresses) and all(map(_LOCAL.match, addresses))


def check_curl(call: Call) -> Iterator[str]:
    """`curl`: changing methods, what is sent, and to whom."""
    addresses = _find_addresses(call)
    local = reaches_this_machine(call)
    methods = [each.upper() for each in call.list_values("-X", "--request")]
    bodies = call.list_values(*_BODIES)
    if (
        "DELETE" in methods
        or (any(map(_DESTROYS.search, addresses)) and (methods or bodies))
        or (
            not local
            and (bodies or any(each not in ("GET", "HEAD", "OPTIONS") for each in methods))
            and not call.has("-G", "--get")
        )
    ):
        yield "remote"
    if any(_HIDDEN_HOST.search(each) for each in addresses):
        yield "credentials"
    if call.has("-T", "--upload-file") and not local:
        yield "remote"
    if (
        call.has(
            "-K", "--config", "-u", "--user", "--netrc-file", "-n", "--netrc", "--unix-socket", "--abstract-unix-socket"
        )
        and not local
    ):
        yield "credentials" if not call.has("--unix-socket") else "root"
    if any(re.search(r"(?:file|dict|gopher|smtps?|ftps?|scp|sftp|telnet)://", each) for each in addresses):
        yield "remote"


def _find_addresses(call: Call) -> list[str]:
    found = call.list_values("--url")
    skip = _TAKES_VALUE | frozenset(_BODIES)
    for at, word in enumerate(call.args):
        before = call.args[at - 1] if at else ""
        clustered = bool(re.fullmatch(r"-[a-zA-Z]*[XHouAbcemwxEKCrdFT]", before))
        if not word.startswith("-") and before not in skip and not clustered:
            found.append(word)
    return found


def check_wget(call: Call) -> Iterator[str]:
    """`wget` that sends something, or runs commands."""
    addresses = [name for name in call.names if "/" in name or "." in name or ":" in name]
    local = bool(addresses) and all(_LOCAL.match(each) for each in addresses[-1:])
    method = [each.upper() for each in call.list_values("--method")]
    sends = call.has("--post-data", "--post-file", "--body-data", "--body-file")
    if "DELETE" in method or (not local and (sends or any(each not in ("GET", "HEAD") for each in method))):
        yield "remote"
    if call.has("--use-askpass", "-e", "--execute") or any(_HIDDEN_HOST.search(each) for each in addresses):
        yield "credentials"


def check_httpie(call: Call) -> Iterator[str]:
    """HTTPie and xh: the method is the first argument, or follows from the items."""
    names = call.names
    method = names[0].upper() if names and names[0].isalpha() else ""
    addresses = [name for name in names if not re.search(r"[=@]|:=", name)][1 if method else 0 :][:1]
    local = bool(addresses) and bool(_LOCAL.match(addresses[0]) or addresses[0].startswith(":"))
    sends = any(re.search(r"\w(?:=|:=|@)", name) for name in names[1:]) or method in ("POST", "PUT", "PATCH")
    if method == "DELETE" or (sends and not local):
        yield "remote"


def check_copy(call: Call) -> Iterator[str]:
    """`scp`, `sftp` and similar programs."""
    if call.program in (
        "sftp",
        "ftp",
        "lftp",
        "tftp",
        "ncftpput",
        "croc",
        "magic-wormhole",
        "wormhole",
        "transfer",
        "rsh",
        "rcp",
        "rlogin",
        "telnet",
        "sshfs",
        "smbclient",
    ):
        if call.names and not (call.program == "telnet" and _LOCAL.match(call.names[0])):
            yield "remote"
    elif len(call.names) > 1 and ":" in call.names[-1]:
        yield "remote"


_SSH_READS = read_names("""
    ls cat head tail grep uptime whoami hostname pwd df du ps top free date uname id echo true which journalctl w who
    last find wc stat
""")
_SSH_ASKED = read_names("docker kubectl git systemctl service npm pm2")
"""Programs that may run on another machine with a reading verb."""


def check_ssh(call: Call) -> Iterator[str]:
    """`ssh` that runs anything but known harmless commands, or opens a tunnel."""
    if call.has("-V", "-G", "-Q", "-T") and len(call.names) <= 1:
        return
    options = call.list_values("-o")
    if call.has("-R", "-D", "-w", "-L", "-N", "-A") or any(
        re.match(r"(?:Proxy|Local|Remote|Permit)\w*Command|RemoteForward|LocalForward", each, re.IGNORECASE)
        for each in options
    ):
        yield "network"
    if any("ProxyCommand" in each or "LocalCommand" in each for each in options):
        yield "download"
    valued = {
        "-p",
        "-i",
        "-l",
        "-o",
        "-F",
        "-J",
        "-b",
        "-c",
        "-E",
        "-e",
        "-I",
        "-m",
        "-O",
        "-S",
        "-W",
        "-L",
        "-R",
        "-D",
        "-B",
        "-Q",
    }
    words = [
        word
        for at, word in enumerate(call.args)
        if not word.startswith("-") and (at == 0 or call.args[at - 1] not in valued)
    ]
    run = words[1].split()[0].rpartition("/")[2] if len(words) > 1 and words[1].split() else ""
    sends = call.command.source is not None or call.command.reads or call.command.body is not None
    asked = " ".join(words[1:]).split()
    reads = run in _SSH_READS or (run in _SSH_ASKED and bool(READS & set(asked[1:4])))
    if words and (not reads or sends):
        yield "remote"


def check_netcat(call: Call) -> Iterator[str]:
    """`nc`, `socat`: programs connected to the network, open ports, and what is sent."""
    if any(
        re.match(r"-\w*[ec]$|--(?:sh-)?exec|(?:exec|system|open|file|pty):", word, re.IGNORECASE) for word in call.args
    ):
        yield "download"
    if call.has("-l", "--listen", "-k") or call.program == "socat":
        yield "network"
    if (
        (call.command.reads or call.command.source is not None)
        and call.names
        and not any(_LOCAL.match(name) for name in call.names)
    ):
        yield "remote"


def check_tunnel(call: Call) -> Iterator[str]:
    """Programs that give others access from the network."""
    if call.verb not in (
        "version",
        "help",
        "status",
        "list",
        "ls",
        "config",
        "ip",
        "ping",
        "netcheck",
    ) and not call.has("--version", "--help"):
        yield "network"


def check_message(call: Call) -> Iterator[str]:
    """Programs that send messages to people."""
    if not call.has("--version", "--help", "-V") and (
        call.args or call.command.source is not None or call.command.reads
    ):
        yield "remote"


def check_scan(call: Call) -> Iterator[str]:
    """Programs that scan the network or capture its traffic."""
    local = any(map(_LOCAL.match, call.names)) and not any(
        "." in name and not _LOCAL.match(name) for name in call.names
    )
    if call.args and not local and not call.has("--version", "--help", "-V", "-D", "--list-interfaces"):
        yield "network"


CHECKS = {
    "curl": check_curl,
    "curlie": check_curl,
    "wget": check_wget,
    **assign_check(check_httpie, "http https xh xhs"),
    **assign_check(
        check_copy,
        """
        scp sftp ftp lftp tftp ncftpput croc wormhole magic-wormhole transfer rsh rcp rlogin telnet smbclient sshfs
    """,
    ),
    **assign_check(check_ssh, "ssh mosh autossh sshpass"),
    "ssh-copy-id": check_message,
    **assign_check(check_netcat, "nc ncat netcat socat"),
    **assign_check(
        check_tunnel,
        """
        ngrok cloudflared lt localtunnel bore tailscale zrok frpc frps pagekite tunnelto inlets chisel rathole
        localhost.run tmate gotty ttyd openvpn wg wg-quick
    """,
    ),
    **assign_check(
        check_message,
        """
        mail mailx sendmail mutt neomutt msmtp swaks wall write telegram-send ntfy signal-cli slack slackcat himalaya
        ssmtp sendemail postfix exim notify gmail irssi matrix-commander apprise pushover mosquitto_pub
        kafka-console-producer kafka-console-producer.sh
    """,
    ),
    **assign_check(
        check_scan,
        """
        nmap masscan tcpdump tshark nikto hydra sqlmap ab wrk hping3 arp-scan bettercap ettercap aircrack-ng john
        hashcat msfconsole gobuster slowloris
    """,
    ),
}
