"""The table of all checks: by the name of a program, the functions that check its arguments."""

from collections.abc import Iterator

from atm_tui.risk.calls import Call, Check
from atm_tui.risk.programs import (
    agents,
    cloud,
    code,
    containers,
    databases,
    files,
    git,
    network,
    packages,
    publishing,
    secrets,
    services,
    system,
    tasks,
)

CHECKS: dict[str, list[Check]] = {}
for module in (
    agents,
    cloud,
    code,
    containers,
    databases,
    files,
    git,
    network,
    packages,
    publishing,
    secrets,
    services,
    system,
    tasks,
):
    for name, check in module.CHECKS.items():
        CHECKS.setdefault(name, []).append(check)


def check_call(call: Call) -> Iterator[str]:
    """Yields the ids of the dangers in the arguments of a call."""
    for each in CHECKS.get(call.program, ()):
        yield from each(call)
    yield from tasks.check_any(call)
    yield from system.check_name(call)
