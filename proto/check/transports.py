"""Plays a client of a transcript over WebSocket or by POSTs, and says which transcripts are for them. Standard library.

A line of a client is a text message, or the content of a POST; a client's POSTs name one session. The replies to POSTs
come over connections of their own, so they may come in any order.
"""
import base64
import collections
import hashlib
import http.client
import os
import queue
import secrets
import socket
import struct
import threading

NAMES = ("lines", "websocket", "post")
PING = '{"jsonrpc":"2.0","id":"taken up?","method":"lastword.ping"}'

OF_BYTES = "it is about bytes that are no text, or about where lines end"
OF_HEADERS = "it is about headers with `Content-Length`"
OF_THE_END = "its client sends no more, and still reads: a Close or the end of a POST takes back"

# What is otherwise there, by the transcript's name.
OTHERWISE = {
    "websocket": {},
    "post": {
        "05-cancelAndWait": "its requests come at once; between POSTs the first of them may have ended",
        "33-authenticate": "each POST says in a field of its own who it is from",
    },
}


def reason_against(transport, name, steps):
    """Why a transcript is not for a transport; None if it is."""
    if transport == "lines":
        return None
    lines = [step for step in steps if hasattr(step, "form")]
    forms = collections.Counter(step.form for step in lines)
    if any(step.form == "E" and step.is_sent for step in lines):
        return OF_THE_END
    # Some clients of a transcript about bytes use such headers as well, and the other way round.
    if forms["C"] and forms["C"] >= forms["B"]:
        return OF_HEADERS
    if forms["B"] or forms["H"]:
        return OF_BYTES
    if forms["E"]:
        return OF_THE_END
    return OTHERWISE[transport].get(name)


def dial(address, seconds):
    if address.startswith("unix:"):
        connected = socket.socket(socket.AF_UNIX)
        connected.settimeout(seconds)
        connected.connect(address[len("unix:"):])
        return connected
    host, port = address.rsplit(":", 1)
    connected = socket.create_connection((host.strip("[]"), int(port)), timeout=seconds)
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connected


class WebSocket:
    """A client over a WebSocket (RFC 6455)."""

    GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
    form = ""
    has_finished = False
    in_order = True

    def __init__(self, address, seconds):
        self.socket = dial(address, seconds)
        self.buffer, self.unsent = b"", b""
        key = base64.b64encode(os.urandom(16))
        self.socket.sendall(
            b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %b\r\n\r\n" % key)
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        accepted = base64.b64encode(hashlib.sha1(key + self.GUID).digest())
        if not head.startswith(b"HTTP/1.1 101 ") or accepted not in head:
            raise OSError(f"no WebSocket came about: {head[:80]!r}")

    def say(self, step):
        self.unsent += self.frame(self.TEXT, step.text.encode())

    def flush(self):
        unsent, self.unsent = self.unsent, b""
        self.socket.sendall(unsent)

    def frame(self, opcode, content):
        mask = os.urandom(4)
        count = len(content)
        if count < 126:
            length = bytes([0x80 | count])
        elif count < 1 << 16:
            length = b"\xfe" + struct.pack(">H", count)
        else:
            length = b"\xff" + struct.pack(">Q", count)
        masks = (mask * (count // 4 + 1))[:count]
        masked = (int.from_bytes(content, "big") ^ int.from_bytes(masks, "big")).to_bytes(count, "big")
        return bytes([0x80 | opcode]) + length + mask + masked

    def receive(self):
        """The next message; None at the end."""
        text = b""
        while True:
            first, second = self.take(2)
            opcode, count = first & 15, second & 127
            if count > 125:
                count = int.from_bytes(self.take(2 if count == 126 else 8), "big")
            content = self.take(count)
            if opcode == self.CLOSE:
                return None
            if opcode == self.PING:
                self.socket.sendall(self.frame(self.PONG, content))
            elif opcode != self.PONG:
                text += content
                if first & 128:
                    return text.decode()

    def take(self, count):
        while len(self.buffer) < count:
            self.fill()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def fill(self):
        try:
            chunk = self.socket.recv(1 << 16)
        except socket.timeout:
            raise OSError("nothing came") from None
        if not chunk:
            raise OSError("the connection ended without a Close")
        self.buffer += chunk

    def close(self):
        self.socket.close()


class Posts:
    """A client that sends each of its messages by a POST; all of them are of one session."""

    form = ""
    has_finished = False
    in_order = False

    def __init__(self, address, seconds):
        self.address, self.seconds = address, seconds
        self.session = secrets.token_urlsafe(24)
        # What came, and what is wrong with a response.
        self.heard = queue.Queue()
        self.waiting = []
        self.sockets = []
        self.unsent = []

    def say(self, step):
        self.unsent.append(step.text)

    def flush(self):
        unsent, self.unsent = self.unsent, []
        for text in unsent:
            threading.Thread(target=self.listen, args=(self.post(text, self.session),), daemon=True).start()
            # The next one is to come behind it.
            self.await_taken_up()

    def post(self, text, session):
        connected = dial(self.address, self.seconds)
        self.sockets.append(connected)
        content = text.encode()
        connected.sendall(
            b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nLastword-Session: %b\r\n"
            b"Content-Length: %d\r\n\r\n%b" % (session.encode(), len(content), content))
        return connected

    def await_taken_up(self):
        self.content(self.post(PING, secrets.token_urlsafe(24)))

    def listen(self, connected):
        try:
            content = self.content(connected)
            if content:
                self.heard.put(content)
        except (OSError, http.client.HTTPException):
            # It was given up at the transcript's end; else the reply is missing.
            pass

    @staticmethod
    def content(connected):
        response = http.client.HTTPResponse(connected)
        response.begin()
        return response.read().decode().rstrip("\n")

    def receive(self, is_wanted):
        """The first that came and is wanted; another one stays. None: nothing is wanted of what there is."""
        while True:
            for place, text in enumerate(self.waiting):
                if is_wanted(text):
                    return self.waiting.pop(place)
            try:
                self.waiting.append(self.heard.get(timeout=self.seconds))
            except queue.Empty:
                return None

    def left(self):
        """What came and nobody wanted."""
        self.await_taken_up()
        while not self.heard.empty():
            self.waiting.append(self.heard.get())
        return self.waiting

    def close(self):
        for connected in self.sockets:
            connected.close()
