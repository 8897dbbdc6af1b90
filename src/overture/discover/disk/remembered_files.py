"""A world that keeps what it was asked about files, to tell later whether it would still give the same answers."""

from typing import Any

from .world import Entry, World


class Asked:
    """Stands in for a World while something is discovered. `same` then costs a look at each file, and no read."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.answers: dict[tuple[str, str], Any] = {}

    def __getattr__(self, name: str) -> Any:
        """Whatever is not about what lies where."""
        return getattr(self.world, name)

    def look(self, path: str) -> Any:
        """What lies there."""
        return self._ask("look", path)

    def real(self, path: str) -> Any:
        """Where it really lies."""
        return self._ask("real", path)

    def target(self, path: str) -> Any:
        """Where a link leads."""
        return self._ask("target", path)

    def names(self, path: str) -> Any:
        """What a directory holds."""
        return self._ask("names", path)

    def _ask(self, what: str, path: str) -> Any:
        try:
            answer = getattr(self.world, what)(path)
        except OSError as problem:
            self.answers[what, path] = _said(problem)
            raise
        self.answers[what, path] = _said(answer)
        return answer

    def settle(self) -> "Asked":
        """Keep the questions that matter: every file, every listing, and where links lead."""
        looks = {path: said for (what, path), said in self.answers.items() if what == "look"}
        links = {path for path, said in looks.items() if said and said[0] == "link"}
        # A folder is asked for again with each file in it. Whether there is a repository is no file's content.
        others = {folder for path in looks for folder in _above(path)} | {p for p in looks if p.endswith("/.git")}
        kept = links | (looks.keys() - others)
        asked = {path for what, path in self.answers if what == "target"}
        matter = {"look": kept, "real": links, "target": asked, "names": {path for _, path in self.answers}}
        self.answers = {key: said for key, said in self.answers.items() if key[1] in matter[key[0]]}
        return self

    def same(self) -> bool:
        """Whether the world answers as it did."""
        ask = {what: getattr(self.world, what) for what in ("look", "real", "target", "names")}
        for (what, path), said in self.answers.items():
            try:
                answer = ask[what](path)
            except OSError as problem:
                answer = problem
            if answer is not said and _said(answer) != said:
                return False
        return True


def _said(answer: Any) -> Any:
    """What of an answer counts. A file written this very moment is never the same: its stamp may not tell."""
    if isinstance(answer, OSError):
        return (type(answer), answer.errno)
    if not isinstance(answer, Entry):
        return answer
    if answer.kind in ("dir", "other"):
        return (answer.kind, answer.id)
    return (answer.kind, answer.id, answer.stamp if answer.settled else object())


def _above(path: str) -> list[str]:
    """Every folder above a path."""
    steps = path.split("/")
    return ["/".join(steps[:end]) for end in range(2, len(steps))]
