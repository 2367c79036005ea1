"""Values that the store returns: frozen, without SQL, whatever engine keeps the history.

One module per topic, so that a process loads those of the topics it uses.
"""
