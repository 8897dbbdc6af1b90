"""How well it does, family by family: `python -m tests.corpus.evaluate`.

Recall: of the attacks, those that are contained and reported wherever they were put. Precision: of all texts for which
the family's diagnostics speak, those that are attacks. Exact: texts of which everything but what was neutralised is in
the prompt, and for harmless files every byte.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from tests.contract.corpus.cases import Case, attacks, harmless

from .run_cases import HEURISTIC, Kept, Ran, kept, ran


class Row(NamedTuple):
    """The figures of one family or topic."""

    name: str
    kind: str
    texts: int
    recall: float | None
    precision: float | None
    exact: float

    def cells(self) -> list[str]:
        """As a line of a table."""
        return [
            self.name,
            self.kind,
            str(self.texts),
            _percent(self.recall),
            _percent(self.precision),
            _percent(self.exact),
        ]


HEAD = ["family", "kind", "texts", "recall", "precision", "exact"]


def _percent(part: float | None) -> str:
    return "" if part is None else f"{100 * part:.1f} %"


def evaluated(every: bool, step: int = 1) -> tuple[list[Row], list[str]]:
    """The figures, and what did not hold; with a step, of the first text of each family and each so many after it."""
    faults: list[str] = []
    alarms: dict[str, int] = defaultdict(int)
    rows = []
    for topic, whole in _grouped(harmless()).items():
        texts = whole[::step]
        results = [[*kept(text)] for text in texts]
        for text, result in zip(texts, results, strict=True):
            for code in {code for each in result for code in each.codes}:
                alarms[code] += 1
            faults += [f"harmless: {text[:70]!r}: {each}" for each in result if not _untouched(each)]
        held = [all(map(_untouched, result)) for result in results]
        rows.append(Row(topic, "harmless", len(texts), None, None, _share(held)))
    return [*_families(every, step, alarms, faults), *rows], faults


def _families(every: bool, step: int, alarms: dict[str, int], faults: list[str]) -> Iterable[Row]:
    for family, whole in _grouped((case.family, case) for case in attacks()).items():
        cases = whole[::step]
        results = [[*ran(case, None if every else turn)] for turn, case in enumerate(cases)]
        held = [all(map(_held, result)) for result in results]
        if cases[0].kind == "containment":
            faults += [
                f"{c.label}: {each}"
                for c, result in zip(cases, results, strict=True)
                for each in result
                if not _held(each)
            ]
        wrong = sum(alarms[code] for code in {code for case in cases for code in case.codes})
        true = sum(any(each.reported for each in result) for result in results)
        precision = true / (true + wrong) if true + wrong else None
        exact = [all(each.exact for each in result) for result in results]
        yield Row(family, cases[0].kind, len(cases), _share(held), precision, _share(exact))


def _held(each: Ran) -> bool:
    return not each.faults and each.reported


def _untouched(each: Kept) -> bool:
    return each.exact and not set(each.codes) - {HEURISTIC}


def _grouped(pairs: Iterable[tuple[str, str | Case]]) -> dict[str, list]:  # type: ignore[type-arg]
    found: dict[str, list[str | Case]] = defaultdict(list)
    for name, item in pairs:
        found[name].append(item)
    return found


def _share(held: list[bool]) -> float:
    return sum(held) / len(held)


def table(rows: Iterable[Row]) -> str:
    """The figures as a table in Markdown."""
    lines = [HEAD, ["---"] * len(HEAD), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    """Print the figures, then what did not hold."""
    rows, faults = evaluated(every=True)
    print(table(rows))
    for fault in faults:
        print(f"does not hold: {fault.encode('unicode_escape').decode()}", file=sys.stderr)
    return min(1, len(faults))


if __name__ == "__main__":
    sys.exit(main())
