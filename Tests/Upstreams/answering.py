"""What a handler answers, to what is right and to what is wrong."""
from peer import expect
from scene import CANCELLED, HARD, LONG, free_of_work, serving, until_working

WITHOUT_ID = {
    -32700: [b"{", b"nonsense", b'{"a":1,}', b'{"a":01}', b'"\x01"', b"\xff", b'{"a":"\xc3"}', b"{} {}", b"nul",
             b'{"jsonrpc":"2.0","id":1,"method":"echo","params":[NaN]}', b"[" * 200_000, b"{\"a\":" * 100_000,
             b"'a'", b'{"jsonrpc":"2.0","id":1,"method":"echo","params":["\\x"]}', b"\xef\xbb\xbf{}", b"{}\x00",
             b'["\\u12"]', b"[-]", b"[1.]", b"[.5]", b"[+1]", b"[1e]", b"{1:2}", b'{"a" 1}', b"[1 2]", b"[]]"],
    -32600: [b"1", b"null", b'"x"', b"[]", b"{}", b'[{"jsonrpc":"2.0","id":1,"method":"echo"}]',
             b'{"jsonrpc":"2.0","method":7}', b'{"jsonrpc":"1.0","method":"echo"}',
             b'{"jsonrpc":"2.0","id":[],"method":"echo"}', b'{"jsonrpc":"2.0","id":{},"method":"echo"}',
             b'{"jsonrpc":"2.0","id":true,"method":"echo"}', b'{"Jsonrpc":"2.0","Id":1,"Method":"echo"}'],
}
WITH_ID = [
    (-32600, '"method":"echo"'),
    (-32600, '"jsonrpc":2.0,"method":"echo"'),
    (-32600, '"jsonrpc":"2.0"'),
    (-32600, '"jsonrpc":"2.0","method":null'),
    (-32600, '"jsonrpc":"2.0","method":"echo","params":7'),
    (-32600, '"jsonrpc":"2.0","method":"echo","params":"x"'),
    (-32601, '"jsonrpc":"2.0","method":"nothing"'),
    (-32601, '"jsonrpc":"2.0","method":""'),
    (-32601, '"jsonrpc":"2.0","method":"__init__"'),
    (-32601, '"jsonrpc":"2.0","method":"constructor"'),
    (-32601, '"jsonrpc":"2.0","method":"$/cancelRequest"'),
    (-32603, '"jsonrpc":"2.0","method":"crash"'),
    (-32603, '"jsonrpc":"2.0","method":"crash","params":[1]'),
    (-32603, '"jsonrpc":"2.0","method":"abandon"'),
    (-32603, '"jsonrpc":"2.0","method":"fail","params":{"code":-32800,"message":"cancelled"}'),
]
WRONG_PARAMS = {
    "sleep": ["{}", "[1]", '{"ms":-1}', '{"ms":"1"}', '{"ms":3600001}', '{"ms":1.5}', '{"ms":true}', '{"ms":null}',
              '{"MS":1}'],
    "primes": ["{}", '{"below":100000001}', '{"below":-1}', '{"below":[]}'],
    "fail": ["{}", '{"code":"1","message":"a"}', '{"code":1}', '{"code":1,"message":2}', '{"code":1.5,"message":"a"}'],
}


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


def large_ids():
    """An id that the language cannot hold is refused, never answered as another."""
    with serving() as (_, peer):
        for identifier in (2**53 + 1, -(2**53) - 1, 10**30):
            peer.write(peer.line("echo", id=identifier))
            message = peer.message()
            is_refused = message["id"] is None and message.get("error", {}).get("code") == -32600
            expect(message["id"] == identifier or is_refused, f"{identifier} is answered by {message}")
        peer.write(b'{"jsonrpc":"2.0","id":1e400,"method":"echo"}\n')
        message = peer.message()
        expect("error" in message or "result" in message and message["id"] == float("inf"), f"1e400: {message}")
        peer.expect_served()


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
    wrong = WITH_ID + [(-32602, f'"jsonrpc":"2.0","method":"{method}"{params}')
                       for method, several in WRONG_PARAMS.items()
                       for params in ["", *(f',"params":{params}' for params in several)]]
    with serving() as (_, peer):
        for wanted, texts in WITHOUT_ID.items():
            for text in texts:
                peer.write(text + b"\n")
                found = peer.error_without_id()
                expect(found == wanted, f"{text[:60]} gives {found}, not {wanted}")
                peer.expect_served()
        for place, (wanted, text) in enumerate(wrong):
            identifier = f"wrong-{place}"
            peer.open.add(f'"{identifier}"')
            peer.write(f'{{"id":"{identifier}",{text}}}\n'.encode())
            found = peer.code(identifier)
            expect(found == wanted, f"{text} gives {found}, not {wanted}")
            peer.expect_served()
        peer.expect_stats(open=1, cancelled=0)


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


CHECKS = (answers, large_ids, lines, no_blocking, errors, notifications)
