"""Decides whether a command line only reads, by its first known verb."""

import re
from collections.abc import Collection

from atm_tui.risk.calls import Call
from atm_tui.risk.tables import read_names

READS = read_names("""
    get list ls ll lst describe show view status version help logs log info search find diff plan validate fmt format
    lint check explain top inspect events history whoami current-context output ps tail cat head doctor images graph
    providers docs browse completion lookup wait preview what-if template ping cluster-info api-resources api-versions can-i
    print schema schemas metrics stats usage read download dig tree size ls-files list-tags tags fetch
""")
_SHOWS = frozenset({"show", "list", "ls", "status"})
"""Verbs that only read whatever stands before them, as in `secret list`."""
_NOUNS = read_names("logs log events images history docs providers graph schema schemas metrics stats usage tags")
"""Those of them that are also nouns: a verb after them decides."""
_CHANGES = read_names("""
    delete remove rm destroy create update set add put purge drop disable enable stop start restart import restore prune apply
    deploy install uninstall upload push reset
""")
_CHANGING_START = re.compile(
    r"(?:delete|put|create|update|disable|enable|start|stop|modify|remove|add|set|cancel|restore|import|purge|tag|untag)-\w"
)
_READING_START = re.compile(
    r"(?:list|get|describe|head|lookup|batch-get|search|filter|test|validate|estimate|show|view|query|scan|print)[-_:]\w"
)
_ASKS = read_names(
    "--help --version --dry-run --dryrun --dry_run --dry-run=client --dry-run=server --dry-run=true --what-if"
)


def only_reads(call: Call, more: Collection[str] = (), changes: Collection[str] = ()) -> bool:
    """Returns whether the arguments only read: the first verb is a reading one, or there is none.

    `more`: harmless verbs of this program; `changes`: changing ones; both take precedence over the common tables. Unknown
    verbs count as changes.
    """
    if call.has("--help", "--version", "-h", "-V", "-v") and len(call.names) == 0:
        return True
    if any(word in _ASKS for word in call.args):
        return True
    named = False
    for at, word in enumerate(call.names):
        last = word.rpartition(":")[2] if ":" in word and "//" not in word else word
        if word in changes or last in changes:
            return word == last and bool(_SHOWS & set(call.names[at + 1 : at + 2]))
        if named and (last in _CHANGES or _CHANGING_START.match(last)):
            return False
        if last in _NOUNS and word not in more:
            named = True
        elif word in more or last in more or last in READS or _READING_START.match(last):
            return True
    return named or not call.names
