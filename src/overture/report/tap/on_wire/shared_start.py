"""How far two texts are the same, found by comparing long stretches of them."""

STEP = 1 << 15


def shared_start(one: str, other: str) -> int:
    """How many characters both begin with."""
    low, size = 0, min(len(one), len(other))
    while low < size and one[low : low + STEP] == other[low : low + STEP]:
        low += STEP
    low, high = min(low, size), min(low + STEP, size)
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
