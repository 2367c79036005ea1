"""`terrarium-mcp help`: the same as --help, for those who type it as a word."""

import click


@click.command("help")
@click.argument("command", required=False)
@click.pass_context
def help_(context: click.Context, command: str | None) -> None:
    """Show this list, or what a command does: help COMMAND."""
    group = context.find_root()
    assert isinstance(group.command, click.Group)  # noqa: S101 -- the root of every command here
    if command is None:
        click.echo(group.get_help())
        return
    name, found, _ = group.command.resolve_command(group, [command])
    assert found is not None  # noqa: S101 -- an unknown name is a usage error
    click.echo(found.get_help(click.Context(found, info_name=name, parent=group)))
