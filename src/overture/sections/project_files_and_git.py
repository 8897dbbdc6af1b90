"""The project in a prompt: its files, each under a heading with its path, and its git status."""

from ..model.recipe.body import Body, Group, Part, Skip
from ..model.recipe.cut_to_beginning import beginnings_of_part
from ..model.recipe.section import section, tag
from ..model.source import from_state
from ..model.state.agent_and_runtime import MAX_LISTED_COMMITS, MAX_LISTED_PATHS, Git, shorten_git_line
from ..model.state.files import TextFile

NO_PATH = "(no path)"
FILES_REST = "[{shown} of {all} project files are shown: there is no room for the others.]"


def files_under_headings(files: tuple[TextFile, ...], level: str) -> Group:
    """`## PATH` and the text of each file, outermost first. No text writes a heading; blank files are skipped."""
    headings = tuple([f"{level} {file.path or NO_PATH}" for file in files])
    shown = [
        _write_project_file(index, file, level, headings) for index, file in enumerate(files) if file.content.strip()
    ]
    return Group(tuple(shown), sep="\n\n", loose="outermost", rest=FILES_REST, omits=blank_files(files))


def explain_no_files(files: tuple[TextFile, ...]) -> Skip | None:
    """Why these files have no text; None if one has."""
    if any(file.content.strip() for file in files):
        return None
    return Skip("the project files are blank" if files else "there are no project files")


def blank_files(files: tuple[TextFile, ...]) -> tuple[str, ...]:
    """The files that are skipped because they are blank."""
    return tuple([f"{file.path or NO_PATH} is blank" for file in files if not file.content.strip()])


def _write_project_file(index: int, file: TextFile, level: str, headings: tuple[str, ...]) -> Group:
    path = Part(file.path or NO_PATH, from_state(f"context_files[{index}].path"), single=True)
    content = Part(file.content, file.where, name=file.path, guard=headings, leaner=beginnings_of_part)
    return Group((path, content), before=f"{level} ", sep="\n\n")


# Git: the branch, the changed paths, and the last commits. They are untrusted text, and contained like a file.


NO_GIT = "git was not run, or this is not a repository: set features.git.enabled = true"
PATHS_REST = "[{shown} of {all} changed paths are listed: there is no room for the others.]"
COMMITS_REST = "[{shown} of {all} commits are listed: there is no room for the others.]"


@section("git", pace="turn", frame=tag("git"), priority=30)
def git_status(git: Git | None) -> Body:
    """The branch, the changed paths in short, and the last commits."""
    if git is None:
        return Skip(NO_GIT)
    return Group((_write_branch(git), _write_changed_paths(git), _write_commits(git)))


def _write_branch(git: Git) -> Part:
    """The branch in the section about git."""
    if git.branch is None:
        head = (git.head or "")[:10]
        return Part(head, from_state("git.head"), before="Branch: none, HEAD is detached at ", single=True)
    after = "" if git.head else ", without a commit yet"
    return Part(git.branch, from_state("git.branch"), before="Branch: ", after=after, single=True)


def _write_changed_paths(git: Git) -> Group | str:
    """The changed paths in the section about git."""
    lines = [
        Part(shorten_git_line(line), from_state(f"git.status[{index}]"), name=line[3:], single=True)
        for index, line in enumerate(git.status[:MAX_LISTED_PATHS])
    ]
    more = git.more + max(0, len(git.status) - MAX_LISTED_PATHS)
    if not lines and not more:
        return "Nothing is changed."
    listing = Group(tuple(lines), loose="fair", rest=PATHS_REST)
    head = Part(git.root, from_state("git.root"), before="Changed paths, from ", after=":", single=True)
    return Group((head, listing, f"and {more:,} more" if more else ""))


def _write_commits(git: Git) -> Group:
    lines = [
        Part(
            f"{commit.id} {shorten_git_line(commit.subject)}",
            from_state(f"git.commits[{index}]"),
            name=commit.id,
            single=True,
        )
        for index, commit in enumerate(git.commits[:MAX_LISTED_COMMITS])
    ]
    return Group(tuple(lines), before="Last commits, newest first:\n", loose="fair", rest=COMMITS_REST)
