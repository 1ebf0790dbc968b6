"""Tells whether a command line only reads, by the first of its verbs that is known. Pure."""

import re
from collections.abc import Collection

from atm_tui.risk.calls import Call
from atm_tui.risk.tables import read_names

READS = read_names("""
    get list ls ll lst describe show view status version help logs log info search find diff plan validate fmt format
    lint check explain top inspect events history whoami current-context output ps tail cat head doctor images graph
    providers docs browse completion lookup wait preview template ping cluster-info api-resources api-versions can-i
    print schema schemas metrics stats usage read dig tree size ls-files list-tags tags fetch
""")
_READING_START = re.compile(
    r"(?:list|get|describe|head|lookup|batch-get|search|filter|test|validate|estimate|show|view|query|scan|print)[-_:]\w"
)
_ASKS = frozenset({"--help", "--version", "--dry-run", "--dryrun", "--dry-run=client", "--dry-run=server"})


def only_reads(call: Call, more: Collection[str] = (), changes: Collection[str] = ()) -> bool:
    """Whether the arguments only ask for something: a verb that reads comes first, or none at all.

    `more`: verbs that are harmless to this program, `changes`: those that are not, whatever they are elsewhere. What neither
    knows counts as a change.
    """
    if call.has("--help", "--version", "-h", "-V", "-v") and len(call.names) == 0:
        return True
    if any(word in _ASKS for word in call.args):
        return True
    for word in call.names:
        last = word.rpartition(":")[2] if ":" in word and "//" not in word else word
        if word in changes or last in changes:
            return False
        if word in more or last in more or last in READS or _READING_START.match(last):
            return True
    return not call.names
