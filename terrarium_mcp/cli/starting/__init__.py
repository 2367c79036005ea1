"""What the commands start. Imported when a command runs, so that `--help` stays light."""
