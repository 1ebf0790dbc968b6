"""The client's permission modes, by the names that its own screen shows."""

MODES = {
    "default": "manual",
    "acceptEdits": "accept edits",
    "plan": "plan",
    "auto": "auto",
    "dontAsk": "don't ask",
    "bypassPermissions": "bypass permissions",
}
"""What hooks and suggestions call a mode -> what the client shows."""


def name_mode(mode: str) -> str:
    """Returns the name of a permission mode; one that is not known keeps the name that it came with."""
    return MODES.get(mode, mode)
