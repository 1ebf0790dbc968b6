"""Reads who is in a team: `<config>/teams/<team>/config.json`, which is there as long as its lead runs.

Nothing else in that folder is opened: the inboxes hold the messages between teammates.
"""

import re

import msgspec

from atm_hooks.regular_file import read_regular
from atm_tui.model.checked import read_text
from atm_tui.model.team import Membership

_MAX_SIZE = 1 << 20
"""Bytes that the file may have."""
_MAX_LENGTH = 200
"""Characters that are kept of a text."""
_TEAM = r"[a-zA-Z0-9_-]{1,200}"
_OWN_TEAM = "session-"
"""A client that makes up the name of its team adds the first 8 characters of the session's id."""


def read_membership(config_dir: str, team: str, name: str) -> Membership:
    """Returns what is known of a teammate that runs as a session of its own; without the file, as far as the name tells."""
    lead, color = team.removeprefix(_OWN_TEAM) if team.startswith(_OWN_TEAM) else "", ""
    given: object = None
    if re.fullmatch(_TEAM, team):
        try:
            given = msgspec.json.decode(read_regular(f"{config_dir}/teams/{team}/config.json", _MAX_SIZE))
        except (OSError, ValueError, RecursionError):  # errors of msgspec are ValueErrors
            given = None
    if isinstance(given, dict):
        lead = read_text(given.get("leadSessionId"), _MAX_LENGTH) or lead
        members = given.get("members")
        for each in members if isinstance(members, list) else ():
            if isinstance(each, dict) and each.get("name") == name:
                color = read_text(each.get("color"), _MAX_LENGTH)
    return Membership(lead=lead, name=name, color=color)
