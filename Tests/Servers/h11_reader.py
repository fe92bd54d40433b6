"""Reads streams of HTTP requests with h11. Each line of standard input is one of them, in hexadecimal digits; what became
of it is one line of JSON: [[METHOD, TARGET, [[NAME, VALUE]...], CONTENT]...] and "more", "closed" or "fault: WHY".
"""
import json
import sys

import h11


def text(value):
    return value.decode("utf-8", "replace")


def requests(stream):
    connection = h11.Connection(h11.SERVER)
    connection.receive_data(stream)
    found, content = [], b""
    while True:
        try:
            event = connection.next_event()
        except h11.RemoteProtocolError as error:
            return found, f"fault: {error}"
        if event is h11.NEED_DATA:
            return found, "more"
        if event is h11.PAUSED:
            return found, "closed"
        if isinstance(event, h11.Request):
            head, content = event, b""
        elif isinstance(event, h11.Data):
            content += event.data
        elif isinstance(event, h11.EndOfMessage):
            fields = [[text(name), text(value)] for name, value in head.headers]
            found.append([text(head.method), text(head.target), fields, content.hex()])
            connection.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
            connection.send(h11.EndOfMessage())
            if connection.our_state is not h11.DONE:
                return found, "closed"
            connection.start_next_cycle()


for line in sys.stdin:
    found, end = requests(bytes.fromhex(line))
    print(json.dumps([found, end]), flush=True)
