"""Measurements: ratios within one run, on made-up talk from a fixed seed."""
