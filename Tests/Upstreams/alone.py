"""A handler by itself: what it answers, how it cancels, what it bears, and how it ends."""
import contextlib
import os
import pathlib
import socket
import subprocess
import tempfile
import threading

from peer import PATIENCE_SECONDS, Handler, Peer, eventually, expect, free_of_work

CANCELLED, REFUSED = -32800, -32000
LONG = ("sleep", {"ms": 3_600_000})
HARD = ("primes", {"below": 100_000_000})
LINE_LIMIT_BYTES = 1 << 20
OPEN_LIMIT = 1000
FLOOD_BYTES = 48 << 20


@contextlib.contextmanager
def serving(*options):
    handler = Handler(*options)
    try:
        with handler.connect() as peer:
            yield handler, peer
    finally:
        handler.kill()


def until_working(peer):
    """Work is really being done."""
    before = peer.stats()["pieces"]
    eventually(lambda: peer.stats()["pieces"] > before + 10, "work is done")


# MARK: What it answers


def answers():
    """Each method gives what the README says, under the id that was sent."""
    with serving() as (_, peer):
        for params in ({"a": [1, 2.5, None, True, "é\"\\\u2028😀\ud800<&>"]}, [], {}, [[[]]], {"": ""}):
            expect(peer.call("echo", params) == params, f"echo changes {params}")
        expect(peer.call("echo") is None, "echo without params gives something")
        for identifier in ("", "a", "1", 0, -7, 2**53 - 1, 2**31, "é\"\\\n<&>", "x" * 1000, 1.5):
            expect(peer.call("echo", [1], identifier=identifier) == [1], "echo changes [1]")
        for below, count in ((0, 0), (2, 0), (3, 1), (100, 25), (101, 25), (102, 26), (1000, 168), (10_000, 1229)):
            found = peer.call("primes", {"below": below})
            expect(found == {"primes": count}, f"primes below {below}: {found}")
        expect(peer.call("sleep", {"ms": 0, "q": "x"}) == {"ms": 0, "q": "x"}, "sleep changes its params")
        answer = peer.answer(peer.request("fail", {"code": -5, "message": "so \"it\" is"}))
        expect(answer["error"] == {"code": -5, "message": "so \"it\" is"}, f"fail gives {answer}")
        expect(peer.stats()["open"] == 1, "something stays open")


def lines():
    """Several messages in one piece, one in many, CRLF, blank lines, any order of members."""
    with serving() as (_, peer):
        asked = [peer.prepare("echo", [n]) for n in range(100)]
        peer.write(b"\n \r\n".join(line for _, line in asked))
        for n, (identifier, _) in enumerate(asked):
            expect(peer.result(identifier) == [n], "answers are mixed up")
        identifier, line = peer.prepare("echo", {"q": "é😀"})
        for place in range(len(line)):
            peer.write(line[place:place + 1])
        expect(peer.result(identifier) == {"q": "é😀"}, "a message in pieces is another")
        peer.open.add("null")
        peer.write(b'{"jsonrpc":"2.0","id":null,"method":"echo","params":[null]}\n')
        expect(peer.result(None) == [None], "null is an id, too")
        peer.open.add('"z"')
        peer.write(b'\t{ "params" : [ 1 , "\\u00e9 \xc3\xa9" ],\r"more":{"id":7},'
                   b' "id":"\\u007a","m\\u0065thod":"e\\u0063ho" , "jsonrpc":"2.0"}\r\n')
        expect(peer.result("z") == [1, "é é"], "white space and escapes mean something")


def no_blocking():
    """Neither waiting nor working holds up another request, on the same connection or another."""
    with serving() as (handler, peer), handler.connect() as other:
        waiting, working = peer.request(*LONG), peer.request(*HARD)
        until_working(peer)
        peer.expect_served()
        other.expect_served()
        expect(other.call("primes", {"below": 1000}) == {"primes": 168}, "work beside work is done wrong")
        for identifier in (waiting, working):
            peer.cancel(identifier)
            peer.expect_code(identifier, CANCELLED)
        free_of_work(handler, other, cancelled=2)


def errors():
    """What is wrong is answered as JSON-RPC says, and the next line is served."""
    without_id = {
        -32700: [b"{", b"nonsense", b'{"a":1,}', b'{"a":01}', b'"\x01"', b"\xff", b'{"a":"\xc3"}', b"{} {}", b"nul",
                 b'{"jsonrpc":"2.0","id":1,"method":"echo","params":[NaN]}', b"[" * 200_000, b"{\"a\":" * 100_000,
                 b"'a'", b'{"jsonrpc":"2.0","id":1,"method":"echo","params":["\\x"]}', b"\xef\xbb\xbf{}", b"{}\x00",
                 b'["\\u12"]', b"[-]", b"[1.]", b"[.5]", b"[+1]", b"[1e]", b"{1:2}", b'{"a" 1}', b"[1 2]", b"[]]"],
        -32600: [b"1", b"null", b'"x"', b"[]", b"{}", b'[{"jsonrpc":"2.0","id":1,"method":"echo"}]',
                 b'{"jsonrpc":"2.0","method":7}', b'{"jsonrpc":"1.0","method":"echo"}',
                 b'{"jsonrpc":"2.0","id":[],"method":"echo"}', b'{"jsonrpc":"2.0","id":{},"method":"echo"}',
                 b'{"jsonrpc":"2.0","id":true,"method":"echo"}', b'{"Jsonrpc":"2.0","Id":1,"Method":"echo"}'],
    }
    with serving() as (_, peer):
        for wanted, texts in without_id.items():
            for text in texts:
                peer.write(text + b"\n")
                found = peer.error_without_id()
                expect(found == wanted, f"{text[:60]} gives {found}, not {wanted}")
                peer.expect_served()
        with_id = [
            (-32600, b'"method":"echo"'), (-32600, b'"jsonrpc":2.0,"method":"echo"'), (-32600, b'"jsonrpc":"2.0"'),
            (-32600, b'"jsonrpc":"2.0","method":null'), (-32600, b'"jsonrpc":"2.0","method":"echo","params":7'),
            (-32600, b'"jsonrpc":"2.0","method":"echo","params":"x"'), (-32601, b'"jsonrpc":"2.0","method":"nothing"'),
            (-32601, b'"jsonrpc":"2.0","method":""'), (-32601, b'"jsonrpc":"2.0","method":"__init__"'),
            (-32601, b'"jsonrpc":"2.0","method":"constructor"'), (-32601, b'"jsonrpc":"2.0","method":"$/cancelRequest"'),
            (-32603, b'"jsonrpc":"2.0","method":"crash"'), (-32603, b'"jsonrpc":"2.0","method":"crash","params":[1]'),
        ]
        for method, params in (("sleep", ("{}", "[]", '{"ms":-1}', '{"ms":"1"}', '{"ms":3600001}', '{"ms":1.5}',
                                          '{"ms":true}', '{"ms":null}', '[1]', '{"MS":1}')),
                               ("primes", ("{}", '{"below":100000001}', '{"below":-1}', '{"below":[]}')),
                               ("fail", ("{}", '{"code":"1","message":"a"}', '{"code":1}', '{"code":1,"message":2}',
                                         '{"code":1.5,"message":"a"}'))):
            with_id += [(-32602, f'"jsonrpc":"2.0","method":"{method}","params":{text}'.encode()) for text in params
                        ] + [(-32602, f'"jsonrpc":"2.0","method":"{method}"'.encode())]
        for place, (wanted, text) in enumerate(with_id):
            identifier = f"wrong-{place}"
            peer.open.add(f'"{identifier}"')
            peer.write(b'{"id":"%s",%s}\n' % (identifier.encode(), text))
            found = peer.code(identifier)
            expect(found == wanted, f"{text} gives {found}, not {wanted}")
            peer.expect_served()


def notifications():
    """A notification is never answered, but what it asks for is done; nor is an answer answered."""
    with serving() as (handler, peer):
        for method, params in (("echo", [1]), ("nothing", None), ("crash", None), ("sleep", {"ms": -1}),
                               ("fail", {"code": 1, "message": "a"}), ("$/unknown", {}), ("primes", {"below": 1000})):
            peer.notify(method, params)
        peer.write(b'{"jsonrpc":"2.0","id":1,"result":1}\n{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}\n')
        peer.expect_served()
        peer.expect_stats(open=1, pieces=10)
        expect(peer.stats()["started"] >= 7, "notifications are not worked on")
        with handler.connect() as other:
            other.notify(*LONG)
            other.notify(*HARD)
            peer.expect_stats(open=3)
        free_of_work(handler, peer, cancelled=2)


# MARK: How it cancels


def cancelled():
    """What waits and what works really stops, and is answered -32800, once."""
    with serving() as (handler, peer):
        for count, (method, params) in enumerate((LONG, HARD), start=1):
            identifier = peer.request(method, params)
            peer.expect_stats(open=2)
            if method == "primes":
                until_working(peer)
            peer.cancel(identifier)
            peer.expect_code(identifier, CANCELLED)
            free_of_work(handler, peer, cancelled=count)
        several = [peer.request(*work) for work in (LONG, HARD) * 10]
        kept = peer.request("primes", {"below": 100_000})
        for identifier in reversed(several):
            peer.cancel(identifier)
        for identifier in several:
            peer.expect_code(identifier, CANCELLED)
        expect(peer.result(kept) == {"primes": 9592}, "what was not cancelled has another result")
        free_of_work(handler, peer, cancelled=22)


def nothing_late():
    """Behind the answer to what was cancelled comes nothing, though its time comes."""
    with serving() as (handler, peer):
        early = [peer.prepare("sleep", {"ms": 500}) for _ in range(10)]
        cancels = [peer.line("$/cancelRequest", {"id": identifier}) for identifier, _ in early]
        peer.write(b"".join([line for _, line in early] + cancels))
        for identifier, _ in early:
            peer.expect_code(identifier, CANCELLED)
        peer.call("sleep", {"ms": 700})
        peer.expect_served()
        free_of_work(handler, peer, cancelled=10)


def before_it_began():
    """A cancel that comes together with its request is heard: the answer is -32800 and nothing runs."""
    with serving() as (handler, peer):
        for method, params in (LONG, HARD) * 3:
            identifier, line = peer.prepare(method, params)
            peer.write(line + peer.line("$/cancelRequest", {"id": identifier}))
            peer.expect_code(identifier, CANCELLED)
        asked = [peer.prepare(*work) for work in (LONG, HARD) * 20]
        peer.write(b"".join(line + peer.line("$/cancelRequest", {"id": identifier}) for identifier, line in asked))
        for identifier, _ in asked:
            peer.expect_code(identifier, CANCELLED)
        free_of_work(handler, peer, cancelled=46)


def harmless():
    """A cancel that comes twice, too late, or for what is not there, changes nothing."""
    with serving() as (handler, peer), handler.connect() as other:
        twice, kept = peer.request(*LONG), peer.request("sleep", {"ms": 3_600_000}, identifier="7")
        cancel = peer.line("$/cancelRequest", {"id": twice})
        peer.write(cancel + cancel)
        peer.expect_code(twice, CANCELLED)
        peer.write(cancel)
        answered = peer.request("echo", [1])
        peer.result(answered)
        other.request(*LONG)
        for params in ({"id": answered}, {"id": 7}, {"id": 999}, {"id": None}, {"id": ["7"]}, {"id": {}}, {"ID": "7"},
                       {}, [], ["7"], None):
            peer.notify("$/cancelRequest", params)
        other.cancel("7")
        peer.write(b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":7}\n')
        expect(peer.error_without_id() == -32600, "params that are a number are none")
        peer.expect_served()
        other.expect_served()
        peer.expect_stats(cancelled=1, open=3)
        peer.cancel("7")
        peer.expect_code(kept, CANCELLED)
        expect(peer.call("echo", [2], identifier="7") == [2], "an id cannot be used again")


def disconnected():
    """A connection that is lost, in whatever way, ends everything that was open on it, and nothing else."""
    with serving() as (handler, peer):
        kept = peer.request(*LONG)
        for count, leave in enumerate((lambda other: other.__exit__(), lambda other: other.reset(),
                                       lambda other: other.socket.shutdown(socket.SHUT_WR),
                                       lambda other: other.write(b'{"jsonrpc"') or other.__exit__()), start=1):
            other = handler.connect()
            for work in (LONG, HARD, LONG):
                other.request(*work)
            other.notify(*HARD)
            peer.expect_stats(open=6)
            leave(other)
            free_of_work_beside(handler, peer, kept=1, cancelled=4 * count)
            other.__exit__()
        peer.cancel(kept)
        peer.expect_code(kept, CANCELLED)
        free_of_work(handler, peer, cancelled=17)


def free_of_work_beside(handler, peer, kept, **members):
    peer.expect_stats(open=1 + kept, **members)
    handler.expect_rest()


def gone_in_the_middle():
    """Answers to somebody who is gone do no harm."""
    with serving() as (handler, peer):
        for _ in range(20):
            other = handler.connect()
            large = {"pad": "x" * 50_000}
            with contextlib.suppress(OSError):
                other.write(b"".join(other.prepare("echo", large)[1] for _ in range(40)))
                other.write(b"".join(other.prepare("sleep", {"ms": ms})[1] for ms in range(20)))
            other.reset()
        peer.expect_served()
        free_of_work(handler, peer)


# MARK: What it bears


def long_lines():
    """A line of 1 MiB is served; one byte more, with or without an end, closes this connection and no other."""
    with serving() as (handler, peer):
        start, end = b'{"jsonrpc":"2.0","id":"l","method":"echo","params":["', b'"]}'
        pad = LINE_LIMIT_BYTES - len(start) - len(end)
        peer.open.add('"l"')
        peer.write(start + b"x" * pad + end + b"\n")
        expect(peer.result("l") == ["x" * pad], "a long line is another")
        for line in (start + b"x" * (pad + 1) + end + b"\n", b"x" * (LINE_LIMIT_BYTES + 2)):
            with handler.connect() as other:
                other.request(*LONG)
                other.expect_served()
                with contextlib.suppress(OSError):
                    other.write(line)
                other.expect_closed()
            peer.expect_served()
        free_of_work(handler, peer, cancelled=2)


def open_requests():
    """So many of a connection are open at once; further ones are refused, and ids that are open, too."""
    with serving() as (handler, peer), handler.connect() as other:
        asked = [peer.prepare(*LONG) for _ in range(OPEN_LIMIT)]
        peer.write(b"".join(line for _, line in asked))
        other.expect_stats(open=OPEN_LIMIT + 1)
        for method, params in (LONG, ("echo", [1])):
            peer.expect_code(peer.request(method, params), REFUSED)
        peer.notify(*LONG)
        other.expect_served()
        peer.cancel(asked[500][0])
        peer.expect_code(asked[500][0], CANCELLED)
        expect(peer.call("echo", [1]) == [1], "echo changes [1]")
        again = asked[0][0]
        peer.write(peer.line("echo", [1], id=again))
        message = peer.read()
        expect(message["id"] == again and message.get("error", {}).get("code") == -32600, f"{message}: an id twice")
        peer.cancel(again)
        peer.expect_code(again, CANCELLED)
        other.expect_stats(open=OPEN_LIMIT - 1, cancelled=2)


def unread():
    """Who does not read his answers is not listened to any more, so that they do not pile up; others are."""
    with serving() as (handler, peer), handler.connect() as other:
        line = peer.line("echo", {"pad": "x" * 100_000}, id=0)
        written = []

        def flood():
            # A handler that is gone, or never reads again, is found out by what it does not answer.
            with contextlib.suppress(OSError):
                for n in range(FLOOD_BYTES // len(line)):
                    peer.write(peer.line("echo", {"pad": "x" * 100_000}, id=n))
                    written.append(n)

        writer = threading.Thread(target=flood, daemon=True)
        writer.start()

        def is_stuck():
            expect(writer.is_alive(), "everything was taken though no answer was read")
            before = len(written)
            return all(handler.is_asleep() for _ in range(100)) and len(written) == before
        eventually(is_stuck, "nothing more is taken")
        other.expect_served()
        peer.open = {str(n) for n in range(FLOOD_BYTES // len(line))}
        for n in range(FLOOD_BYTES // len(line)):
            peer.result(n)
        writer.join(PATIENCE_SECONDS)
        peer.expect_served()


# MARK: How it ends


def is_refused(address):
    """Whether nobody is served at that address any more."""
    try:
        with Peer(address) as peer:
            peer.write(peer.line("echo", id=1))
            return peer.read() is None
    except OSError:
        return True


def terminated():
    """SIGTERM: nothing new is taken, what is open may end, what takes too long is cancelled, and the status is 0."""
    with serving() as (handler, peer):
        handler.terminate()
        peer.expect_closed()
        handler.expect_end()
    with serving() as (handler, peer):
        asked = [peer.request(*work) for work in (LONG, HARD)]
        short = peer.request("sleep", {"ms": 1000})
        # What is answered came behind them: all three have begun.
        peer.expect_served()
        handler.terminate()
        eventually(lambda: is_refused(handler.address), "new connections are refused")
        message = peer.answer(peer.request("echo"))
        expect(message.get("error", {}).get("code") == REFUSED, f"something new was taken: {message}")
        expect(peer.result(short) == {"ms": 1000}, "what was open has another result")
        for identifier in asked:
            peer.expect_code(identifier, CANCELLED)
        peer.expect_closed()
        handler.expect_end()


def unix_socket():
    """The same over a Unix socket, which is removed at the end, and replaced if it was left behind."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "handler.sock")
        with serving("--unix", path) as (handler, peer):
            expect(handler.address == f"unix:{path}", f"{handler.address} was printed")
            peer.expect_served()
            identifier = peer.request(*HARD)
            until_working(peer)
            peer.cancel(identifier)
            peer.expect_code(identifier, CANCELLED)
            free_of_work(handler, peer, cancelled=1)
        expect(os.path.exists(path), "what is killed removes nothing")
        with serving("--unix", path) as (handler, peer):
            peer.expect_served()
            handler.terminate()
            peer.expect_closed()
            handler.expect_end()
        expect(not os.path.exists(path), "the socket is left behind")
        pathlib.Path(path).write_text("mine")
        expect_no_start("--unix", path)
        expect(pathlib.Path(path).read_text() == "mine", "a file was overwritten")


def expect_no_start(*options):
    ended = subprocess.run([*Handler.words, *options], stdin=subprocess.DEVNULL, text=True, timeout=PATIENCE_SECONDS,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect(ended.returncode > 0 and ended.stdout == "" and 0 < ended.stderr.count("\n") <= 10,
           f"{options}: status {ended.returncode}, {ended.stdout!r}, {ended.stderr!r}")


def not_started():
    """What cannot be listened on, or is no option, is said on standard error, in a few lines."""
    with serving() as (handler, _):
        expect_no_start("--port", handler.address.rsplit(":", 1)[1])
    for options in (["--port", "x"], ["--port", "65536"], ["--port", "-1"], ["--port"], ["--nothing"], ["--unix"],
                    ["--unix", "/nowhere/handler.sock"]):
        expect_no_start(*options)


CHECKS = (answers, lines, no_blocking, errors, notifications, cancelled, nothing_late, before_it_began, harmless,
          disconnected, gone_in_the_middle, long_lines, open_requests, unread, terminated, unix_socket, not_started)
