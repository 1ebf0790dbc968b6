"""Removes credentials from texts before they are stored: commands, prompts and errors can contain the user's secrets.

Works word by word, without `re`, whose import would double the time of a hook. When in doubt a word is hidden; names of
files and options and ordinary values stay readable. Loaded only for texts that have a
sign of a credential (secret_signs.py).
"""

from atm_hooks.secret_signs import ATTACHED, FOLLOWING, MIN_RANDOM, NAMES, PROGRAMS, SCHEMES, STARTS, USERS, WEBHOOKS

_SHORTEST = 16
"""Least length of a token that only a short prefix identifies."""
_WHOLE = frozenset(("pass", "pwd"))
"""Names that ordinary words can end with (bypass): they count only without a letter before them, and not with a path."""
_SPOKEN = frozenset(("password", "passwd", "passphrase", "passwort", "passcode"))
"""Names that prose uses: in "the password is …" the secret follows, unless it is one of _NOT_SPOKEN."""
_VERBS = (" is ", " is: ", " was ", ": is ", " ist ", " = ")
_NOT_SPOKEN = frozenset((
    "a", "an", "the", "not", "no", "in", "on", "at", "of", "for", "to", "by", "from", "with", "and", "or", "but", "too", "as",
    "it", "its", "this", "that", "your", "my", "our", "their", "only", "also", "still", "now", "always", "never", "being",
    "required", "needed", "missing", "empty", "set", "unset", "wrong", "correct", "right", "invalid", "valid", "checked",
    "hashed", "encrypted", "salted", "stored", "kept", "saved", "read", "sent", "shown", "hidden", "masked", "visible",
    "printed", "logged", "used", "reused", "unused", "expired", "changed", "reset", "known", "unknown", "secret", "safe",
    "unsafe", "weak", "strong", "short", "long", "ok", "okay", "fine", "good", "bad", "what", "where", "when", "how", "why",
    "who", "which", "there", "here", "already", "just", "then", "currently", "asked", "entered", "typed", "accepted",
    "rejected", "refused", "supported", "optional", "mandatory", "defined", "undefined",
))  # fmt: skip
_ENDS = frozenset(" \t\r\n\"'`;,&|<>()[]{}\\")
_MAY_CONTINUE = frozenset(",;")
"""Characters that end a word only before a space: a secret can contain them."""
_HARMLESS = frozenset(("none", "null", "true", "false", "str", "string", "int", "bool", "bytes", "any", "optional"))
_REDACTED = "[redacted]"
_IDS = ("toolu_", "srvtoolu_", "msg_", "req_", "call_", "chatcmpl-", "resp_")
"""Prefixes of ids that look like tokens but are not."""

_FROM_STDIN = ("-S", "--stdin", "--password-stdin", "--with-token", "--passphrase-fd")
"""Options that read the secret from stdin, where the command before prints it."""


def redact(given: str) -> str:
    """Returns the text with "[redacted]" in place of each credential."""
    if "-----BEGIN " in given and "PRIVATE KEY" in given:
        given = given[: given.index("-----BEGIN ")] + _REDACTED
    for start in STARTS:
        if start in given:
            given = _redact_tokens(given, start)
    low = given.lower()
    if "/" in given:
        for address in WEBHOOKS:
            if address in low:
                given = _redact_after(given, address)
    if "://" in given and "@" in given:
        given = _redact_addresses(given)
    for scheme in SCHEMES[:2]:
        if scheme in low:
            given = _redact_schemes(given, scheme)
    for name in NAMES:
        if name in low:
            given = _redact_named(given, name)
    if any(program in given for program in PROGRAMS):
        given = _redact_options(given)
    return _redact_random(given) if max(map(len, given.split()), default=0) >= MIN_RANDOM else given


def _find_end(given: str, at: int) -> int:
    """Returns the end of the word at an offset."""
    while at < len(given) and given[at] not in _ENDS:
        at += 1
    return at


def _redact_tokens(given: str, start: str) -> str:
    """Hides the tokens that have this beginning."""
    at = given.find(start)
    while at >= 0:
        end = _find_end(given, at)
        rest = given[at + len(start) : end]
        if (at == 0 or not given[at - 1].isalnum()) and _is_made_up(rest, 12 if len(start) > 4 else _SHORTEST):
            given = given[:at] + _REDACTED + given[end:]
            end = at + len(_REDACTED)
        at = given.find(start, max(end, at + 1))
    return given


def _is_made_up(rest: str, shortest: int) -> bool:
    """Whether the rest of a word looks like a generated token, not like a name that a person would give."""
    runs = rest.replace("_", "-").replace(".", "-").split("-")
    mixed = any(each.isdigit() for each in rest) or rest not in (rest.lower(), rest.upper())
    return len(rest) >= shortest and mixed and "/" not in rest[:shortest] and len(max(runs, key=len)) >= 10


def _redact_after(given: str, address: str) -> str:
    """Hides what follows this address, to the end of the word."""
    at = given.lower().find(address)
    while at >= 0:
        start = at + len(address)
        end = _find_end(given, start)
        if end > start and not given.startswith(_REDACTED, start):
            given = given[:start] + _REDACTED + given[end:]
        at = given.lower().find(address, start)
    return given


def _redact_addresses(given: str) -> str:
    """Hides the secret in https://user:password@host and https://token@host."""
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
            given = given[:start] + _REDACTED + given[sign:]
        at = given.find("://", at + 3)
    return given


def _redact_schemes(given: str, scheme: str) -> str:
    """Hides what follows the scheme of an Authorization header (Bearer …), anywhere."""
    at = given.lower().find(scheme)
    while at >= 0:
        start = at + len(scheme)
        end = _find_end(given, start)
        if _is_made_up(given[start:end], _SHORTEST):
            given = given[:start] + _REDACTED + given[end:]
        at = given.lower().find(scheme, start)
    return given


def _redact_named(given: str, name: str) -> str:
    """Hides the values of this name."""
    at = given.lower().find(name)
    while at >= 0:
        value = _find_value(given, at, name)
        if value:
            start, end = value
            given = given[:start] + _REDACTED + given[end:]
        at = given.lower().find(name, value[0] + len(_REDACTED) if value else at + len(name))
    return given


def _find_value(given: str, at: int, name: str) -> tuple[int, int] | None:
    """Returns start and end of the value of the name at an offset; None when there is none to hide."""
    end = at + len(name)
    if name in _WHOLE and at and given[at - 1].isalpha():
        return None
    if given.startswith('\\"', end):  # JSON in a string: \"name\": \"value\"
        end += 2
    elif given[end : end + 1] in ("'", '"'):  # "name": value
        end += 1
    start = _skip_spaces(given, end)
    sign = given[start : start + 1]
    if sign == ">" and start == end and given.rfind("<", 0, at) >= 0 and "<" in given[start:]:  # <name>value</name>
        close = given.index("<", start)
        return (start + 1, close) if close > start + 1 and not given.startswith(_REDACTED, start + 1) else None
    if sign in ("=", ":") and given[start : start + 3] != "://":
        tight = start == end
        start += 1 + (given[start + 1 : start + 2] in ("=", ">"))
        tight = tight and sign == "=" and given[start : start + 1] != " "
        start = _skip_spaces(given, start)
        if sign == ":" and given[start : start + 3].lower() == "is ":
            start = _skip_spaces(given, start + 3)
    elif start > end and _is_option(given, at):  # --password value
        tight = given[start : start + 1] != "-"
        if not tight:
            return None
    elif start > end:
        return _find_spoken(given, end, start, name)
    else:
        return None
    low = given[start : start + 12].lower()
    for scheme in SCHEMES:
        if low.startswith(scheme):
            start += len(scheme)
    if name in _WHOLE and given[start : start + 1] in ("/", "~", "."):
        return None
    return _find_span(given, start, tight, line="cookie" in name)


def _skip_spaces(given: str, at: int) -> int:
    while given[at : at + 1] == " ":
        at += 1
    return at


def _find_spoken(given: str, end: int, start: int, name: str) -> tuple[int, int] | None:
    """Does the same for "the password is …", "with password …", "set TOKEN …". The name begins at `start`, ends at `end`."""
    verb = next((each for each in _VERBS if given.startswith(each, end)), "")
    if verb:
        start = _skip_spaces(given, end + len(verb))
    opening = given[start : start + 1]
    if verb and opening in ("'", '"'):
        return _find_span(given, start, False, line=False)
    stop = _find_end(given, start)
    word = given[start:stop].rstrip(".:!?")
    if word.startswith(_REDACTED[:-1]) or word.lower() in _NOT_SPOKEN or not word or word[0] in "$-":
        return None
    if verb and name in _SPOKEN:
        return (start, start + len(word)) if len(word) >= 4 else None
    looks = any(each.isdigit() for each in word) and any(each.isalpha() for each in word)
    return (start, stop) if looks and len(word) >= 6 and not set(word) & set("./") else None


def _find_span(given: str, start: int, tight: bool, line: bool) -> tuple[int, int] | None:
    """Returns the span of a value: to its closing quote, else to the end of the word (of the line for a cookie)."""
    opening = given[start : start + 1]
    quote = opening if opening in ("'", '"') else ""
    if quote or given[start : start + 2] in ("\\'", '\\"'):
        start += 1 if quote else 2
        end = start
        while end < len(given) and given[end] not in (quote or "\\", "\n"):
            end += 1
    elif line:
        end = start
        while end < len(given) and given[end] not in "\"'\n":
            end += 1
    else:
        end = _find_end(given, start)
        while given[end : end + 1] in _MAY_CONTINUE and given[end + 1 : end + 2] not in ("", *_ENDS):
            end = _find_end(given, end + 1)
        if given[end : end + 1] in ("(", "[") and given[start:end].replace(".", "").replace("_", "").isalnum():
            return None  # code that reads the value from elsewhere
    value = given[start:end]
    if not value or value.startswith(_REDACTED[:-1]) or value.lower().rstrip("?.:") in _HARMLESS:
        return None
    if _is_variable(value, quote) or (value[0] == "<" and value[-1] == ">"):
        return None
    return (start, end) if tight or len(value) >= 4 else None


def _is_variable(value: str, quote: str) -> bool:
    """Whether a value is only a reference to a secret: $NAME, ${NAME}, $(command), ${{ secrets.NAME }}."""
    if value[0] != "$" or (quote == "'" and not value.startswith("${{")):
        return False
    return value[1:2] in ("{", "(", "") or value[1:].replace("_", "").isalnum()


def _is_option(given: str, at: int) -> bool:
    """Whether the name is the end of an option: --db-password."""
    while at > 0 and (given[at - 1].isalnum() or given[at - 1] in "-_"):
        at -= 1
    return given.startswith("-", at)


def _redact_options(given: str) -> str:
    """Hides the secrets that programs take by an option or a position: curl -u user:…, mysql -p…, echo … | sudo -S."""
    words = given.split(" ")
    names = [word.rpartition("/")[2].lstrip("(`$'\"") for word in words]
    if PROGRAMS.isdisjoint(names):
        return given
    program, first, printed = "", 0, range(0)
    gone: set[int] = set()
    for i, word in enumerate(words):
        if word in ("|", "||", "&&", ";") or word.endswith((";", "\n")):
            is_printed = word == "|" and words[first] in ("echo", "printf")
            program, first, printed = "", i + 1, range(first + 1, i) if is_printed else range(0)
            continue
        if not program:
            if names[i] in PROGRAMS or "=" not in word:
                program = names[i]
            continue
        if names[i] in PROGRAMS and words[i - 1] in ("sudo", "exec", "env", "time", "-e"):
            program = names[i]
        _redact_option(words, i, program)
        if word in _FROM_STDIN and printed:
            words[printed[0]] = _REDACTED
            gone.update(printed[1:])
    return " ".join(word for i, word in enumerate(words) if i not in gone)


def _redact_option(words: list[str], i: int, program: str) -> None:
    """Hides the secret in one word of a command; changes `words`."""
    word, option = words[i], words[i - 1]
    if word[:1] in ("", "$") or word in ("''", '""') or _REDACTED in word:
        return
    quote = word[0] if word[0] in "'\"" else ""
    if program in FOLLOWING.get(option, ()):
        if program in ("docker", "podman") and "login" not in words[:i]:
            return
        if (program == "openssl" and "enc" not in words[:i]) or (program == "gh" and "secret" not in words[:i]):
            return
        words[i] = quote + _REDACTED + quote
    elif program in ATTACHED.get(word[:2], ()) and len(word) > 2:
        words[i] = word[:2] + _REDACTED
    elif program == "htpasswd" and i == len(words) - 1 and any(w.startswith("-") and "b" in w for w in words[:i]):
        words[i] = _REDACTED
    elif program == "sqlplus" and "/" in word and word[0] not in "-/@":
        user, _, rest = word.partition("/")
        words[i] = f"{user}/{_REDACTED}" + (rest[rest.rindex("@") :] if "@" in rest else "")
    for sign, (programs, options) in USERS.items():
        if program in programs and option in options and sign in word:
            words[i] = word.partition(sign)[0] + sign + _REDACTED + quote


def _redact_random(given: str) -> str:
    """Hides long words that look random: mixed letters of both cases and digits."""
    at = 0
    while at < len(given):
        if given[at] in _ENDS:
            at += 1
            continue
        end = _find_end(given, at)
        at = _skip_to_query(given, at, end)
        word = given[at:end]
        if (
            len(word) >= MIN_RANDOM
            and "/" not in word
            and any(map(_is_random, _split_word(word)))
            and not word.startswith(_IDS)
        ):
            head = word.rfind("=", 0, len(word) - MIN_RANDOM) + 1 if "://" not in word else 0
            given = given[: at + head] + _REDACTED + given[end:]
            end = at + head + len(_REDACTED)
        at = end
    return given


def _skip_to_query(given: str, at: int, end: int) -> int:
    """Returns where the first value in the query of an address begins; `at` for a word that is no address with a query."""
    query = given.find("?", given.find("://", at, end), end) if given.find("://", at, end) >= 0 else -1
    value = given.find("=", query, end) if query >= 0 else -1
    return value + 1 if value >= 0 else at


def _split_word(word: str) -> list[str]:
    for sign in ":=.@?&%-_":
        word = word.replace(sign, " ")
    return word.split(" ")


def _is_random(word: str) -> bool:
    """Whether letters of both cases and digits alternate about as often as in a random word."""
    if len(word) < 20 or word == word.lower() or word == word.upper() or not word.isalnum():
        return False
    kinds = [0 if each.isdigit() else 1 if each.isupper() else 2 for each in word]
    changes = sum(1 for one, other in zip(kinds, kinds[1:], strict=False) if one != other)  # noqa: RUF007  itertools costs a hook its import
    return kinds.count(0) >= 2 and kinds.count(1) >= 3 and kinds.count(2) >= 3 and changes >= 0.45 * len(word)
