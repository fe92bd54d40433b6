"""Messages of JSON-RPC as they go over pipes: framed by Content-Length, or one on each line."""
import json


class Headers:
    """The base protocol of language servers; what an editor asks again and again has routes."""

    has_routes = True

    @staticmethod
    def framed(body):
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    @staticmethod
    def bodies(stream):
        while True:
            length = None
            while (line := stream.readline()).strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not line:
                return
            if length is None:
                raise ValueError("a header without Content-Length")
            body = stream.read(length)
            if len(body) < length:
                return
            yield body


class Lines:
    """The transport of the Model Context Protocol over standard input and output; nothing supersedes anything."""

    has_routes = False

    @staticmethod
    def framed(body):
        return body + b"\n"

    @staticmethod
    def bodies(stream):
        for line in stream:
            if line.strip():
                yield line


def encoded(message):
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode()


def normal(value):
    """The text of a value by which two of them are compared; the order of an object's members does not count."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def is_request(message):
    return "method" in message and "id" in message


def is_answer(message):
    return "method" not in message
