"""The names of permission modes, as the client's own screen shows them."""

MODES = {
    "default": "manual",
    "acceptEdits": "accept edits",
    "plan": "plan",
    "auto": "auto",
    "dontAsk": "don't ask",
    "bypassPermissions": "bypass permissions",
}
"""Names of modes in hooks and suggestions -> names on the client's screen."""


def name_mode(mode: str) -> str:
    """Returns the name of a permission mode; unknown modes keep their name."""
    return MODES.get(mode, mode)
