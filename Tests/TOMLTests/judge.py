"""Says what tomllib reads in each text of a file: one line for each, empty for one that it refuses.

usage: judge.py FILE     its texts, each behind its length in four bytes
"""

import datetime
import math
import struct
import sys
import tomllib


def plain(value):
    """The value alone, as Texts.swift writes it."""
    if isinstance(value, bool):
        return f"b{int(value)}"
    if isinstance(value, int):
        return f"i{value}"
    if isinstance(value, float):
        return "fnan" if math.isnan(value) else f"f{struct.unpack('>Q', struct.pack('>d', value))[0]:x}"
    if isinstance(value, str):
        return "s" + value.encode().hex()
    if isinstance(value, datetime.datetime):
        return f"date-time {value.isoformat()}"
    if isinstance(value, datetime.date):
        return f"date {value.isoformat()}"
    if isinstance(value, datetime.time):
        return f"time {value.isoformat()}"
    if isinstance(value, list):
        return "[" + "".join(plain(item) + "," for item in value) + "]"
    members = sorted((name.encode().hex(), plain(member)) for name, member in value.items())
    return "{" + "".join(f"{name}={member}," for name, member in members) + "}"


def verdict(text):
    try:
        return plain(tomllib.loads(text.decode()))
    except ValueError:
        return ""


def main():
    with open(sys.argv[1], "rb") as file:
        while length := file.read(4):
            print(verdict(file.read(struct.unpack(">I", length)[0])))


main()
