"""Finds copies that drifted apart: two files of different agents for one folder that are nearly the same."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from .findings import Finding
from .input import AgentsInput, CheckInput

MIN_LINES = 5
"""Lines of the smaller file: a few words in common are no copy."""
MIN_SHARED_PART = 0.8
"""The part of the smaller file's lines that are in the other too."""
MAX_LINES_BEHIND = 0.25
"""The part of the larger file that the other lacks: more is an addition on purpose."""


def check_copies(inputs: CheckInput) -> Iterator[Finding]:
    """One finding for each file that nearly equals one before it, at its first line of its own."""
    if inputs.agents is None:
        return
    repeated = {
        frozenset((*each.paths, each.other)) for each in inputs.agents.verdicts.findings if each.cause == "repeats"
    }
    files, texts = inputs.agents.files, {page.path: page for page in inputs.pages}
    for paths in _group_by_purpose(inputs.agents):
        for first, second in combinations([path for path in paths if path in texts], 2):
            one, two = files.lines(first), files.lines(second)
            small, big = sorted((len(one), len(two)))
            shared = len(one & two)
            if one == two or small < MIN_LINES or shared < MIN_SHARED_PART * small:
                continue
            if big - shared > MAX_LINES_BEHIND * big or frozenset((first, second)) in repeated:
                continue
            rows = texts[second].lines
            line = next((row.number for row in rows if row.text.strip() in two - one), None)
            message = (
                f"a copy that drifted: {shared:,} of its {len(two):,} lines are also in {first}; "
                "keep one, and make the other a symlink to it"
            )
            yield Finding("drifted-copy", "warning", message, second, line, related=(first,))


def _group_by_purpose(agents: AgentsInput) -> Iterator[list[str]]:
    """Files for one folder, and skills of one name; links to such are none."""
    files, groups = agents.files, defaultdict[tuple[str, str], list[str]](list)
    for file in files.files:
        if files.reader.is_plain(file.path, files.real(file.path)) and not files.is_personal(file.path):
            if file.skill:
                groups[file.folder, file.path.split("/")[-2]].append(file.path)
            elif "/" not in file.name and file in agents.table.judged:
                groups[file.folder, ""].append(file.path)
    return (sorted(paths) for paths in groups.values())
