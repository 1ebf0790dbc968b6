"""The place of a session in a team."""

import msgspec


class Membership(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The membership of a session in another one's team; a teammate with its own pane is a separate session."""

    lead: str = ""
    """Id of the lead's session, or the beginning of it; empty when unknown."""
    name: str = ""
    color: str = ""
    """The colour that the client gave it: blue, green, …"""

    def is_of(self, session_id: str) -> bool:
        """Whether this session is the lead."""
        return bool(self.lead) and session_id.startswith(self.lead)
