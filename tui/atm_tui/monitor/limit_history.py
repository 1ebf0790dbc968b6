"""Forecasts when each limit will be reached, from the statusLine samples of the last half hour in all journals."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from atm_tui.model.decoding import convert
from atm_tui.model.facts import HookState, Sample
from atm_tui.model.limit_check import PACE_SPAN, WINDOWS, check_limits

if TYPE_CHECKING:
    from atm_tui.cost.limits import LimitSample
    from atm_tui.timeline.journals import JournalReader

_MARK = b'"limits"'


class LimitHistory:
    """Follows the journals of sessions that report limits; reads only appended lines, and keeps half an hour."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._read: dict[str, HookState] = {}
        self._journals: dict[str, JournalReader] = {}
        self._samples: dict[tuple[str, str], list[LimitSample]] = {}
        """By config folder and window."""

    def forecast(
        self, states: Mapping[str, HookState], now: float, changed: Collection[str] | None = None
    ) -> dict[tuple[str, str], float]:
        """Returns when limits will be reached (epoch seconds), by config folder and window, if there is enough data.

        `states`: the state files by session id; `now`: epoch seconds. `changed`: ids of the sessions whose state files differ
        from the last call, or that are gone; None: any.
        """
        since = now - PACE_SPAN
        for key in self._read.keys() - states.keys():
            del self._read[key], self._journals[key]
        for key in states if changed is None else changed:
            state = states.get(key)
            sample = state.metrics if state is not None else None
            if (
                state is None
                or sample is None
                or sample.limits is None
                or sample.at < since
                or self._read.get(key) is state
            ):
                continue
            from atm_tui.timeline.journals import JournalReader  # noqa: PLC0415  only some sessions tell limits

            self._read[key] = state
            reader = self._journals.get(key) or self._journals.setdefault(key, JournalReader(self._state_dir, key))
            self._add(reader.read_lines(), state.config_dir)
        found: dict[tuple[str, str], float] = {}
        if not self._samples:
            return found
        from atm_tui.cost.limits import forecast_full  # noqa: PLC0415  as above

        for window, samples in self._samples.items():
            samples[:] = [each for each in samples if each.at >= since]
            if (full_at := forecast_full(samples, now)) is not None:
                found[window] = full_at
        return found

    def _add(self, lines: bytes, config_dir: str) -> None:
        from atm_tui.cost.limits import LimitSample  # noqa: PLC0415
        from atm_tui.timeline.journals import decode_event  # noqa: PLC0415

        for line in lines.split(b"\n"):
            if _MARK not in line or (event := decode_event(line)) is None or event.event != "Sample":
                continue
            try:
                sample = convert(event.metrics, Sample)
            except msgspec.ValidationError:
                continue
            if sample.limits is None:
                continue
            limits = check_limits(sample.limits, event.at)
            for name in WINDOWS:
                limit = getattr(limits, name)
                if limit is not None and limit.percent is not None:
                    new = LimitSample(at=event.at, percent=limit.percent, resets_at=limit.resets_at)
                    self._samples.setdefault((config_dir, name), []).append(new)
