"""Issuers of a run: the keys that they publish, those that strangers have, and the tokens that either sign."""
import base64
import ctypes
import functools
import json
import time
from ctypes import byref, c_char_p, c_int, c_size_t, c_void_p
from dataclasses import dataclass
from pathlib import Path

NAME, ISSUER, AUDIENCE, OTHER_ISSUER = "login", "https://login.example", "lastword", "https://other.example"
# Whose keys they are, each by its id. Strangers need none for RSA, which takes long to make: any number will do.
OWNED = {"login": ["ed", "ec", "rsa"], "other": ["ed", "lone"], "strangers": ["ed", "ec"]}
KINDS = {"ed": ("ED25519", None, "EdDSA"), "lone": ("ED25519", None, "EdDSA"), "ec": ("EC", b"P-256", "ES256"),
         "rsa": ("RSA", None, "RS256")}
HOUR_SECONDS = 3600
FUNCTIONS = {
    "EVP_PKEY_CTX_new_from_name": (c_void_p, [c_void_p, c_char_p, c_char_p]), "EVP_PKEY_CTX_free": (None, [c_void_p]),
    "EVP_PKEY_keygen_init": (c_int, [c_void_p]), "EVP_PKEY_CTX_set_group_name": (c_int, [c_void_p, c_char_p]),
    "EVP_PKEY_generate": (c_int, [c_void_p, c_void_p]), "i2d_PUBKEY": (c_int, [c_void_p, c_void_p]),
    "EVP_MD_CTX_new": (c_void_p, []), "EVP_MD_CTX_free": (None, [c_void_p]), "EVP_sha256": (c_void_p, []),
    "EVP_DigestSignInit": (c_int, [c_void_p] * 5),
    "EVP_DigestSign": (c_int, [c_void_p, c_char_p, c_void_p, c_char_p, c_size_t])}


@functools.cache
def library():
    """OpenSSL's functions for keys, which the gateway needs in this version, too."""
    loaded = ctypes.CDLL("libcrypto.so.3")
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


def right(result):
    if not result or result < 0:
        raise OSError("OpenSSL made no key, or did not sign")
    return result


def text(data):
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def spelled(value):
    """What is no text yet, as JSON."""
    return value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode()


@dataclass
class Key:
    """A pair of keys."""
    id: str
    kind: str
    handle: int
    algorithm: str

    @property
    def public(self):
        """Its public half (RFC 5280, `SubjectPublicKeyInfo`)."""
        size = right(library().i2d_PUBKEY(self.handle, None))
        data = ctypes.create_string_buffer(size)
        library().i2d_PUBKEY(self.handle, byref(c_void_p(ctypes.addressof(data))))
        return data.raw

    @property
    def members(self):
        """As its issuer publishes it (RFC 7517); behind an RSA modulus stands the exponent, in five bytes."""
        data = self.public
        if self.kind == "RSA":
            return {"kty": "RSA", "kid": self.id, "n": text(data[-261:-5]), "e": "AQAB"}
        if self.kind == "EC":
            return {"kty": "EC", "crv": "P-256", "kid": self.id, "x": text(data[-64:-32]), "y": text(data[-32:])}
        return {"kty": "OKP", "crv": "Ed25519", "kid": self.id, "x": text(data[-32:])}

    def signature(self, signed):
        """As OpenSSL writes it: of ECDSA that is DER."""
        context, size = right(library().EVP_MD_CTX_new()), c_size_t(1024)
        data = ctypes.create_string_buffer(size.value)
        digest = None if self.kind == "ED25519" else library().EVP_sha256()
        right(library().EVP_DigestSignInit(context, None, digest, None, self.handle))
        right(library().EVP_DigestSign(context, data, byref(size), signed, len(signed)))
        library().EVP_MD_CTX_free(context)
        return data.raw[:size.value]

    def sign(self, signed):
        """As a token has it."""
        data = self.signature(signed)
        if self.kind != "EC":
            return data
        end = 4 + data[3]
        return b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in (data[4:end], data[end + 2:]))

    def token(self, claims, header=None, sign=None):
        """In the compact form (RFC 7515, section 7.1)."""
        header = {"alg": self.algorithm, "kid": self.id} if header is None else header
        signed = f"{text(spelled(header))}.{text(spelled(claims))}".encode()
        return f"{signed.decode()}.{text((sign or self.sign)(signed))}"


@functools.cache
def key(owner, id):
    """Made once; who is forked from this process later has the same."""
    kind, group, algorithm = KINDS[id]
    context, handle = right(library().EVP_PKEY_CTX_new_from_name(None, kind.encode(), None)), c_void_p()
    right(library().EVP_PKEY_keygen_init(context))
    if group:
        right(library().EVP_PKEY_CTX_set_group_name(context, group))
    right(library().EVP_PKEY_generate(context, byref(handle)))
    library().EVP_PKEY_CTX_free(context)
    return Key(id, kind, handle.value, algorithm)


def keys(owner):
    """All of its, by their ids."""
    return {id: key(owner, id) for id in OWNED[owner]}


def claims(subject="attacker", lasting=HOUR_SECONDS, without=None, **more):
    """What a token that counts says, unless it is told something else."""
    said = {"iss": ISSUER, "aud": AUDIENCE, "sub": subject, "exp": int(time.time() + lasting), **more}
    said.pop(without, None)
    return said


def owned(owner):
    return [(owner, id) for id in OWNED[owner]]


def block(name=NAME, **more):
    """An issuer as the configuration has it; the stage makes a file of its keys, each by its owner and its id."""
    address = OTHER_ISSUER if name == "other" else ISSUER
    return {"name": name, "issuer": address, "audience": AUDIENCE, "keys": owned(name), "leewayMs": 0, **more}


def publish(path, names):
    """The file of keys, all at once."""
    found = [key(*name).members for name in names]
    new = Path(path).with_suffix(".new")
    new.write_text(json.dumps({"keys": found}))
    new.replace(path)


def published(issuers, directory):
    """The same blocks, each with the file that it names."""
    blocks = []
    for issuer in issuers:
        path = directory / f"{issuer['name']}.jwks"
        publish(path, issuer["keys"])
        blocks.append({**issuer, "keys": str(path)})
    return blocks
