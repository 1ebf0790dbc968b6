"""Checks the machine itself: root, users, disks, the kernel, and scheduled programs."""

import re
from collections.abc import Iterator

from atm_tui.risk.calls import Call, assign_check


def check_root(call: Call) -> Iterator[str]:
    """Programs that run another one with other permissions."""
    if call.program == "sudo" and call.has("-l", "-V", "--version", "--list", "-v", "-k", "-K") and not call.names:
        return
    yield "root"


def check_user(call: Call) -> Iterator[str]:
    """Programs that change users and groups."""
    if not set(call.args) & {"--help", "--version", "-S", "--status", "-l"} and (
        call.args or call.program in ("passwd", "visudo", "vipw", "chsh", "chfn", "vigr", "chpasswd")
    ):
        yield "users"


def check_disk(call: Call) -> Iterator[str]:
    """Programs that change disks, file systems and volumes."""
    if call.program.startswith("mkfs"):
        yield "disk"
        return
    asks = {"-l", "--list", "-V", "--version", "--help", "-h", "-n", "--no-act"} | (
        {"-L"} if call.program == "fdisk" else set()
    )
    lists = call.has(*asks) and call.program in (
        "fdisk",
        "sfdisk",
        "sgdisk",
        "gdisk",
        "parted",
        "fsck",
        "e2fsck",
        "mount",
        "wipefs",
        "losetup",
        "tune2fs",
        "swapon",
        "mdadm",
        "hdparm",
        "smartctl",
    )
    reads = (
        call.program not in ("lvremove", "vgremove", "pvremove")
        and (
            {
                "status",
                "list",
                "show",
                "print",
                "info",
                "df",
                "subvolume-list",
                "get",
                "history",
                "luksDump",
                "isLuks",
                "id-ctrl",
                "smart-log",
                "usage",
            }
            & set(call.names[:2])
        )
        and not {"delete", "destroy", "format", "erase"} & set(call.names)
    )
    if call.program in ("mount", "losetup", "swapon", "wipefs") and not call.args:
        return
    if call.program == "losetup" and call.has("-a"):
        return
    if call.program == "mdadm" and call.has("--detail", "-D", "--examine", "-E", "--query"):
        return
    if call.program in ("smartctl", "hdparm") and not call.has(
        "-s", "-t", "--set", "--security-erase", "--make-bad-sector", "--trim-sector-ranges"
    ):
        return
    if not lists and not reads:
        yield "disk"


def check_diskutil(call: Call) -> Iterator[str]:
    """Disks of macOS."""
    if (
        call.verb
        and call.verb.lower()
        not in (
            "list",
            "info",
            "activity",
            "listfilesystems",
            "verifyvolume",
            "verifydisk",
            "imageinfo",
            "verify",
            "attach",
            "mount",
        )
        and not (call.verb.lower() in ("apfs", "cs", "appleraid") and call.names[1:2] == ("list",))
    ):
        yield "disk"


def check_power(call: Call) -> Iterator[str]:
    """Programs that turn the machine off."""
    if not call.has("--help", "--version", "--show", "-w") and (
        call.program != "init" or re.fullmatch("[0-6sS]", call.verb)
    ):
        yield "disk"


def check_kernel(call: Call) -> Iterator[str]:
    """The kernel, its modules and its settings."""
    match call.program:
        case "sysctl":
            if call.has("-w", "-p", "--write", "--load", "--system") or any("=" in word for word in call.names):
                yield "disk"
        case "dmesg":
            if call.has("-C", "-c", "--clear", "-D", "-E", "-n"):
                yield "logs"
        case "date":
            if call.has("-s", "--set") or (call.names and re.fullmatch(r"\d{8,}(?:\.\d\d)?", call.names[0])):
                yield "disk"
        case "hostname" | "domainname":
            if call.names:
                yield "network"
        case "ulimit" | "umask":
            if call.program == "umask" and call.verb in ("0", "00", "000", "0000", "a=rwx", "u=rwx,g=rwx,o=rwx"):
                yield "open"
        case "hwclock":
            if call.has("-w", "-s", "--set", "--systohc", "--hctosys"):
                yield "disk"
        case _:
            if call.args and not call.has("--help", "--version", "-V", "-n", "--dry-run", "--show-depends"):
                yield "disk"


def check_schedule(call: Call) -> Iterator[str]:
    """Scheduling programs: cron, at."""
    if call.program == "crontab":
        if "-l" not in call.args:
            yield "settings"
    elif call.program in ("at", "batch"):
        if not call.has("-l", "-V", "-c") and (
            call.args or call.command.source is not None or call.command.body or call.command.reads
        ):
            yield "settings"
    elif call.args or call.program == "atrm":
        yield "settings"


def check_mac(call: Call) -> Iterator[str]:
    """Settings of macOS."""
    reads = {
        "read",
        "read-type",
        "domains",
        "find",
        "status",
        "list",
        "listbackups",
        "latestbackup",
        "destinationinfo",
        "-g",
        "-p",
        "-l",
        "--list",
        "show",
        "-get",
        "help",
        "-read",
        "-list",
        "-readall",
        "-search",
        "--status",
        "-ps",
        "print",
        "listlocalsnapshots",
        "uniquesize",
        "version",
        "assess",
        "-lint",
        "-convert",
        "-extract",
        "-type",
    }
    if call.args and not set(call.args[:3]) & reads:
        yield "settings"


def check_logs(call: Call) -> Iterator[str]:
    """Removing logs."""
    if (
        (
            call.program == "journalctl"
            and any(word.startswith(("--vacuum", "--rotate", "--flush")) for word in call.args)
        )
        or (call.program == "logrotate" and call.has("-f", "--force"))
        or (call.program == "auditctl" and not call.has("-l", "-s"))
    ):
        yield "logs"


def check_alternatives(call: Call) -> Iterator[str]:
    """Programs that change what other programs the system runs."""
    if (
        (call.args or call.program == "ldconfig")
        and not call.has("--list", "--display", "--query", "--help", "--version", "-p", "--status", "--get-selections")
        and call.verb not in ("list", "status", "show", "query", "-p")
    ):
        yield "settings"


def check_background(call: Call) -> Iterator[str]:
    """Shell texts that keep running after the session."""
    if (
        call.names
        and call.names[0].rpartition("/")[2] in ("sh", "bash", "zsh", "dash", "ksh", "python", "python3")
        and call.has("-c")
    ):
        yield "settings"
    if call.program == "systemd-run":
        yield "settings"


def check_name(call: Call) -> Iterator[str]:
    """Programs that are recognized by the start of their name."""
    if call.program.startswith(("mkfs.", "fsck.")):
        yield "disk"
    if call.program.startswith("$") and {"-r", "-f"} <= {each.lower() for each in call.flags if len(each) == 2}:
        yield "delete"


CHECKS = {
    **assign_check(
        check_root,
        """
        sudo doas su pkexec runuser sg gosu su-exec runas please sudoedit nsenter machinectl-shell
    """,
    ),
    "chroot": check_root,
    **assign_check(
        check_user,
        """
        useradd userdel usermod groupadd groupdel groupmod adduser deluser addgroup delgroup passwd chpasswd chsh chfn
        visudo vipw vigr gpasswd chage sysadminctl dseditgroup newusers pwconv htpasswd smbpasswd kadmin ldapmodify
        ldapdelete realm authconfig faillock pam-auth-update
    """,
    ),
    **assign_check(
        check_disk,
        """
        mkfs mke2fs mkswap fdisk sfdisk gdisk sgdisk cfdisk parted wipefs blkdiscard mount umount losetup cryptsetup
        veracrypt lvremove lvcreate lvresize lvextend lvreduce vgremove vgcreate vgreduce pvremove pvcreate mdadm zfs
        zpool btrfs xfs_repair xfs_growfs resize2fs e2fsck fsck tune2fs hdparm nvme swapoff swapon badblocks debugfs
        dmsetup fstrim smartctl partprobe kpartx growpart sg_format eject e2label mkfs.ext4 photorec testdisk newfs
        pivot_root fusermount udisksctl grub-install efibootmgr update-grub mokutil flashrom fwupdmgr
    """,
    ),
    **assign_check(check_diskutil, "diskutil hdiutil"),
    **assign_check(check_power, "shutdown reboot halt poweroff init telinit kexec"),
    **assign_check(
        check_kernel,
        """
        sysctl dmesg date hostname domainname umask hwclock insmod rmmod modprobe depmod dkms swapctl setsebool
        semanage apparmor_parser aa-disable aa-complain kldload kldunload kextload kextunload bpftool bpftrace
    """,
    ),
    **assign_check(check_schedule, "crontab at batch atrm anacron fcrontab"),
    **assign_check(
        check_mac,
        """
        defaults tmutil pmset csrutil spctl nvram profiles softwareupdate systemsetup scselect dscl tccutil PlistBuddy
        mdutil fdesetup kmutil bless installer lsregister dseditgroup gsettings dconf xfconf-query kwriteconfig5
        xdg-mime xdg-settings plutil
    """,
    ),
    **assign_check(check_logs, "journalctl logrotate auditctl"),
    **assign_check(
        check_alternatives,
        """
        update-alternatives alternatives update-rc.d chkconfig dpkg-reconfigure debconf-set-selections ldconfig
        update-ca-certificates update-ca-trust trust dpkg-divert update-initramfs locale-gen rc-update sysrc
    """,
    ),
    **assign_check(check_background, "nohup setsid systemd-run daemonize"),
}
