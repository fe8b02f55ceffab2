"""Which words do the retrieval tasks use? 256 short ones that name things or properties; most are one to three tokens of
a tokenizer. A key is two different ones, so there are 65,280 keys.
"""

_TEXT = """
able apple arm art autumn baby back bag ball band bank bar base basket bear bed bell belt bench bird block blue board
boat body bone book boot bottle bottom bowl box branch brave bread bridge bright broad brown brush bucket building
button cable cake calm camera camp candle card carpet cart castle cat cell chain chair chalk cheap cheese chest child
circle city clean clear clever clock cloud coal coat coin cold color comb cool copper corn cotton cover cow crown cup
curtain cushion dark deep desk dish doctor dog door double drain drawer dress drum dry duck dust early earth east easy
edge egg empty engine fair family farm fast feather field fine finger fire fish flag flat floor flower fly foot forest
fork fox frame free fresh friend front fruit garden gate gentle glass glove goat gold good grain grass gray great
green guide hammer hand happy harbor hat heart heavy hill honey hook horn horse hotel house ice ink iron island jar
jewel judge jump key king kitchen knee knife lake lamp large leaf leather lemon letter light line lion little local
long lost loud lucky machine map market metal milk mirror money moon morning mountain mouse music narrow neck needle
nest net new night noble north note nut ocean office old open orange oven page paint paper parcel path pen pencil
picture pig pin pipe plain plane plant plate pocket point pool potato pot powder proud queen quick quiet rail rain red
rice ring river road roof room root rope round
"""
WORDS = tuple(_TEXT.split())
