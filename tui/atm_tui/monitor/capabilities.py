"""What a monitor can do; apart from its protocol, since every command needs it."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from atm_tui.monitor.time_controls import TimeControls


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What a monitor can do with its sessions."""

    jumps: bool = True
    """Whether the user can go to the terminal of a session."""
    answers: bool = True
    """Whether requests can be answered from here at all; `Fleet.arming` tells whether answers are taken now."""
    flags: bool = True
    """Whether sessions can be pinned, snoozed and dismissed."""
    state_dir: Path | None = None
    """The state folder, with journals and the layout file; None: there is none."""
    recording: "TimeControls | None" = None
    """The clock of a recording; None for live sessions."""
