"""`terrarium-mcp search`: the answer of the search tool, and with --explain how it came about."""

from pathlib import Path

import click

from terrarium_mcp.cli.options import adopt_option, settings_of, settings_options


class SearchCommand(click.Command):
    """A command whose words may begin with a minus, as `-sugar` does in a query."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move the words behind a `--`, where click reads no options."""
        with_value = {
            name
            for option in self.get_params(ctx)
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        }
        options, words, rest = list[str](), list[str](), iter(args)
        for word in rest:
            if word == "--":
                words += rest
            elif word in with_value:
                options += [word, *([value] if (value := next(rest, None)) is not None else [])]
            elif word.startswith("--") or word in ctx.help_option_names:
                options.append(word)
            else:
                words.append(word)
        return super().parse_args(ctx, [*options, "--", *words])


@click.command(cls=SearchCommand)
@click.argument("query", nargs=-1, required=True)
@click.option("--channel", default="", help="Search this channel only.")
@click.option(
    "--limit", type=click.IntRange(1, 100), default=20, show_default=True, help="Number of lines."
)
@click.option(
    "--sort",
    type=click.Choice(["relevance", "newest", "oldest"]),
    default="relevance",
    show_default=True,
    help="Order of the lines.",
)
@click.option("--explain", is_flag=True, help="Also explain why these lines were found.")
@adopt_option
@settings_options
def search(
    *,
    query: tuple[str, ...],
    channel: str,
    limit: int,
    sort: str,
    explain: bool,
    adopt: bool,
    db: Path | None,
    config: Path | None,
    env_file: Path | None,
) -> None:
    """Find what was said: words, "phrases", -not, from:nick, or a plain question.

    A word that begins with two minuses goes after a --.
    """
    settings = settings_of(db, config, env_file)

    import anyio

    from terrarium_mcp.cli.starting.search import found

    words = " ".join(query)
    click.echo(anyio.run(found, settings, words, channel, limit, sort, explain, adopt))
