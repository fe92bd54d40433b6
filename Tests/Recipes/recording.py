"""What `Tests/Servers/tee.py` has recorded on one side of a gateway."""
import json
import pathlib


class Recording:
    """The messages that went in and out of a program."""

    def __init__(self, directory):
        [received] = pathlib.Path(directory).glob("*.in")
        self.received, self.sent = messages(received), messages(received.with_suffix(".out"))

    def asked(self, method):
        return [message["id"] for message in self.received if message.get("method") == method and "id" in message]

    def heard(self, method):
        return [message for message in self.received if message.get("method") == method]

    def answers(self, method):
        """Those to requests of that method, in the order in which they came."""
        asked = set(self.asked(method))
        return [message for message in self.sent if message.get("id") in asked and "method" not in message]


def messages(path):
    """Those that are there as a whole."""
    data, found = path.read_bytes(), []
    while b"\r\n\r\n" in data:
        header, _, rest = data.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in header.split(b"\r\n"))
        length = int(fields[b"content-length"])
        if len(rest) < length:
            break
        found.append(json.loads(rest[:length]))
        data = rest[length:]
    return found
