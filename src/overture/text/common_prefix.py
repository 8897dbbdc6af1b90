"""How far two texts begin alike."""


def common_prefix(old: str, new: str) -> int:
    """How many characters two texts have in common from their start."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
