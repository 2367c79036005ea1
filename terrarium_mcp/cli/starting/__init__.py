"""What the commands run. Imported only when a command runs, so that `--help` stays light."""
