"""Commands that take a query."""

import click


class QueryCommand(click.Command):
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
