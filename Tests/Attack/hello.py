"""The first bytes of TLS, made once and bent as an attack wants them."""
import functools
import ssl
import struct

from access import context

# Stands in a hello where another name is to be written.
PLACEHOLDER = "placeholder.example"
HANDSHAKE, ALERT, DATA, CHANGE = 22, 21, 23, 20
# What comes before the session's id: a record's header and a message's, the version, the random bytes.
BEFORE_SESSION = 5 + 4 + 2 + 32
# What comes before a name: the extension's number and length, the list's, the kind, the name's length.
BEFORE_NAME = 9


def record(kind, content, version=0x0303):
    return struct.pack("!BHH", kind, version, len(content)) + content


@functools.cache
def hello(name=PLACEHOLDER):
    """A client's first record; without a name it asks for none."""
    terms = context()
    terms.check_hostname = name is not None
    outgoing = ssl.MemoryBIO()
    try:
        terms.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=name).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def grown(data, at, size, by):
    """A length of so many bytes that stands there, and is another."""
    length = int.from_bytes(data[at:at + size], "big") + by
    return data[:at] + length.to_bytes(size, "big") + data[at + size:]


def naming(name):
    """A hello that asks for any bytes, of any length: all lengths around them are right."""
    plain = hello()
    at = plain.index(PLACEHOLDER.encode())
    begin = at - BEFORE_NAME
    by = len(name) - len(PLACEHOLDER)
    data = plain[:at] + name + plain[at + len(PLACEHOLDER):]
    for place, size in ((begin + 2, 2), (begin + 4, 2), (begin + 7, 2), (3, 2), (6, 3)):
        data = grown(data, place, size, by)
    session = BEFORE_SESSION + 1 + data[BEFORE_SESSION]
    ciphers = session + 2 + int.from_bytes(data[session:session + 2], "big")
    return grown(data, ciphers + 1 + data[ciphers], 2, by)


def in_pieces(message):
    """A record for each byte of what a record held."""
    return b"".join(record(HANDSHAKE, message[number:number + 1]) for number in range(5, len(message)))
