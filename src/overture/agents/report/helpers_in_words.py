"""Which sub-agents and commands an agent is told of, and as what: in words."""

from collections.abc import Iterator

from ...model.recipe.wants.wanted_helpers import Listing
from .listing import listed, quoted
from .skills_in_words import NEEDS

WORDS = {"body": "its words are taken, without headings", "line": "its first line is taken"}


def listing_in_words(listing: Listing) -> list[str]:
    """A sentence for each thing that decides."""
    return [*_needs(listing), *_name(listing), *_description(listing)]


def _needs(listing: Listing) -> Iterator[str]:
    maybe = " (if any)" if "frontmatter" not in listing.needs else ""
    if listing.needs:
        yield f"It is told of if it has {listed([NEEDS[need].format(maybe) for need in listing.needs])}."
    if listing.keys:
        yield f"Its frontmatter may hold {quoted(listing.keys)} alone."
    if listing.words:
        yield f"At least {listing.words} characters must stand below its frontmatter."
    if listing.hidden_by:
        yield f"{quoted(listing.hidden_by, 'or')} in its frontmatter keeps it out."
    if listing.broken == "mended":
        yield "YAML that can't be read counts where quotes around values would mend it."


def _name(listing: Listing) -> Iterator[str]:
    if listing.named == "name":
        yield "It is called by its `name`, and else by its file."
    if listing.folders:
        yield f"The folders above it are part of its name: `folder{listing.folders}file`."
    if listing.same_name != "all":
        yield f"Of several with one name the {listing.same_name} in this order counts."
    if listing.name_like:
        yield f"Its name must match `{listing.name_like}`."
    if listing.longest_name is not None:
        yield f"Its name has at most {listing.longest_name:,} characters."


def _description(listing: Listing) -> Iterator[str]:
    if listing.described != "frontmatter":
        yield f"Without a `description`, {WORDS[listing.described]}."
    if listing.longest is not None:
        yield f"A description of more than {listing.longest:,} characters keeps it out."
    if listing.entry is not None:
        yield f"Of a description {listing.entry:,} characters are told, then `…`."
