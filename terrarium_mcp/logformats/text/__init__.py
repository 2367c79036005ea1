"""The text formats, one file each: how a line looks, as data."""
