"""A gateway that is spoken to under TLS and asks who comes, and what takes TLS off what comes to a contrary server."""
import asyncio
import contextlib
import os
import pathlib
import queue
import ssl
import subprocess
import tempfile
import threading

CERTIFICATES = pathlib.Path(__file__).parent.parent.parent / "examples/tls/certificates.sh"
PRINCIPAL = "ada"


class Scene:
    """An authority, another that nobody knows, and a token with what is kept of it."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        for name in ("known", "unknown"):
            subprocess.run(["sh", CERTIFICATES, self.directory / name], check=True, stdout=subprocess.DEVNULL)
        made = subprocess.run([os.environ["LASTWORD_BINARY"], "token"], check=True, capture_output=True, text=True)
        _, self.token, _, self.kept, _, _ = (line.strip() for line in made.stdout.splitlines())

    def file(self, name, authority="known"):
        return str(self.directory / authority / name)

    def configuration(self, *addresses, kept=None):
        """Of a gateway that listens there, in the same file each time. It knows the token, or what is kept of another."""
        listener = '[[listen]]\naddress = "%s"\nauth = "required"\ntls = { certificate = "%s", key = "%s" }\n'
        text = "".join(listener % (address, self.file("server.pem"), self.file("server.key")) for address in addresses)
        path = self.directory / "lastword.toml"
        path.write_text(f'{text}[[principal]]\nname = "{PRINCIPAL}"\n{kept or self.kept}\n')
        return str(path)

    def environment(self, token=None, authority="known"):
        """Of a client that trusts that authority, and has that token, which is the right one if nothing is said."""
        return {"LASTWORD_CA": self.file("ca.pem", authority), "LASTWORD_TOKEN": self.token if token is None else token}


@contextlib.contextmanager
def scene():
    with tempfile.TemporaryDirectory() as directory:
        yield Scene(directory)


class Relay:
    """Takes TLS off what comes, and passes it on to HOST:PORT, both ways, and no faster than it is read there."""

    def __init__(self, target, certificate, key):
        self.host, _, self.port = target.rpartition(":")
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.context.load_cert_chain(certificate, key)
        ready = queue.Queue()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.serve(ready)), daemon=True)
        self.thread.start()
        self.address = ready.get()

    async def serve(self, ready):
        self.loop, self.ending = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self.pass_on, "127.0.0.1", 0, ssl=self.context)
        ready.put("127.0.0.1:%d" % server.sockets[0].getsockname()[1])
        await self.ending.wait()
        server.close()

    async def pass_on(self, reader, writer):
        # At its end they are cancelled, and nobody asks for them.
        with contextlib.suppress(OSError, asyncio.CancelledError):
            there, back = await asyncio.open_connection(self.host, self.port)
            await asyncio.gather(self.copy(reader, back), self.copy(there, writer))

    async def copy(self, reader, writer):
        # Whatever ends one way ends the other.
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        writer.close()

    def close(self):
        self.loop.call_soon_threadsafe(self.ending.set)
        self.thread.join()
