"""Tells whether a command line only reads, by the first of its verbs that is known. Pure."""

import re
from collections.abc import Collection

from atm_tui.risk.calls import Call
from atm_tui.risk.tables import read_names

READS = read_names("""
    get list ls ll lst describe show view status version help logs log info search find diff plan validate fmt format
    lint check explain top inspect events history whoami current-context output ps tail cat head doctor images graph
    providers docs browse completion lookup wait preview template ping cluster-info api-resources api-versions can-i
    print schema schemas metrics stats usage read download dig tree size ls-files list-tags tags fetch
""")
_NOUNS = read_names("logs log events images history docs providers graph schema schemas metrics stats usage tags")
"""Of these those that are also the names of things, which a verb behind them changes."""
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
    """Whether the arguments only ask for something: a verb that reads comes first, or none at all.

    `more`: verbs that are harmless to this program, `changes`: those that are not, whatever they are elsewhere. What neither
    knows counts as a change.
    """
    if call.has("--help", "--version", "-h", "-V", "-v") and len(call.names) == 0:
        return True
    if any(word in _ASKS for word in call.args):
        return True
    named = False
    for word in call.names:
        last = word.rpartition(":")[2] if ":" in word and "//" not in word else word
        if word in changes or last in changes:
            return False
        if named and (last in _CHANGES or _CHANGING_START.match(last)):
            return False
        if last in _NOUNS and word not in more:
            named = True
        elif word in more or last in more or last in READS or _READING_START.match(last):
            return True
    return named or not call.names
