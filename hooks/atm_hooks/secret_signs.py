"""Signs that a text may contain a credential. Few texts have any, and only for these redact.py is loaded.

Works without `re`, whose import would double the time of a hook.
"""

STARTS = (
    "sk-", "sk_live_", "sk_test_", "rk_live_", "pk_live_", "whsec_", "gsk_", "xai-", "r8_", "nvapi-", "tvly-", "pplx-", "hf_",
    "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsa_", "bkua_",
    "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xapp-", "AKIA", "ASIA", "AIza", "ya29.", "1//0", "GOCSPX-",
    "npm_", "pypi-", "rubygems_", "oy2", "dckr_pat_", "dop_v1_", "doo_v1_", "dp.pt.", "dp.st.", "hvs.", "hvb.", "SG.", "key-",
    "shpat_", "shpss_", "shppa_", "lin_api_", "ntn_", "secret_", "figd_", "sbp_", "sgp_", "sq0atp-", "sq0csp-", "PMAK-", "NRAK-",
    "sntrys_", "sntryu_", "AGE-SECRET-KEY-", "ops_eyJ", "eyJ", "tskey-", "ATATT3", "ATCTT3", "dapi", "EAACEdEose0cBA",
    "phc_", "phx_", "pscale_tkn_", "pscale_pw_", "fm1_", "fm2_", "fo1_", "CFPAT-", "jina_", "csk-", "vercel_", "dnkey-",
)  # fmt: skip
"""Prefixes of the tokens of known services."""
WEBHOOKS = ("hooks.slack.com/services/", "/api/webhooks/", "api.telegram.org/bot")
"""Prefixes of addresses whose rest is a secret."""
NAMES = (
    "password", "passwd", "passphrase", "passwort", "passcode", "secret", "token", "apikey", "api_key", "api-key", "api key",
    "access_key", "access-key", "accesskey", "secret_key", "secret-key", "secretkey", "secret_key_base", "private_key",
    "private-key", "credential", "credentials", "authorization", "_auth", "cookie", "pgpass", "mysql_pwd", "signature", "?key",
    "&key", "?sig", "&sig", "connectionstring", "connection_string", "accountkey", "sharedaccesskey", "client_secret",
    "encryption_key", "subscription-key", "sessid", "jsessionid", "pass", "pwd",
)  # fmt: skip
"""Names whose value is a secret, also at the end of a longer name (GITHUB_TOKEN, --db-password)."""
SCHEMES = ("bearer ", "basic ", "token ", "digest ", "negotiate ", "apikey ")
MIN_RANDOM = 32
"""Least length of a word that can be a secret without any hint around it."""
ATTACHED = {"-p": ("mysql", "mysqldump", "mysqladmin", "mariadb", "7z", "7za", "7zz", "rar", "unrar", "sshpass")}
"""Options whose value, the secret, follows without a space, with the programs that have them."""
FOLLOWING = {
    "-p": ("sshpass", "mongo", "mongosh", "mongodump", "mongorestore", "docker", "podman", "sqlcmd", "bcp"),
    "-P": ("zip", "unzip", "sqlcmd", "bcp"),
    "-N": ("ssh-keygen",),
    "-a": ("redis-cli",),
    "-w": ("ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami"),
    "-k": ("openssl",),
    "--body": ("gh",),
    "-b": ("gh",),
}
"""Options whose value, the secret, is the next word, with the programs that have them."""
USERS = {
    ":": (("curl", "wget", "http", "https", "xh"), ("-u", "--user", "--proxy-user", "-U", "-a", "--auth")),
    "%": (("smbclient", "rpcclient", "net", "mount.cifs"), ("-U", "--user")),
}
"""The sign between user and secret, with programs and options that take both in one word."""
PROGRAMS = frozenset(
    [name for table in (ATTACHED, FOLLOWING) for names in table.values() for name in names]
    + [name for names, _ in USERS.values() for name in names]
    + ["htpasswd", "sqlplus", "sudo"]
)


def may_contain_secret(given: str) -> bool:
    """Returns whether a text has a sign of a credential; `redact` leaves one without as it is."""
    low = given.lower()
    return (
        any(start in given for start in STARTS)
        or any(name in low for name in (*NAMES, *WEBHOOKS, *SCHEMES[:2]))
        or any(program in given for program in PROGRAMS)
        or ("://" in given and "@" in given)
        or ("-----BEGIN " in given and "PRIVATE KEY" in given)
        or max(map(len, given.split()), default=0) >= MIN_RANDOM
    )
