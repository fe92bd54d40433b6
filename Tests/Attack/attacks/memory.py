"""What the gateway would have to keep for clients that do not read, or do not end what they say."""
from scene import attack
from wire import HOUR, MIB, many, request

# What the whole process may keep for clients.
WHOLE = 64 * MIB
BOUND = {"bounds": {"memoryBytes": WHOLE}}
SMALL = 4096
# So many connections share an answer, and no more callers than may (callersPerTask): each key has one of its own.
SHARING = 4
QUESTION = (b'{"jsonrpc":"2.0","id":%%d,"method":"large","params":[256,700],'
            b'"task":{"key":"l:%d","policy":"preferPrevious"}}\n')
# Half of what there is for clients. What the kernel keeps of answers, some MiB of a connection, is not the gateway's.
HALF = {"held_bytes": 24 * MIB}


@attack("unread-joins", configuration=BOUND, most_bytes=2 * WHOLE, seconds=3,
        shows={"requests_joined_total": 3_000, 'requests_ended_total{outcome="delivered"}': 3_000, "held_bytes": MIB})
def unread_joins(scene):
    """16 connections join an answer of 256 KiB 250 times each, four of them the same one, and do not read"""
    first = [many(250, QUESTION % (number // SHARING)) for number in range(16)]
    scene.crowd(first=first, reads=False, receive_bytes=SMALL).run()
    scene.wait()


@attack("unread-answers", configuration=BOUND, most_bytes=2 * WHOLE, seconds=3, shows=HALF)
def unread_answers(scene):
    """32 connections ask for 1,000 answers of 64 KiB each, and do not read"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"large","params":[64,300]}\n'
    scene.crowd(first=[many(1000, line)] * 32, reads=False, receive_bytes=SMALL).run()
    scene.wait()


def sends_half(scene, connections):
    half = request(1, "work", ["x" * (4 * MIB - 200)])[:-10]
    scene.crowd(first=[half] * connections, reads=False).run()
    scene.wait()


@attack("half-sent-16", configuration=BOUND, most_bytes=2 * WHOLE, seconds=3, shows=HALF)
def half_sent_16(scene):
    """16 messages of 4 MiB that never end"""
    sends_half(scene, 16)


@attack("half-sent-256", configuration=BOUND, most_bytes=2 * WHOLE, seconds=3, shows=HALF)
def half_sent_256(scene):
    """256 messages of 4 MiB that never end"""
    sends_half(scene, 256)


@attack("half-sent-bodies", configuration=BOUND, most_bytes=2 * WHOLE, seconds=3, shows=HALF)
def half_sent_bodies(scene):
    """256 bodies of 4 MiB behind their Content-Length that never end"""
    body = b"Content-Length: %d\r\n\r\n" % (4 * MIB) + b'{"jsonrpc":"2.0","id":1,"params":["' + b"x" * (4 * MIB - 100)
    scene.crowd(first=[body] * 256, reads=False).run()
    scene.wait()


@attack("half-sent-bytes", seconds=3, shows={"client_connections": 2_900})
def half_sent_bytes(scene):
    """3,000 connections that send the first bytes of a message, and no more"""
    scene.crowd(first=[b'{"jsonrpc":'] * 3000, reads=False).run()
    scene.wait()


@attack("bodies-announced", configuration=BOUND, seconds=3, shows={"client_connections": 1_900})
def bodies_announced(scene):
    """2,000 connections that announce a body of 4 MiB, and send one byte of it"""
    scene.crowd(first=[b"Content-Length: %d\r\n\r\n{" % (4 * MIB)] * 2000, reads=False).run()
    scene.wait()


@attack("timers-debounced", seconds=3, shows={'requests_ended_total{outcome="superseded"}': 20_000})
def timers_debounced(scene):
    """One key is debounced for an hour and superseded, without end: what has ended must not wait for its time"""
    line = request(1, "work", key="t", debounceMs=HOUR)
    scene.crowd(connections=4, again=line * 1000).run().close()


@attack("timers-deadlines", seconds=3, shows={'requests_ended_total{outcome="delivered"}': 20_000})
def timers_deadlines(scene):
    """Quick requests with timeoutMs and drainMs of an hour: what has ended must not wait for its time"""
    line = request(1, "work", timeoutMs=HOUR, drainMs=HOUR)
    scene.crowd(connections=4, again=line * 1000).run().close()


@attack("nearly-full", ask="debounced", configuration=BOUND, most_bytes=2 * WHOLE, seconds=3,
        shows={"held_bytes": 40 * MIB})
def nearly_full(scene):
    """11 half-sent messages of 4 MiB, of 12 that there is room for, and the honest client's requests have to be kept"""
    sends_half(scene, 11)


@attack("nearly-full-unread", ask="debounced", configuration=BOUND, most_bytes=2 * WHOLE, seconds=3, shows=HALF)
def nearly_full_unread(scene):
    """56 answers of a MiB that nobody reads, most of which the gateway holds, and requests of others have to be kept"""
    line = request(1, "large", [1020, 1])
    scene.crowd(first=[line * 14] * 4, reads=False, receive_bytes=SMALL).run()
    scene.wait()


@attack("batches-of-answers", configuration=BOUND, most_bytes=2 * WHOLE, seconds=3, shows=HALF)
def batches_of_answers(scene):
    """32 connections collect 15 MiB in each of 5 batches whose last answer never comes"""
    items = [request(number, "large", [64, 100])[:-1] for number in range(240)] + [request(999, "hold")[:-1]]
    batch = b"[" + b",".join(items) + b"]\n"
    scene.crowd(first=[batch * 5] * 32, reads=False, receive_bytes=SMALL).run()
    scene.wait()


# A slow machine has no more than 6 MiB at once; nothing at all would be held if there were no burst.
@attack("discover-burst", configuration=BOUND, most_bytes=2 * WHOLE, reaches=("results",),
        shows={"held_bytes": 4 * MIB})
def discover_burst(scene):
    """50 connections ask for rpc.discover and for bad batches, and read slowly or not at all"""
    line = request(1, "rpc.discover") * 40 + b"[]\n" * 1000 + b"[" + b"1," * 999 + b"1]\n"
    scene.crowd(connections=50, again=line, reads=False, receive_bytes=SMALL).run(seconds=scene.seconds / 2).close()
    scene.crowd(connections=50, again=line).run().close()


PAYLOAD = b'"params":["' + b"x" * (4 * MIB - 4096) + b'"],"task":{"key":"p:%d"'
HOLDING = b'{"jsonrpc":"2.0","id":%d,"method":"hold",' + PAYLOAD + b',"debounceMs":3600000}}\n'
NOTED = b'{"jsonrpc":"2.0","method":"work",' + PAYLOAD + b',"debounceMs":3600000}}\n'


@attack("payloads", most_bytes=320 * MIB, seconds=4, shows={"payload_bytes": 64 * MIB})
def payloads(scene):
    """One connection's requests take all memory for payloads: of 4 MiB each, and of ever fewer bytes"""
    sizes = [(size, HOLDING.replace(b"x" * (4 * MIB - 4096), b"x" * size)) for size in (60_000, 1000, 10)]
    first = many(70, HOLDING) + b"".join(many(300, line, first=size) for size, line in sizes)
    scene.crowd(first=first).run().close()


@attack("asks-most", ask="debounced", configuration=BOUND, most_bytes=2 * WHOLE, seconds=3,
        shows={"payload_bytes": 8 * MIB})
def asks_most(scene):
    """8 connections ask as much as there is room for, and the honest client's requests have to be kept"""
    scene.crowd(first=[many(8, HOLDING)] * 8).run().close()


@attack("queued-payloads", most_bytes=320 * MIB, seconds=4, shows={"payload_bytes": 64 * MIB})
def queued_payloads(scene):
    """Debounced notifications of 4 MiB each take all memory for payloads"""
    scene.crowd(first=many(80, NOTED)).run().close()


@attack("slow-readers", configuration=BOUND, most_bytes=2 * WHOLE, reaches=("results",), shows={"held_bytes": MIB})
def slow_readers(scene):
    """50 connections ask for answers of 16 KiB and read one KiB at a time"""
    crowd = scene.crowd(connections=50, again=request(1, "work", ["x" * 16_000]) * 16, receive_bytes=SMALL)
    crowd.sink = bytearray(1024)
    crowd.run().close()


@attack("reads-nothing", reaches=("unread",), shows={"held_bytes": MIB // 2})
def reads_nothing(scene):
    """50 connections ask for small answers as fast as it goes, and read none"""
    line = request(1, "lastword.ping") * 1000
    scene.crowd(connections=50, again=line, reads=False, receive_bytes=SMALL).run().close()


@attack("large-messages", most_bytes=256 * MIB, latest_ms=15, reaches=("results",),
        shows={'received_bytes_total{peer="client"}': 16 * MIB})
def large_messages(scene):
    """8 connections send messages of 4 MB of many small tokens, one after the other"""
    line = request(1, "lastword.ping", [0] * 1_900_000)
    scene.crowd(connections=8, again=line).run().close()


@attack("deep-messages", reaches=("results",), shows={"messages_invalid_total": 20})
def deep_messages(scene):
    """Messages nested as deep as it goes, and deeper, by 8 connections"""
    good = request(1, "lastword.ping", [])[:-4] + b"[" * 120 + b"]" * 120 + b"}\n"
    scene.crowd(connections=8, again=good * 500 + b"[" * 60_000 + b"\n").run().close()


# Whether the suite finds what it is for: here the bounds allow what the attack is after.
@attack("weak-memory", configuration={"bounds": {"clientOutputSoftBytes": 1 << 30, "clientOutputHardBytes": 1 << 30,
                                                 "memoryBytes": 1 << 34}},
        succeeds_by="memory", seconds=1.5)
def weak_memory(scene):
    """A client that reads nothing, where the bound on its output is a GiB"""
    scene.crowd(again=request(1, "work", ["x" * 60_000]) * 4, reads=False, receive_bytes=SMALL).run().close()
