"""The files that git knows below a folder: its index tells faster than the disk does."""

import os
import posixpath
import re
from collections.abc import Callable, Collection

Tracked = Callable[[], list[str] | None]

SPECIAL = re.compile(r"[*?\[\\]")
"""What a pattern of git's takes for more than a letter."""


def ask_for_tracked(top: str, names: Collection[str]) -> Tracked:
    """Ask git for the files that it knows, and go on; what is given back waits for its answer.

    That is the paths, from `top` on, of tracked files: of all that have certain names, in whichever letter case, or lie
    in folders of these, and of others. None where there is no repository, git does not answer, or it knows of no file
    yet: then the disk has to be asked.
    """
    from ..safe_git import ask_git, start_git

    try:
        answered = start_git(("ls-files", "-z", "--", *_patterns(names)), top, None)
    except OSError:
        return lambda: None

    def tracked() -> list[str] | None:
        try:
            answer = answered()
            # That it knows none of these does not say that it knows no file.
            known = answer or (answer is not None and ask_git(("ls-files", "-z"), top, None))
        except OSError:
            return None
        return os.fsdecode(answer or b"").split("\0")[:-1] if known else None

    return tracked


def _patterns(names: Collection[str]) -> list[str]:
    """What git is asked for, more than is wanted: it holds each path against each pattern, so they are few.

    Names that are hidden have one in common, and so have those with the same ending; by that ending, what counts in a
    folder is found, too. A `*` goes over `/`.
    """
    plain = [SPECIAL.sub(r"\\\g<0>", name) for name in names if name and name[0] != "."]
    hidden = [".*", "*/.*"] if any(name.startswith(".") for name in names) else []
    endings = dict.fromkeys(f":(icase)*{posixpath.splitext(name)[1]}" for name in plain if "." in name)
    below = ("",) if endings else ("", "/*")
    whole = [f"{start}{name}{end}" for name in plain if "." not in name for start in ("", "*/") for end in below]
    return [*hidden, *endings, *whole]
