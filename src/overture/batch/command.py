"""`overture batch`: a prompt, or a provider's batch request, for each of many rows."""

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import chain
from typing import Any

import click
import msgspec

from ..errors import ConfigError, require_packages
from ..model.state.agent_and_runtime import Runtime
from ..providers.batch_lines import BATCH_FORMS
from ..terminal.gather_state import find_command_recipe, gather_state
from ..terminal.job_options_and_rate import ENGINE, PROCESSES, RESUME, Rate
from ..terminal.option_values import budget_for, is_set, models_for, parse_assignment
from ..terminal.options import AS_JSON, CommandOptions, add_shared_options
from ..terminal.output import count_noun, print_error, print_line, write_json
from ..text.words import format_money
from ..tokens.counter import describe_tokens
from .batch_files_and_manifest import MANIFEST, BatchPrice, Manifest, finish_batch, order_parts
from .build_rows import BatchSetup, PartFolder, RowBuilder, run_parts
from .columns_to_state import MESSAGE, ColumnMap, parse_map, resolve_columns
from .job_folder import Job, OutputFolder, open_output, read_job
from .row_files import FORMATS, Chunk, RowSource, find_source, list_columns, mark_repeated_ids

PARQUET = "parquet"
MACHINE_DROPPED = "The project offers no tools, so prompts do not name facts of this machine. --cwd . keeps them."


@click.command("batch", epilog="RECIPE is a name (`overture recipes` lists them) or the path of a .toml file.")
@click.argument("recipe")
@click.argument("rows", required=False)
@click.option("--out", metavar="DIR", required=True, help="The folder of the results: a new or an empty one.")
@click.option(
    "--format", "form", type=click.Choice((PARQUET, *BATCH_FORMS)), default=PARQUET, metavar="FORM",
    help=f"Prompts as parquet (default), or batch files of a provider: {', '.join(BATCH_FORMS)}.",
)  # fmt: skip
@click.option("--model", metavar="NAME", help="The model of the requests. Default: runtime.model of the state.")
@click.option(
    "--map", "maps", multiple=True, metavar="FIELD=COLUMN",
    help="Put a column into a field of the state, or into message, the user's text; or a .toml file of such pairs.",
)  # fmt: skip
@click.option("--id", "id_column", metavar="COLUMN", help="The column of ids. Default: custom_id or id, else row-N.")
@click.option("--ignore-column", "ignored", multiple=True, metavar="NAME", help="A column to ignore; * matches all.")
@click.option("--sql", metavar="QUERY", help="Rows of a DuckDB query, e.g. \"select * from 'rows.parquet'\".")
@click.option("--rows-format", type=click.Choice(FORMATS), help="Default: by the name of the file.")
@click.option(
    "--request", "settings", multiple=True, metavar="PATH=VALUE",
    help="A field of each request, as the provider calls it: max_output_tokens=1024 for openai.",
)  # fmt: skip
@click.option(
    "--order", type=click.Choice(("input", "prefix")), default="input",
    help="prefix: requests that begin alike are neighbours, for the provider's cache.",
)  # fmt: skip
@RESUME
@PROCESSES
@ENGINE
@add_shared_options
@AS_JSON
def command(
    rows: str | None, out: str, form: str, model: str | None, maps: tuple[str, ...], id_column: str | None,
    ignored: tuple[str, ...], sql: str | None, rows_format: str | None, settings: tuple[str, ...], order: str,
    resume: bool, processes: int | None, engine: str, as_json: bool, **values: Any,
) -> int:  # fmt: skip
    """Build a prompt for each row, as files for a provider's batch API or as Parquet.

    ROWS is a file of JSON Lines, CSV, Parquet or Arrow; - reads standard input. A row that fails is in errors.jsonl,
    and the others go on. manifest.json has counts, tokens and the price.

    \b
    overture batch house rows.jsonl --out prompts          prompts as Parquet
    overture batch house rows.csv --map message=question --format gemini \\
        --out batch                                        a batch for Gemini
    overture batch house --sql "select id, notes as memories from 'x.parquet'" \\
        --out prompts                                      rows of a query
    """
    options, source = CommandOptions(**values), find_source(rows, sql, rows_format)
    if form == PARQUET:
        require_packages("--format parquet", "batch", "pyarrow")
        if settings or order == "prefix":
            hint = f"Pass --format with a provider's name: {', '.join(BATCH_FORMS)}."
            raise ConfigError(f"{'--request' if settings else '--order prefix'} is for requests.", hint=hint)
    if rows == options.state_file == "-":
        raise ConfigError("--state and the rows can't both be read from standard input.", hint="Pass one as a file.")
    earlier = read_job(out) if resume else None
    if earlier is not None and options.now is None:
        options = options._replace(now=earlier.facts.get("now"))  # as it was when the run began
    chunks = source.read()
    first = next((chunk for chunk in chunks if chunk.data.strip()), None)
    if first is None:
        raise ConfigError(f"{source.name!r} has no rows.")
    columns = resolve_columns(list_columns(source, first), ColumnMap(parse_map(maps), id_column, ignored))
    setup = _make_setup(options, columns, None if form == PARQUET else form, model, settings)
    builder, parts = RowBuilder(setup), PartFolder(out, form == PARQUET, order == "prefix")
    with open_output(out, _describe_job(builder, source, parts), resume=resume) as folder:
        if folder.job.finished:
            manifest = _read_manifest(folder, out)
            print_error(f"note: {out}: all rows are done")
        else:
            every: Iterator[Chunk] = chain([first], chunks)
            if setup.provider and setup.columns.id:  # made ids differ
                every = mark_repeated_ids(every, setup.columns.id)
            manifest = _run(folder, parts, builder, partial(run_parts, engine, setup, parts, processes), every)
    if as_json:
        write_json(manifest)
    else:
        _show(manifest, out)
    if manifest.built or manifest.errors.keys() == {"over-budget"}:  # as `build`: 1 for a budget that can't be met
        return int("over-budget" in manifest.errors)
    return 2


def _read_manifest(folder: OutputFolder, out: str) -> Manifest:
    """The manifest of a finished batch; one whose files were removed or changed is finished no more."""
    try:
        manifest = msgspec.json.decode(folder.read(MANIFEST), type=Manifest)
        lacking = [file.name for file in manifest.files if os.stat(folder.locate(file.name)).st_size != file.bytes]
    except FileNotFoundError as problem:
        lacking = [os.path.basename(problem.filename)]
    except msgspec.MsgspecError:
        lacking = [MANIFEST]
    if lacking:
        message = f"{out!r} was finished, and {lacking[0]!r} was removed or changed since."
        raise ConfigError(message, hint="Use another folder, or empty this one.")
    return manifest


def _make_setup(
    options: CommandOptions, columns: ColumnMap, provider: str | None, model: str | None, settings: tuple[str, ...]
) -> BatchSetup:
    """The setup of the batch that the options describe; an impossible one is an error."""
    gathered = gather_state(options)
    if gathered.sent is not None:
        raise ConfigError(f"{options.recipe!r} is a saved prompt.", hint="A batch needs a recipe.")
    state, fields, notes = gathered.state, dict[str, Any](), tuple[str, ...]()
    model = model or (state.runtime.model if state.runtime else None)
    if provider:
        form = BATCH_FORMS[provider]
        if form.needs_model and not model:
            raise ConfigError(f"A request to {provider} needs a model.", hint="Pass --model NAME.")
        if MESSAGE not in columns.targets and not any(s.place == "user" for s in gathered.recipe.sections):
            raise ConfigError("A request needs a message.", hint="Pass the user's with --map message=COLUMN.")
        fields = dict(parse_assignment(text, "--request", f"{form.output_limit}=1024") for text in settings)
    named = options.cwd or options.root or options.state_file or is_set(options, "runtime")
    if state.runtime is not None and not state.tools and not named:  # an agent without tools runs elsewhere
        state = state.replace(runtime=Runtime(provider=state.runtime.provider, model=state.runtime.model))
        notes = (MACHINE_DROPPED,)
    return BatchSetup(
        partial(find_command_recipe, options), state, columns, gathered.found.diagnostics, provider, model,
        models_for(options), fields, budget_for(options), options.tokenizer, notes,
    )  # fmt: skip


def _describe_job(builder: RowBuilder, source: RowSource, parts: PartFolder) -> Job:
    """What identifies the command's job: `--resume` needs the same rows, recipe and settings."""
    setup = builder.setup
    return Job("batch", {
        "rows": source.name, "rows_format": source.form, "rows_bytes": source.size, "recipe": builder.recipe.name,
        "now": setup.state.now, "state": builder.base.inputs, "prompt": builder.base.fingerprint,
        "map": setup.columns.targets, "id": setup.columns.id, "ignored": setup.columns.ignored,
        "provider": setup.provider, "model": setup.model, "settings": setup.settings,
        "by_prefix": parts.by_prefix, "budget": setup.budget, "tokenizer": builder.counter.name,
    })  # fmt: skip


def _run(
    folder: OutputFolder, parts: PartFolder, builder: RowBuilder, run: Callable[..., Any], chunks: Iterable[Chunk]
) -> Manifest:
    """Build the parts of the batch that are missing, and join all into its files."""
    rate, ready, read = Rate("row"), set[int](), 0.0

    def find_missing() -> Iterator[tuple[int, Chunk]]:
        """The rows that the command still has to build: those without a part from an earlier run."""
        nonlocal read
        for number, chunk in enumerate(chunks):
            read, record = chunk.part, parts.read(number)
            if record is None:
                yield number, chunk
            elif record.digest != chunk.digest:
                hint = "Pass the same rows in the same order, or use another folder."
                raise ConfigError(f"Rows from {chunk.first:,} on are not those of the first run.", hint=hint)
            else:
                ready.add(number)

    def count_done(done: Iterator[tuple[int, int]]) -> Iterator[int]:
        for number, rows in done:
            rate.add(rows, read)
            yield number

    try:
        with closing(run(find_missing())) as done:
            manifest = finish_batch(folder, parts, order_parts(count_done(done), ready), builder)
        folder.finish()
    except KeyboardInterrupt:
        line = shlex.join([word for word in sys.argv[1:] if word != "--resume"])
        print_error(f"note: Stopped after {count_noun(rate.done, 'row')}; go on with: overture {line} --resume")
        raise click.exceptions.Exit(130) from None
    rate.report()
    return manifest


def _describe_price(price: BatchPrice) -> str:
    if price.batch is None or price.batch_without_cache is None or price.without_batch is None:
        return f"price: not known ({', '.join(price.unknown)})"
    cached, batch, single = map(format_money, (price.batch, price.batch_without_cache, price.without_batch))
    best = f" ({cached} if each request finds the cache)" if price.batch < price.batch_without_cache else ""
    most = "" if price.output is None else f", at most {format_money(price.output)}"
    return f"input: {batch} as a batch{best}, {single} as single requests; output is extra{most}"


def _show(manifest: Manifest, out: str) -> None:
    tokens, price = manifest.tokens, manifest.price
    total = describe_tokens(tokens.system + tokens.messages + tokens.tools, exact=tokens.exact)
    files, by = count_noun(len(manifest.files), "file"), ", ".join(filter(None, (manifest.model, tokens.counter)))
    print_line(f"{out}: {count_noun(manifest.built, 'prompt')} in {files}, {total} ({by})")
    if price is not None:
        print_line(_describe_price(price))
    if manifest.truncated:
        print_line(f"truncated: {count_noun(manifest.truncated, 'row')}")
    if manifest.failed:
        codes = ", ".join(f"{number:,} {code}" for code, number in manifest.errors.items())
        print_line(f"failed: {count_noun(manifest.failed, 'row')} ({codes}); see {out}/errors.jsonl")
    for text in manifest.notes:
        print_line(f"note: {text}")
