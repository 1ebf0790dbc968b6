"""The digest of a request as a machine sends it to another one, by which both know that they mean the same."""

import msgspec

from atm_hooks.answers import digest_input
from atm_tui.model.request import Request


def digest_request(request: Request) -> str:
    """Returns 64 hex digits computed from all of a request. Raises VoidError for one that is no plain JSON."""
    return digest_input(msgspec.to_builtins(request))
