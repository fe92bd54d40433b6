"""A JSON-RPC client on a plain socket, one JSON text per line."""
import json
import socket

PATIENCE_SECONDS = 30


class Caller:
    """Sends requests by ids of its own and gives each its reply."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE_SECONDS)
        self.lines = self.socket.makefile("rb")
        self.replies = {}
        self.last = 0

    def send(self, method, params, key=None, policy=None):
        self.last += 1
        request = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        if key is not None:
            request["task"] = {"key": key, "policy": policy or "cancel"}
        self.write(request)
        return self.last

    def cancel(self, number):
        self.write({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}})

    def write(self, message):
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def reply(self, number):
        while number not in self.replies:
            line = self.lines.readline()
            if not line:
                raise AssertionError(f"the gateway closed the connection before it answered {number}")
            message = json.loads(line)
            self.replies[message["id"]] = message
        return self.replies[number]

    def code(self, number):
        """The code of the error that was the answer; nothing if it was a result."""
        return self.reply(number).get("error", {}).get("code")
