"""Commands that take a query."""

import click


class QueryCommand(click.Command):
    """A command whose words may begin with a minus, as `-sugar` does in a query."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move the words behind a `--`, where click reads no options.

        Raises:
            click.BadOptionUsage: an option is the last word, or another option follows it, where
                its value is expected: `--output=--force` means such a value.
        """
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
                value = next(rest, "--")
                if value.startswith("--"):
                    raise click.BadOptionUsage(word, f"Option {word!r} requires an argument.", ctx)
                options += [word, value]
            elif word.startswith("--") or word in ctx.help_option_names:
                options.append(word)
            else:
                words.append(word)
        return super().parse_args(ctx, [*options, "--", *words])
