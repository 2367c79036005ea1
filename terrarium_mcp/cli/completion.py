"""`terrarium-mcp completion`: the script that completes our commands in a shell."""

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

_SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command()
@click.argument("shell", type=click.Choice(list(_SHELLS)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes commands and options.

    \b
    bash: eval "$(terrarium-mcp completion bash)"      in ~/.bashrc
    zsh:  eval "$(terrarium-mcp completion zsh)"       in ~/.zshrc
    fish: terrarium-mcp completion fish | source       in ~/.config/fish/config.fish
    """  # noqa: D301 -- for click \b is a character, after which it leaves lines as they are
    root = context.find_root()
    name = root.info_name or ""
    variable = f"_{name}_COMPLETE".replace("-", "_").upper()  # which click reads at the start
    click.echo(_SHELLS[shell](root.command, {}, name, variable).source())
