"""Checks programs that show, create or move credentials."""

import re
from collections.abc import Iterator

from atm_tui.risk.calls import WRAPPERS, Call, assign_check
from atm_tui.risk.tables import read_names


def check_environment(call: Call) -> Iterator[str]:
    """Printing the whole environment, or the history of the shell."""
    if call.program == "env" and len(call.names) > 0:
        return
    if call.program == "printenv" and call.names:
        if any(re.search(r"TOKEN|SECRET|PASSWORD|KEY|CREDENTIAL", name) for name in call.names):
            yield "credentials"
        return
    shown = ((),) if call.program == "set" else ((), ("-p",), ("-x",), ("-xp",), ("-px",))
    if call.program in ("export", "declare", "set", "typeset", "readonly") and call.args not in shown:
        return
    if call.program in ("declare", "typeset", "readonly") and not call.args:
        return
    if call.program == "history" and call.has("-c", "-d", "-w", "-a"):
        yield "logs"
    shows = call.wrapper in WRAPPERS and call.program in ("env", "printenv", "history")
    if (not call.wrapper or shows or call.wrapper in _OTHER_ENVIRONMENTS) and not call.command.is_filtered:
        yield "credentials"


_OTHER_ENVIRONMENTS = read_names("docker podman nerdctl docker-compose kubectl oc k heroku fly flyctl ssh")
"""Programs that run another one inside a container or a virtual machine."""


def check_keychain(call: Call) -> Iterator[str]:
    """`security` of macOS."""
    if call.verb and (
        call.verb.startswith(
            (
                "find-",
                "dump-",
                "add-",
                "delete-",
                "set-",
                "import",
                "unlock",
                "export",
                "create-",
                "authorizationdb",
                "trust",
            )
        )
        or call.verb in ("cms", "show-keychain-info")
    ):
        yield "credentials"


def check_gpg(call: Call) -> Iterator[str]:
    """gpg: everything except verifying and listing."""
    reads = (
        "--verify",
        "--list-keys",
        "-k",
        "--list-public-keys",
        "--version",
        "--fingerprint",
        "--list-sigs",
        "--check-sigs",
        "--help",
        "--dearmor",
        "--list-packets",
        "--show-keys",
    )
    if call.args and not call.has(*reads):
        yield "credentials"


def check_ssh_keys(call: Call) -> Iterator[str]:
    """Keys of ssh."""
    if call.program == "ssh-keygen" and call.has("-l", "-F", "-H", "-B"):
        return
    if call.program == "ssh-add" and call.has("-l", "-L"):
        return
    yield "credentials"


def check_openssl(call: Call) -> Iterator[str]:
    """openssl: private keys and passwords."""
    if call.verb in (
        "genrsa",
        "genpkey",
        "rsa",
        "pkey",
        "pkcs12",
        "enc",
        "ec",
        "dsa",
        "pkcs8",
        "rsautl",
        "pkeyutl",
        "smime",
        "cms",
        "s_server",
    ) or call.has("-newkey", "-nodes", "-passin", "-passout"):
        yield "credentials"


def check_clipboard(call: Call) -> Iterator[str]:
    """Reading the clipboard."""
    if call.program in ("pbpaste", "wl-paste") or call.has("-o", "-out", "--output"):
        yield "credentials"


def check_always(call: Call) -> Iterator[str]:
    """Programs that only handle credentials."""
    if not call.has("--help", "--version"):
        yield "credentials"


CHECKS = {
    **assign_check(check_environment, "env printenv history export declare set typeset fc"),
    "security": check_keychain,
    **assign_check(check_gpg, "gpg gpg2 age rage"),
    **assign_check(check_ssh_keys, "ssh-keygen ssh-add"),
    "openssl": check_openssl,
    **assign_check(check_clipboard, "pbpaste xclip xsel wl-paste"),
    **assign_check(
        check_always,
        """
        mimipenguin lazagne truffleHog gopass-show secretsdump.py chntpw unshadow kinit htdigest certutil keytool
        pk12util age-keygen minisign cfssl gnome-keyring-daemon kwallet-query screencapture scrot maim grim
        gnome-screenshot arecord
    """,
    ),
}
