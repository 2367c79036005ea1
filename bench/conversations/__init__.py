"""Learns the weights of the conversation scorer from the public training data."""
