"""How the parts of a state are written: copied first, so that the old state stays as it was; bounded; in any order the same."""

from atm_hooks.codec import Object as State

KEEP_LIST = 10
"""Entries of a list that is kept for a person to read."""


def copy_part(holder: State, key: str) -> State:
    """A copy of one of the holder's parts, put in its place, to be written."""
    copy: State = dict(holder.get(key) or {})
    holder[key] = copy
    return copy


def set_newest(state: State, key: str, value: object, at: float) -> None:
    """Sets a value unless a newer event has set it; of equal times the greater wins, so that order does not matter."""
    if value is None or value == "":
        return
    stamp = state["stamps"].get(key, 0)
    if at > stamp or (at == stamp and repr(value) > repr(state.get(key))):
        copy_part(state, "stamps")[key] = at
        state[key] = value


def set_greatest(record: State, key: str, value: object) -> None:
    """Sets what never changes of an agent. Should it be told in two ways, the greater wins, in any order."""
    if isinstance(value, str) and value > record.get(key, ""):
        record[key] = value


def move_forward(record: State, key: str, at: float) -> None:
    """Moves a time forward, never back."""
    record[key] = max(record.get(key, 0), at)


def drop_oldest(items: State, keep: int, age: object) -> None:
    """Drops the oldest, by the named field of each item or, without a name, by the items themselves."""
    if len(items) > keep:
        ages = {key: item[age] if age else item for key, item in items.items()}
        for key in sorted(items, key=lambda key: (ages[key], key))[: len(items) - keep]:
            del items[key]


def add_to_list(state: State, key: str, item: State, same: tuple[str, ...]) -> None:
    """Adds to a list that is ordered by time and bounded. Of items that are equal in the named fields the first stays."""
    equal = [old for old in state[key] if all(old.get(field) == item.get(field) for field in same)]
    if equal and equal[0]["at"] <= item["at"]:
        return
    rest = [old for old in state[key] if not equal or old is not equal[0]]
    state[key] = sorted([*rest, item], key=lambda each: (each["at"], repr(each)))[-KEEP_LIST:]


def record_name(state: State, key: str, name: str, at: float) -> None:
    """Counts nothing, keeps only that it was there and when first; the first names stay."""
    notes = copy_part(state, key)
    notes[name] = min(notes.get(name, at), at)
    while len(notes) > KEEP_LIST:
        del notes[max(notes, key=lambda each: (notes[each], each))]
