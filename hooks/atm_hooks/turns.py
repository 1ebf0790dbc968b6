"""Derives from the facts of a state file which turns and processes started, and when. Pure."""

from atm_hooks.codec import Object as State


def find_queued_turns(state: State) -> set[str]:
    """Returns the ids of the turns that began with a queued prompt: the event of their end is their first.

    Such a turn follows the one in which its prompt was queued; as many can follow as were queued.
    """
    begun, ended = state["turn_ids"], state.get("ended_ids") or {}
    silent = sorted(
        (at, key) for key, at in ended.items() if key not in begun and key not in state.get("notice_ids", ())
    )
    if not silent:
        return set()
    left: State = dict.fromkeys(begun, -1)
    for each in state.get("queued_prompts") or ():
        key = each.rpartition(" ")[0]
        if key in left:
            left[key] += 1
    found = set()
    for at, key in silent:
        before = max(((begun[each], each) for each in begun if begun[each] < at), default=(0, ""))[1]
        if left.get(before, 0) > 0:
            left[before] -= 1
            found.add(key)
    return found


def find_start(state: State) -> State:
    """Returns the newest SessionStart of a process, {"at", "pid", …}; `at` is 0 without any.

    One that does not name its source, and came while a compaction ran, may only be the end of that.
    """
    named: State = state.get("fresh") or {"at": 0, "pid": 0}
    unnamed = state.get("unnamed_start")
    if not unnamed or unnamed["at"] <= named["at"]:
        return named
    began, ended = state.get("compact_began") or 0, state.get("compact_ended") or 0
    compacting = 0 < began <= unnamed["at"] and (ended < began or ended >= unnamed["at"])
    return named if compacting else unnamed


def find_turn_begin(state: State) -> float:
    """Returns when the user's newest turn began. A prompt queued during a turn has that turn's id, and begins none."""
    return float(max(state["turn_ids"].values(), default=0))


def find_newest_begin(state: State) -> float:
    """Returns when the newest turn began, whoever began it: the first prompt that named its id."""
    return float(max([*state["turn_ids"].values(), *(state.get("notice_ids") or {}).values()], default=0))
