#!/usr/bin/env python3
"""A client with jsonrpcclient, which makes and reads messages and leaves the connection to its user.

    python3 with_jsonrpcclient.py HOST:PORT

Its requests are dictionaries, so that the member task can be added to them.
"""
import json
import socket
import sys

from jsonrpcclient import Ok, notification, parse, request


def show(what, saw):
    print(json.dumps({what: saw}), flush=True)


def outcome(response):
    return response.result if isinstance(response, Ok) else response.code


def main(host, port):
    connection = socket.create_connection((host, int(port)))
    stream = connection.makefile("rw", encoding="utf-8", newline="\n")

    def send(message):
        stream.write(json.dumps(message) + "\n")
        stream.flush()

    def receive():
        return parse(json.loads(stream.readline()))

    def call(message):
        send(message)
        return receive()

    show("request", outcome(call(request("echo", {"text": "é"}))))
    show("error", outcome(call(request("nothing"))))

    send([request("echo", ["first"]), notification("echo", ["silent"]), request("nothing")])
    show("batch", sorted([response.id, outcome(response)] for response in receive()))

    task = {"task": {"key": "box", "policy": "cancel"}}
    older = request("sleep", {"ms": 60000})
    send(older | task)
    send(request("echo", ["newest"]) | task)
    replies = {response.id: outcome(response) for response in (receive(), receive())}
    show("superseded by a request", replies.pop(older["id"]))
    show("newest", list(replies.values()))

    send(request("sleep", {"ms": 60000}) | task)
    send(notification("echo", ["silent"]) | task)
    show("superseded by a notification", outcome(receive()))

    older = request("sleep", {"ms": 60000})
    send(older)
    send(notification("$/cancelRequest", {"id": older["id"]}))
    show("cancelled", outcome(receive()))

    # Without a member of its own: the route takes the key from the params, or the wrapper carries the task.
    send(request("sleep", {"ms": 60000, "key": "route"}))
    send(notification("sleep", {"ms": 0, "key": "route"}))
    show("superseded through the route", outcome(receive()))
    wrapped = {"method": "sleep", "params": {"ms": 60000}, "task": {"key": "box"}}
    send(request("lastword.call", wrapped))
    send(notification("lastword.call", wrapped | {"params": {"ms": 0}}))
    show("superseded through lastword.call", outcome(receive()))

    stream.close()
    connection.close()


if __name__ == "__main__":
    main(*sys.argv[1].rsplit(":", 1))
