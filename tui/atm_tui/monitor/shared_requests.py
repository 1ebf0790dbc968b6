"""Decides for which session a request counts that is in several transcripts, as after a fork. Pure."""

from collections.abc import Collection, Iterable, Mapping


class SharedRequests:
    """Finds the requests that are in several transcripts. Each counts for the session that began first."""

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}
        self._first: dict[int, str] = {}
        self._holders: dict[int, set[str]] = {}

    def find_inherited(
        self, keys: Mapping[str, Collection[int]], began: Mapping[str, float], changed: Iterable[str] | None = None
    ) -> dict[str, frozenset[int]]:
        """Returns the requests that count for another session, by transcript; transcripts without any are left out.

        `keys`: the shared keys of requests, by transcript; they only grow. `began`: when its session began (epoch seconds).
        `changed`: the transcripts whose keys may differ from the last call; None: any.
        """
        looked_at = set(keys.keys() | self._sizes.keys() if changed is None else changed)
        if any(
            len(keys.get(path, ())) < self._sizes.get(path, 0) for path in looked_at
        ):  # one was removed, or read again
            self._sizes, self._first, self._holders = {}, {}, {}
            looked_at = set(keys)
        for path in looked_at & keys.keys():
            held = keys[path]
            if len(held) == self._sizes.get(path, 0):
                continue
            is_new = path not in self._sizes
            self._sizes[path] = len(held)
            if is_new and self._first.keys().isdisjoint(held):  # as nearly always
                self._first.update(dict.fromkeys(held, path))
                continue
            for key in held:
                if (other := self._first.setdefault(key, path)) != path:
                    self._holders.setdefault(key, {other}).add(path)
        found: dict[str, set[int]] = {}
        for key, holders in self._holders.items():
            owner = min(holders, key=lambda path: (began.get(path, float("inf")), path))
            for path in holders - {owner}:
                found.setdefault(path, set()).add(key)
        return {path: frozenset(inherited) for path, inherited in found.items()}
