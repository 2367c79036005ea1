"""What chat is, without any I/O: values and pure functions, imported by every other package."""
