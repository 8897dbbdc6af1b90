"""Why an agent reads a file: the rule that found it, in a sentence."""

from ...discover.disk.walk import at_or_above
from ...model.recipe.wants.wanted_instructions import Files, Limit
from ...model.state.discovery import Look


def why_loaded(look: Look, step: Files | None, cwd: str, root: str | None) -> str:
    """By which rule it is told at the start."""
    if look.detail:
        return look.detail
    if look.what == "skill":
        return "listed in the menu of skills, by name and description"
    if look.what == "settings":
        return "settings of the agent's own: they change what it reads"
    folder = folder_of_name(look.path, step)
    if step is None:
        return ""
    if step.tells != "text":
        return f"only its {step.tells} is told"
    if step.where == "home" or not at_or_above(folder, cwd):
        own = step.where == "home" or any(name.startswith("~/") for name in step.names)
        return "it counts in every project" if own else "it lies on the way to a file that is worked on"
    if folder == cwd:
        return "it lies in the working directory"
    if folder == root:
        return "it lies at the project's top"
    if root and not at_or_above(root, folder):
        return "it lies above the project, on the way to the working directory"
    return "it lies on the way from the project's top to the working directory"


def folder_of_name(path: str, step: Files | None) -> str:
    """The folder to which a file's name belongs: `.claude/rules/x.md` is one of the folder that holds `.claude`."""
    for given in step.names if step else ():
        for name in given.split("|"):
            head = name.partition("*")[0].rpartition("/")[0]
            if head and f"/{head}/" in path:
                return path.rpartition(f"/{head}/")[0] or "/"
    return path.rpartition("/")[0] or "/"


def why_cut(title: str, limit: Limit) -> str:
    """Why it is not told whole."""
    together = "of a file" if limit.over == "file" else "of all these files together"
    said = "and it says so" if limit.says else "and it does not say so"
    return f"{title} takes {limit.most:,} {limit.unit} {together}, {said}"


def why_later(folder: str, what: str) -> str:
    """When it is told."""
    done = "listed in the menu of skills" if what == "skill" else "read"
    return f"it is {done} when the agent works on a file in {folder}"
