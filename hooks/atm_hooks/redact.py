"""Takes credentials out of texts before they are kept: what a command, prompt or error holds can be a person's secret.

It works on words, without `re`, whose import would double the time of a hook. Better one word too many than a secret
kept; but the names of files, options and ordinary values stay readable.
"""

_STARTS = (
    "sk-", "sk_live_", "sk_test_", "rk_live_", "pk_live_", "whsec_", "gsk_", "xai-", "r8_", "nvapi-", "tvly-", "pplx-", "hf_",
    "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "bkua_",
    "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xapp-", "AKIA", "ASIA", "AIza", "ya29.", "GOCSPX-",
    "npm_", "pypi-", "dop_v1_", "doo_v1_", "dp.pt.", "dp.st.", "hvs.", "hvb.", "SG.", "shpat_", "shpss_", "shppa_",
    "lin_api_", "ntn_", "figd_", "sbp_", "sq0atp-", "sq0csp-", "PMAK-", "NRAK-", "sntrys_", "sntryu_",
    "AGE-SECRET-KEY-", "eyJ", "tskey-", "ATATT3", "ATCTT3", "dapi", "EAACEdEose0cBA", "phc_", "phx_",
)  # fmt: skip
"""How tokens of known services begin."""
_SHORTEST = 16
"""Characters that a token of a service with a short beginning has at least."""
_NAMES = (
    "password", "passwd", "passphrase", "passwort", "secret", "token", "apikey", "api_key", "api-key", "access_key",
    "access-key", "accesskey", "secret_key", "secret-key", "secretkey", "private_key", "private-key", "credential",
    "credentials", "authorization", "_auth", "cookie", "pgpass", "mysql_pwd", "signature", "?key", "&key", "?sig", "&sig",
    "connectionstring", "connection_string", "accountkey", "sharedaccesskey", "client_secret", "encryption_key",
)  # fmt: skip
"""Names whose value is a secret, as the end of a longer name too (GITHUB_TOKEN, --db-password)."""
_SCHEMES = ("bearer ", "basic ", "token ", "digest ", "negotiate ", "apikey ")
_ENDS = frozenset(" \t\r\n\"'`;,&|<>()[]{}\\")
_HARMLESS = frozenset(("none", "null", "true", "false", "str", "string", "int", "bool", "bytes", "any", "optional"))
_GONE = "[redacted]"


def redact(given: str) -> str:
    """The text with "[redacted]" in place of each credential."""
    if "-----BEGIN " in given and "PRIVATE KEY" in given:
        given = given[: given.index("-----BEGIN ")] + _GONE
    for start in _STARTS:
        if start in given:
            given = _token(given, start)
    low = given.lower()
    if "://" in low and "@" in low:
        given = _address(given)
    for scheme in _SCHEMES[:2]:
        if scheme in low:
            given = _scheme(given, scheme)
    for name in _NAMES:
        if name in low:
            given = _named(given, name)
    return _options(given) if "-u" in low or "-p" in low or "--user" in low else given


def _word_end(given: str, at: int) -> int:
    while at < len(given) and given[at] not in _ENDS:
        at += 1
    return at


def _token(given: str, start: str) -> str:
    at = given.find(start)
    while at >= 0:
        end = _word_end(given, at)
        rest = given[at + len(start) : end]
        if (at == 0 or not given[at - 1].isalnum()) and _random(rest, 12 if len(start) > 4 else _SHORTEST):
            given = given[:at] + _GONE + given[end:]
            end = at + len(_GONE)
        at = given.find(start, max(end, at + 1))
    return given


def _random(rest: str, shortest: int) -> bool:
    """Whether the rest of a word looks made by a machine, and is no name that a person would give."""
    runs = rest.replace("_", "-").replace(".", "-").split("-")
    mixed = any(each.isdigit() for each in rest) or rest not in (rest.lower(), rest.upper())
    return len(rest) >= shortest and mixed and "/" not in rest[:shortest] and len(max(runs, key=len)) >= 10


def _address(given: str) -> str:
    """https://user:password@host, https://token@host"""
    at = given.find("://")
    while at >= 0:
        start = at + 3
        end = start
        while end < len(given) and given[end] not in _ENDS and given[end] not in "/?#":
            end += 1
        sign = given.rfind("@", start, end)
        colon = given.find(":", start, max(sign, start))
        if colon >= 0:
            start = colon + 1
        if start < sign and (colon >= 0 or sign - start >= _SHORTEST) and given[start] != "$":
            given = given[:start] + _GONE + given[sign:]
        at = given.find("://", at + 3)
    return given


def _scheme(given: str, scheme: str) -> str:
    """Bearer …, Basic …, wherever they stand"""
    at = given.lower().find(scheme)
    while at >= 0:
        start = at + len(scheme)
        end = _word_end(given, start)
        if _random(given[start:end], _SHORTEST):
            given = given[:start] + _GONE + given[end:]
        at = given.lower().find(scheme, start)
    return given


def _named(given: str, name: str) -> str:
    at = given.lower().find(name)
    while at >= 0:
        value = _value(given, at, at + len(name))
        if value:
            start, end = value
            given = given[:start] + _GONE + given[end:]
        at = given.lower().find(name, value[0] + len(_GONE) if value else at + len(name))
    return given


def _value(given: str, at: int, end: int) -> tuple[int, int] | None:
    """Where the value of the name at `at` stands; None when there is none to hide."""
    rest = given[end : end + 1]
    if rest in ("'", '"'):  # "name": value
        end += 1
        rest = given[end : end + 1]
    start = end
    while given[start : start + 1] == " ":
        start += 1
    sign = given[start : start + 1]
    if sign in ("=", ":") and given[start : start + 3] != "://":
        tight = start == end
        start += 1 + (given[start + 1 : start + 2] in ("=", ">"))
        tight = tight and sign == "=" and given[start : start + 1] != " "
        while given[start : start + 1] == " ":
            start += 1
    elif start > end and _is_option(given, at):  # --password value
        tight = given[start : start + 1] != "-"
        if not tight:
            return None
    else:
        return None
    low = given[start : start + 12].lower()
    for scheme in _SCHEMES:
        if low.startswith(scheme):
            start += len(scheme)
    return _hidden(given, start, tight, line="cookie" in given[at:end].lower())


def _hidden(given: str, start: int, tight: bool, line: bool) -> tuple[int, int] | None:
    """The span of a value: to its closing quote, else to the end of the word (a cookie: of the line)."""
    opening = given[start : start + 1]
    if opening in ("'", '"') or given[start : start + 2] in ("\\'", '\\"'):
        start += 1 if opening in ("'", '"') else 2
        end = start
        while end < len(given) and given[end] not in "\"'\n\\":
            end += 1
    elif line:
        end = start
        while end < len(given) and given[end] not in "\"'\n":
            end += 1
    else:
        end = _word_end(given, start)
    value = given[start:end]
    if not value or value[0] in "$<" or value.startswith(_GONE[:-1]) or value.lower().rstrip("?.:") in _HARMLESS:
        return None
    return (start, end) if tight or len(value) >= 4 else None


def _is_option(given: str, at: int) -> bool:
    """Whether the name is the end of an option: --db-password"""
    while at > 0 and (given[at - 1].isalnum() or given[at - 1] in "-_"):
        at -= 1
    return given.startswith("-", at)


def _options(given: str) -> str:
    """As in curl -u user:password; mysql -ppassword; sshpass -p password"""
    words = given.split(" ")
    fetches = "curl" in given or "wget" in given
    for i, word in enumerate(words):
        before = words[i - 1] if i else ""
        if fetches and before in ("-u", "--user", "--proxy-user", "-U") and ":" in word and word[0] != "$":
            words[i] = word.partition(":")[0] + ":" + _GONE
        elif (
            word.startswith("-p") and len(word) > 2 and words[0].rpartition("/")[2] in ("mysql", "mysqldump", "mariadb")
        ):
            words[i] = "-p" + _GONE
        elif before == "-p" and "sshpass" in words[:i]:
            words[i] = _GONE
    return " ".join(words)
