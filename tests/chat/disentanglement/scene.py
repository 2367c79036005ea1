"""Talk that is taken apart in several tests."""

from collections.abc import Sequence

from terrarium_mcp.chat.disentanglement import ReplyGraph, ReplyLink, Utterance

KETTLE_AND_TRAIN = """
    0 ann the kettle in the tea room leaks again
    1 bo ann: where does it leak?
    2 ann bo: at the lid, all over the table
    3 cy it did that last week too
    4 ann cy: and who fixed it then?
    5 cy ann: dee did, with tape
    6 ann tape will not hold for long
    7 bo I can order a new lid
    8 ann bo: please do, the blue one
    9 bo ordered
    70 dee ann: the tape was mine, I will bring a better one tomorrow
    200 dee at last, the tape on my train seat holds
    201 cy does that train leave at nine?
    202 bo and the last one back?
    203 ann around ten
    204 cy it was late on sunday
    205 ann it is always late
    206 bo then I take the car
    207 cy the road is closed
    208 ann since when?
    209 cy since monday
"""
KETTLE, LATE_REPLY = list(range(1, 11)), 11
TRAIN_BACK = [14, 15, 16, 17, 18, 19, 20, 21]
"""Lines that a weak link ties to the talk about the kettle, three hours later."""


def talk(lines: str) -> list[Utterance]:
    """Lines of `minute nick text`; ids count from 1."""
    rows = [row.strip().split(" ", 2) for row in lines.strip().splitlines()]
    return [Utterance(n, 60 * float(at), nick, text) for n, (at, nick, text) in enumerate(rows, 1)]


def conversation_of(message_id: int, links: Sequence[ReplyLink]) -> list[ReplyLink]:
    """The links of all messages connected to one, itself included."""
    chains = ReplyGraph(links).chains_from(message_id)
    return [link for link in links if link.line in chains]
