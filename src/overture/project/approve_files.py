"""`trust = "ask"`: a project's instruction files wait until somebody has approved them as they are."""

from shlex import quote

from ..discover.configuration.approvals import read_approvals
from ..discover.configuration.projects_word import project_folder, real_or
from ..discover.configuration.values import Config
from ..discover.disk.reader import Approve
from ..discover.disk.walk import at_or_above
from ..discover.disk.world import World
from ..model.tier import project_beside, tier_of_path

HOW = {
    "unknown": "it waits for approval",
    "changed": "it changed since it was approved",
}


def asking(world: World, config: Config, cwd: str, home: str) -> Approve | None:
    """What says which files have to wait; None where the user does not want to be asked."""
    if config.get("trust").value != "ask":
        return None
    import hashlib

    approvals = read_approvals(world, home)
    house, here = real_or(world, home), real_or(world, cwd)
    project = project_beside(project_folder(world, cwd), here, house)
    trusted = tuple(real_or(world, folder) for folder in config.get("trusted").value)

    def approve(real: str, data: bytes) -> str | None:
        if tier_of_path(real, project, house) == "user" or any(at_or_above(top, real) for top in trusted):
            return None
        standing = approvals.standing(real, hashlib.sha256(data).hexdigest())
        if standing == "trusted":
            return None
        return f"{HOW[standing]}; to see it, and to approve it: overture trust {quote(real)}"

    return approve
