"""Distinguishes SQL that only reads or adds from SQL that changes or deletes data."""

import re

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r"'(?:[^']|'')*'")
_HARMLESS = re.compile(
    r"(?:select|with|explain|show|describe|desc|values|table|use|set|pragma|analyze|insert|create\s+(?:table|index|unique|view|schema|temp|temporary|extension|database|sequence|type)"
    r"|begin|start|commit|end|rollback|declare|fetch|list|help|info|status|count|find|\\[dlzhstcxeiqp?]|\.(?:tables|schema|headers|mode|databases|indexes|indices|help|quit|exit|width|timer|show|fullschema|dump|echo|nullvalue)|quit|exit)\b"
    r"|\\[dlzhstcxq?](?:\b|\+|\w*)",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:drop|truncate|alter|grant|revoke|delete\s+from|update\s+\w|replace\s+into|insert\s+overwrite|rename|shutdown|kill|vacuum\s+full|reindex|copy\b.*\b(?:program|from)|load\s+data"
    r"|into\s+(?:out|dump)file|create\s+(?:user|role|or\s+replace)|pg_terminate_backend|pg_read_file|lo_import|xp_cmdshell|detach|purge|flush|reset)\b|\\!|\\i\b|\\copy|\.(?:shell|system|read|restore|load|import)\b",
    re.IGNORECASE | re.DOTALL,
)
_WHERE = re.compile(r"\bwhere\b\s*(.*\S)", re.IGNORECASE | re.DOTALL)
_ROW = re.compile(r"[\w.\"`]+\s*=\s*[\w.:$'\"-]+(?:\s+and\s+[\w.\"`]+\s*=\s*[\w.:$'\"-]+)*", re.IGNORECASE)
"""A condition that selects a row by its values."""
_ALWAYS = re.compile(r"\bwhere\s+(?:true|1\s*=\s*1|1)\s*$", re.IGNORECASE)
_WITH_WHERE = re.compile(r"\s*(?:delete\s+from|update)\b", re.IGNORECASE)


def changes_data(text: str) -> bool:
    """Returns whether any statement changes existing data, or is of an unknown kind.

    A DELETE or UPDATE of a row selected by its values counts as harmless, like an INSERT.
    """
    plain = _STRING.sub("''", _COMMENT.sub(" ", text))
    for statement in re.split(r";|\n(?=\\|\.)", plain):
        each = statement.strip()
        if not each:
            continue
        if _WITH_WHERE.match(each):
            chosen = _WHERE.search(each)
            if not chosen or not _ROW.fullmatch(chosen[1]) or _ALWAYS.search(each):
                return True
        elif not _HARMLESS.match(each) or _CHANGES.search(each):
            return True
    return False


STATEMENT = re.compile(
    r"\bdrop\s+(?:table|database|schema|keyspace|index|user|role|collection|view|column)\b|\btruncate\s+table\b|\.drop(?:Database|Collection)?\(\s*\)"
    r"|\bdelete\s+from\s+[\w.\"`]+\s*(?:;|$)|\bupdate\s+[\w.\"`]+\s+set\s+(?:(?!\bwhere\b).)*(?:;|$)",
    re.IGNORECASE,
)
"""Destructive statements, anywhere in a text."""
