"""Who comes to a gateway that asks who one is: principals, their tokens, and how each of them gets in."""
import hashlib
import secrets
import ssl

from certificates import certificates
from wire import connect, text

# How a listener lets clients in: all of them; by a token; by a token under TLS; by a certificate.
OPEN, TOKEN, TLS, CERTIFICATE = "open", "token", "tls", "certificate"
# The honest client, who comes anew beside it, who attacks, and others of whom some attacks tell.
HONEST, NEWCOMER, ATTACKER, OTHER = "honest", "newcomer", "attacker", "other"
# Each run has its own; those who are forked from it know them.
TOKENS = {name: f"lw_{secrets.token_urlsafe(32)}" for name in (HONEST, NEWCOMER, ATTACKER, OTHER)}


def digest(token):
    return f"sha256:{hashlib.sha256(token.encode()).hexdigest()}"


def principal(name, **more):
    return {"name": name, "tokens": [digest(TOKENS[name])], "certificates": [f"subject:CN={name}"], **more}


PRINCIPALS = [principal(name) for name in TOKENS]
# What docs/access.md recommends where clients are strangers.
QUOTAS = {"connections": 20, "tasks": 500, "payloadBytes": 8 << 20, "requestsPerSecond": 1000,
          "supersessionsPerSecond": 500, "cancelsPerSecond": 500}
BOUNDED = [principal(name, **QUOTAS) for name in TOKENS]


def listener(door, authority="authority", **more):
    """The block of the configuration that lets clients in by such a door."""
    block = {"address": "127.0.0.1:0"}
    if door != OPEN:
        block["auth"] = "required"
    if door in (TLS, CERTIFICATE):
        made = certificates()
        block["tls"] = {"certificate": [str(made / "server.pem"), str(made / "second.pem")],
                        "key": [str(made / "server.key"), str(made / "second.key")]}
    if door == CERTIFICATE:
        block["tls"] |= {"clientCA": str(made / f"{authority}.pem"), "requireClientCertificate": True}
    return {**block, **more}


def log_in(token, id=0):
    return b'{"jsonrpc":"2.0","id":%b,"method":"lastword.authenticate","params":{"token":%b}}\n' % (
        text(id), text(token))


def context(certificate=None, version=None):
    """What a client under TLS speaks: it trusts nobody but the authority of this run."""
    made = certificates()
    terms = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    terms.load_verify_locations(made / "authority.pem")
    if certificate:
        terms.load_cert_chain(made / f"{certificate}.pem", made / f"{certificate}.key")
    if version:
        terms.minimum_version = terms.maximum_version = version
    return terms


def secured(client, terms, name="localhost"):
    """The same connection under TLS. One that fails is closed."""
    try:
        return terms.wrap_socket(client, server_hostname=name)
    except OSError:
        client.close()
        raise


def read_line(client):
    """What comes up to the next line break, or as far as it came."""
    line = b""
    while not line.endswith(b"\n"):
        data = client.recv(1)
        if not data:
            break
        line += data
    return line


class NotLetIn(OSError):
    """Who had a right to come in was refused."""


def enter(port, door, name, receive_bytes=None, token=None):
    """A connection of this principal, which can ask at once; it may have another token."""
    client = connect(port, receive_bytes)
    if door in (TLS, CERTIFICATE):
        client = secured(client, context(name if door == CERTIFICATE else None))
    if door in (TOKEN, TLS):
        client.sendall(log_in(token or TOKENS[name]))
        answer = read_line(client)
        if b'"result":{"principal":"%b"}' % name.encode() not in answer:
            client.close()
            raise NotLetIn(f"{name} was answered {answer!r}")
    return client
