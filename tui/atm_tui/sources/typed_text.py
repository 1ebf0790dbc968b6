"""Distinguishes prompts that the user typed from texts that the client wrote in their place."""

import re

INTERRUPTED = "[Request interrupted by user"
"""The beginning of texts that the client wrote."""
_NOT_TYPED = (
    "<task-notification",
    "<teammate-message",
    "<command-",
    "<local-command",
    "<bash-",
    "Caveat:",
    INTERRUPTED,
)
_STOPPED = r"\d+ background agents? (was|were) stopped by the user"


def is_typed_text(text: str) -> bool:
    """Whether a person can have typed a text; False for prompts that the client itself writes."""
    return bool(text) and not text.startswith(_NOT_TYPED) and not re.match(_STOPPED, text)
