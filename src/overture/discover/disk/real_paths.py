"""RealPaths knows where paths lead with all links followed, asking the machine once for each."""

from errno import ENOENT

from .paths import contains_path
from .world import EntryKind, World, list_folder
from .world_at_moment import find_moment


class RealPaths:
    """The paths of one discovery, without links; and whether a link leads out of a folder."""

    def __init__(self, world: World, allow: tuple[str, ...], bases: tuple[str, ...]) -> None:
        """`allow` are folders that links may lead to, `bases` those from which the looking starts."""
        self.world = world
        self.bases = frozenset(bases)
        self.moment = find_moment(world)
        self.reals = self.moment.reals
        self.missing: set[str] = set()
        """Paths of which the real one was asked for, and where nothing lies."""
        self.allow = tuple(self.real_or(path) for path in allow)
        self.folders: dict[tuple[str, str], str | None] = {}
        self.roots: dict[str, str] = {}
        self.listings: dict[str, list[tuple[str, EntryKind]]] = {}
        self.spellings = self.moment.spellings

    def listed(self, folder: str) -> list[tuple[str, EntryKind]]:
        """What a folder holds, asked once, however many names are looked for in it."""
        if folder not in self.listings:
            self.listings[folder] = list_folder(self.world, folder)
        return self.listings[folder]

    def spelled(self, folder: str) -> dict[str, list[str]]:
        """The names in a folder by what they are in any letter case."""
        if folder not in self.spellings:
            found = self.spellings[folder] = {}
            for name, _ in self.listed(folder):
                found.setdefault(name.casefold(), []).append(name)
        return self.spellings[folder]

    def real_or(self, path: str) -> str:
        """The real path, or the path itself where it can't be told."""
        try:
            return self.resolve_path(path)
        except OSError:
            return path

    def resolve_path(self, folder: str) -> str:
        """The real path of what lies there. Only where it is a link need the machine follow it from the top."""
        at, below = folder, list[str]()
        while at not in self.reals:
            name = at.rpartition("/")[2]
            entry = self.world.look(at) if name and at not in self.missing else None
            if name and entry is None:
                self.missing.add(at)
                raise FileNotFoundError(ENOENT, "No such file or directory", at)
            if entry is None or entry.kind not in ("dir", "file") or "/../" in f"{at}/":
                self.reals[at] = self.world.real(at)
            else:
                below.append(at)
                at = at.rpartition("/")[0] or "/"
        for each in reversed(below):
            above, _, name = each.rpartition("/")
            self.reals[each] = f"{self.reals[above or '/'].rstrip('/')}/{name}"
        return self.reals[folder]

    def real_folder(self, folder: str, root: str) -> str | None:
        """The real path of a folder, if it lies within the real root or an allowed folder."""
        key = (folder, root)
        if key not in self.folders:
            real = self.resolve_path(folder or "/")
            self.folders[key] = real.rstrip("/") if self.is_allowed(folder or "/", real, root) else None
        return self.folders[key]

    def descend(self, folder: str, name: str, root: str) -> None:
        """Record that `name` in `folder` is a directory and no link: its real path need not be asked for."""
        real = self.folders[folder, root]
        self.folders[f"{folder}/{name}", root] = f"{real}/{name}"

    def is_allowed(self, path: str, real: str, root: str) -> bool:
        """Whether no link lies between the folder where the looking started and `path`, or it stays in `root`."""
        return self.is_plain(path, real) or self._is_within(real, root)

    def _is_within(self, real: str, root: str) -> bool:
        if root not in self.roots:
            self.roots[root] = self.real_or(root)
        tops = (self.roots[root], *self.allow)
        return any(contains_path(top, real) for top in tops)

    def is_plain(self, path: str, real: str) -> bool:
        """Whether no link is between the folder from which the looking started and `path`."""
        return real == self.place_of(path)

    def place_of(self, path: str) -> str:
        """Where a name itself is, with the links above the folder followed from which the looking started."""
        base = path
        while base not in self.bases:
            if base in ("", "/"):
                return path
            base = base.rpartition("/")[0] or "/"
        return self.real_or(base).rstrip("/") + path[len(base.rstrip("/")) :]
