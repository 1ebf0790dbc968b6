"""Checks processes, services and the network of this machine."""

import re
from collections.abc import Iterator

from atm_tui.risk.calls import Call, assign_check
from atm_tui.risk.programs.verbs import only_reads
from atm_tui.risk.tables import read_names


def check_kill(call: Call) -> Iterator[str]:
    """`kill`: everything except single processes by their number."""
    if set(call.args[:1]) & {"-l", "-L", "--list", "--help", "-0"} and "-1" not in call.args[1:]:
        return
    targets = [word for at, word in enumerate(call.args) if not (at == 0 and word.startswith("-"))]
    if call.args[:1] in (("-s",), ("-n",)):
        targets = list(call.args[2:])
    elif call.args[:1] == ("--",):
        targets = list(call.args[1:])
    if call.is_batch or any(
        not re.fullmatch(r"[1-9]\d+|[2-9]|%\d*|\$!|%[+-]", word) for word in targets if word != "--"
    ):
        yield "services"


def check_killer(call: Call) -> Iterator[str]:
    """Programs that end processes by a pattern."""
    if not call.has("--help", "--version", "-l", "--list", "-V"):
        yield "services"


def check_fuser(call: Call) -> Iterator[str]:
    """`fuser -k`."""
    if call.has("-k", "--kill"):
        yield "services"


def check_daemon(call: Call) -> Iterator[str]:
    """`start-stop-daemon --stop`."""
    if call.has("-K", "--stop", "-s", "--signal"):
        yield "services"


_SYSTEMCTL_READS = (
    "status",
    "is-active",
    "is-enabled",
    "is-failed",
    "cat",
    "get-default",
    "show-environment",
    "is-system-running",
    "list-units",
    "list-unit-files",
    "list-timers",
    "list-sockets",
    "list-dependencies",
    "list-jobs",
    "help",
)


def check_systemctl(call: Call) -> Iterator[str]:
    """systemd: everything except queries."""
    names = [
        word
        for at, word in enumerate(call.args)
        if not word.startswith("-")
        and (at == 0 or call.args[at - 1] not in ("-H", "-M", "-t", "--type", "-n", "-o", "-p", "--root"))
    ]
    if names and names[0] not in _SYSTEMCTL_READS and not names[0].startswith(("list-", "show", "is-")):
        yield (
            "settings"
            if names[0]
            in (
                "enable",
                "link",
                "edit",
                "mask",
                "preset",
                "add-wants",
                "set-default",
                "import-environment",
                "set-environment",
            )
            else "services"
        )
        if names[0] in ("poweroff", "reboot", "halt", "suspend", "kexec", "rescue", "emergency", "hibernate"):
            yield "disk"


def check_service(call: Call) -> Iterator[str]:
    """`service NAME ACTION` and supervisors."""
    if call.program == "service":
        if len(call.names) > 1 and call.names[1] not in ("status", "help"):
            yield "services"
    elif not only_reads(
        call,
        ("jlist", "prettylist", "desc", "monit", "id", "avail", "tail", "start")
        if call.program in ("pm2", "forever")
        else ("avail", "configtest"),
        (
            "restart",
            "stop",
            "delete",
            "kill",
            "reload",
            "shutdown",
            "startOrRestart",
            "flush",
            "deploy",
            "save",
            "startup",
            "resurrect",
            "update",
            "reset",
        ),
    ):
        if (
            call.program in ("nginx", "apachectl", "httpd", "caddy", "haproxy")
            and (not call.args or call.has("-t", "-T", "-v", "-V", "-c"))
            and not call.has("-s")
        ):
            return
        yield "services"


def check_launchctl(call: Call) -> Iterator[str]:
    """Launchd."""
    if call.verb in ("load", "bootstrap", "submit", "enable", "setenv", "config"):
        yield "settings"
    elif call.verb and call.verb not in (
        "list",
        "print",
        "blame",
        "dumpstate",
        "help",
        "version",
        "print-disabled",
        "print-cache",
        "error",
        "getenv",
        "hostinfo",
        "resolveport",
        "managername",
        "manageruid",
    ):
        yield "services"


def check_firewall(call: Call) -> Iterator[str]:
    """Firewalls: everything except listing."""
    args = call.args
    if call.program.endswith("-restore"):
        yield "network"
        return
    lists = any(
        re.match(r"-[a-zA-Z]*[LS]|--list|--state|--get-|--query|--info|--version|--help|-V|-s$", word) for word in args
    ) and not call.has("-F", "-A", "-D", "-I", "-P", "-X", "-N", "-Z", "-f", "-e", "-d")
    reads = call.verb in ("status", "list", "show", "app", "version", "help", "ls", "save")
    if args and not (lists or reads):
        yield "network"


def check_ip(call: Call) -> Iterator[str]:
    """`ip`, `bridge` and similar programs: everything except showing."""
    words = [word for word in call.names if word != "-c"]
    if call.program in ("ip", "bridge", "tc", "rdma", "devlink"):
        acts = {
            "add",
            "del",
            "delete",
            "set",
            "flush",
            "replace",
            "change",
            "append",
            "exec",
            "attach",
            "restore",
            "prepend",
            "up",
            "down",
        } & set(words[1:])
        if acts:
            yield "network"
    elif call.program == "resolvectl":
        if (len(words) > 1 and words[0] not in ("query", "status", "service", "statistics", "show-cache")) or words[
            :1
        ] in (["revert"], ["flush-caches"]):
            yield "network"
    elif call.program == "ifconfig":
        if len(words) > 1:
            yield "network"
    elif call.program == "route":
        if words and words[0] in ("add", "del", "delete", "flush", "change"):
            yield "network"
    elif _SWITCHES & {word.lstrip("-") for word in call.args} or any(
        re.match(r"-(?:set|add|remove|create|delete)", word) for word in call.args
    ):
        yield "network"


_SWITCHES = read_names(
    """
    up down add delete modify on off connect disconnect reload set flush-caches flushcache reset-statistics revert edit import
    hotspot clone block unblock
    """
)


def check_interface(call: Call) -> Iterator[str]:
    """Programs that change interfaces or name resolution."""
    if call.args and not call.has("--help", "--version", "--list"):
        yield "network"


CHECKS = {
    "kill": check_kill,
    **assign_check(
        check_killer,
        """
        pkill killall killall5 xkill skill slay fkill kill-port killport tskill taskkill
    """,
    ),
    "fuser": check_fuser,
    "start-stop-daemon": check_daemon,
    **assign_check(
        check_systemctl,
        """
        systemctl loginctl hostnamectl timedatectl localectl homectl bootctl portablectl coredumpctl
    """,
    ),
    **assign_check(
        check_service,
        """
        service supervisorctl pm2 rc-service sv s6-svc svc initctl monit forever apachectl apache2ctl nginx httpd
        haproxy caddy unicornctl runit invoke-rc.d rcctl svcadm catalina.sh varnishadm
    """,
    ),
    "launchctl": check_launchctl,
    **assign_check(
        check_firewall,
        """
        iptables ip6tables iptables-restore ip6tables-restore nft ufw firewall-cmd pfctl ipset ebtables arptables ipfw
        shorewall fail2ban-client netsh socketfilterfw
    """,
    ),
    **assign_check(
        check_ip,
        """
        ip bridge tc ifconfig route nmcli resolvectl networksetup scutil networkctl iw iwconfig ethtool rfkill wpa_cli
        airport dscacheutil
    """,
    ),
    **assign_check(check_interface, "ifup ifdown dhclient resolvconf brctl ovs-vsctl netplan dhcpcd iwctl"),
}
