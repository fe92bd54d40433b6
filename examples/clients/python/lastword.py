"""A minimal client of lastword, to be imported. Python 3.9 and newer alone.

    gateway = await lastword.connect("127.0.0.1", 5278)
    await gateway.call("search", {"q": "swift"}, task={"key": "search:tab-1", "policy": "cancel"})

Under TLS, and to a gateway that asks who comes:

    gateway = await lastword.connect("gateway.example", 5280, tls=True, ca="ca.pem")
    await gateway.authenticate(os.environ["LASTWORD_TOKEN"])
"""
import asyncio
import itertools
import json
import ssl

LONGEST_LINE = 1 << 26


class RPCError(Exception):
    """What came instead of a result."""

    def __init__(self, error):
        super().__init__(f"{error['code']} {error['message']}")
        self.code, self.data = error["code"], error.get("data")

    @property
    def is_unwanted(self):
        """Superseded or cancelled: nothing to show to anybody."""
        return self.code in (-32080, -32800)

    @property
    def may_have_run(self):
        """The gateway says that upstream got the request, and may have done the work."""
        return isinstance(self.data, dict) and self.data.get("upstream") in ("cancelSent", "mayHaveCompleted")


async def connect(host="127.0.0.1", port=5278, framed=False, tls=False, ca=None):
    """Messages stand on a line each, or, framed, behind a header with their Content-Length.

    With TLS the certificate has to be for that host, and from an authority in the file `ca`, or else one that the system
    trusts; ssl.SSLCertVerificationError says that it is not.
    """
    context = ssl.create_default_context(cafile=ca) if tls else None
    return Gateway(*await asyncio.open_connection(host, port, limit=LONGEST_LINE, ssl=context), framed)


class Gateway:
    def __init__(self, reader, writer, framed):
        self.reader, self.writer, self.framed = reader, writer, framed
        self.ids, self.open = itertools.count(1), {}
        self.listening = asyncio.ensure_future(self.listen())

    async def authenticate(self, token):
        """Says who this is, before anything else; an RPCError if the gateway does not know the token."""
        await self.call("lastword.authenticate", {"token": token})

    async def call(self, method, params=None, task=None):
        """The result. Whoever cancels the waiting cancels upstream's work, too."""
        if self.listening.done():
            raise ConnectionError("the connection to lastword has ended")
        number, answer = next(self.ids), asyncio.get_running_loop().create_future()
        self.open[number] = answer
        self.send(id=number, method=method, params=params, task=task)
        try:
            return await answer
        except asyncio.CancelledError:
            self.send(method="$/cancelRequest", params={"id": number})
            raise
        finally:
            self.open.pop(number, None)

    def send(self, **members):
        message = {"jsonrpc": "2.0", **{name: value for name, value in members.items() if value is not None}}
        body = json.dumps(message).encode()
        self.writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) if self.framed else body + b"\n")

    async def receive(self):
        if not self.framed:
            return await self.reader.readuntil(b"\n")
        header = await self.reader.readuntil(b"\r\n\r\n")
        return await self.reader.readexactly(int(header.split(b":")[1]))

    async def listen(self):
        try:
            while True:
                message = json.loads(await self.receive())
                answer = self.open.get(message.get("id"))
                if answer is None or answer.done():
                    continue
                if message.get("error") is None:
                    answer.set_result(message.get("result"))
                else:
                    answer.set_exception(RPCError(message["error"]))
        except Exception:
            pass  # Behind what is no message nothing is to be trusted.
        finally:
            self.writer.close()
            for answer in self.open.values():
                if not answer.done():
                    answer.set_exception(ConnectionError("the connection to lastword has ended"))

    def close(self):
        self.listening.cancel()
