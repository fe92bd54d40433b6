"""Few bytes that are much work, so that a turn of the loop grows long."""
from scene import attack
from wire import framed, many, request

PING = request(1, "lastword.ping")
INSPECT = request(1, "lastword.inspect", {"key": "nothing"})[:-1]
DISCOVER = request(1, "rpc.discover")[:-1]
KINDS = {
    "ones": ("batches of 1", b"[" + b"1," * 999 + b"1]\n"),
    "inspects": ("batches of lastword.inspect", b"[" + b",".join([INSPECT] * 1000) + b"]\n"),
    "discovers": ("batches of rpc.discover", b"[" + b",".join([DISCOVER] * 100) + b"]\n"),
    "bad": ("batches that are empty, too long or broken",
            b"[]\n" * 100 + b"[" + b"1," * 1001 + b"1]\n" + b"[1,2\n" * 100),
    "pings": ("pings", PING * 500),
    "errors": ("messages that are none", b"1\n{}\n" * 500),
    "notifications": ("notifications of the gateway's own", request(None, "lastword.ping") * 500),
}
# What each has to have led to.
ANSWERED, INVALID = {"reaches": ("results",)}, {"shows": {"messages_invalid_total": 10_000}}
SHOWN = {"ones": INVALID, "inspects": ANSWERED, "discovers": ANSWERED, "bad": INVALID, "pings": ANSWERED,
         "errors": INVALID, "notifications": {"shows": {'received_bytes_total{peer="client"}': 8 << 20}}}
TURN_BYTES = 65_536
# What each may leave unread, and what the buffer behind it grows to by doubling.
UNREAD_BYTES = 2 << 20


def add(kind, connections):
    title, line = KINDS[kind]

    def pipelines(scene):
        scene.crowd(connections=connections, again=line * max(1, TURN_BYTES // len(line))).run().close()
    who = "One connection pipelines" if connections == 1 else f"{connections} connections pipeline"
    pipelines.__doc__ = f"{who} {title}"
    # To connect takes a while, too.
    attack(f"{kind}-{connections}", most_bytes=max(64 << 20, connections * UNREAD_BYTES),
           seconds=3 if connections > 100 else 2, **SHOWN[kind])(pipelines)


for kind in KINDS:
    for connections in (1, 50):
        add(kind, connections)
add("pings", 1000)


@attack("bytes-one-by-one", reaches=("results",))
def bytes_one_by_one(scene):
    """50 connections frame by Content-Length and send one byte at a time"""
    scene.crowd(connections=50, again=framed(request(1, "work", ["x"])), most_bytes=1).run().close()


@attack("headers-only", **INVALID)
def headers_only(scene):
    """Bodies of length 0, and headers that go on and on"""
    line = b"Content-Length: 0\r\n\r\n" * 2000 + b"X: y\r\n" * 800 + b"Content-Length: 2\r\n\r\n{}"
    scene.crowd(connections=8, again=line).run().close()


KEYED = b'{"jsonrpc":"2.0","id":%d,"method":"work","params":[1],"task":{"key":"k:%d","scope":"connection"}}\n'


@attack("keys-distinct", shows={'requests_ended_total{outcome="delivered"}': 5_000, "lanes": 100})
def keys_distinct(scene):
    """A key of its own for each of as many requests as it goes"""
    scene.crowd(connections=4, again=many(20_000, KEYED)).run().close()


@attack("keys-long", shows={'requests_ended_total{outcome="delivered"}': 5_000})
def keys_long(scene):
    """Keys of 512 bytes that differ at their end, at full speed"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"work","task":{"key":"' + b"k" * 504 + b'%d"}}\n'
    scene.crowd(connections=4, again=many(5_000, line)).run().close()


@attack("keys-escaped", shows={'requests_ended_total{outcome="delivered"}': 5_000})
def keys_escaped(scene):
    """Keys written in escapes, at full speed"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"work","task":{"key":"' + b"\\u00e9" * 200 + b'%d"}}\n'
    scene.crowd(connections=4, again=many(5_000, line)).run().close()


@attack("keys-alike", shows={"lanes": 5_000})
def keys_alike(scene):
    """10,000 keys and ids that weak hashes confuse, held and asked for"""
    held = b"".join(request(key, "hold", None, key=key, group=key) for key in alike(10_000))
    asked = b"".join(request(1, "lastword.inspect", {"key": key}) for key in alike(2_000))
    scene.crowd(first=held, again=asked).run().close()


def alike(count):
    """Keys of words that differ in few bits, in their order, or in how often they occur"""
    for number in range(count):
        bits = format(number, "014b")
        yield (bits.replace("0", "aaaaaaaa").replace("1", "aaaabaaa"),
               bits.replace("0", "ab").replace("1", "ba"),
               "\x01" * 8 + chr(number % 0x7f + 1) * 8 + "\x01" * 8 + bits,
               chr(0x1_0000 + number * 64) * 4 + bits[:7])[number % 4]
