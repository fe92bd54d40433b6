"""Tokens that must not count, each with the word by which the gateway's operator is told why."""
import hashlib
import hmac
import json
import time

from issuers import HOUR_SECONDS, ISSUER, OTHER_ISSUER, claims, keys, text

KIB = 1024
# Of the group of Ed25519: a signature and the same with this added must not both be right (RFC 8032, section 5.1.7).
ORDER = 2**252 + 27742317777372353535851937790883648493
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def secret(data):
    return lambda signed: hmac.new(data, signed, hashlib.sha256).digest()


def constant(data):
    return lambda signed: data


def altered(token, part, change):
    parts = token.split(".")
    parts[part] = change(parts[part])
    return ".".join(parts)


def added(key):
    """A signature by Ed25519, its second number beyond the order of the group."""
    def sign(signed):
        data = key.sign(signed)
        return data[:32] + (int.from_bytes(data[32:], "little") + ORDER).to_bytes(32, "little")
    return sign


def next_character(part):
    """The bits that belong to no byte are others."""
    return part[:-1] + ALPHABET[ALPHABET.index(part[-1]) + 1]


def algorithms(ours):
    """By another algorithm than the key's: by none, and with what everybody knows for a secret."""
    ed, ec, rsa = ours["ed"], ours["ec"], ours["rsa"]
    for name in ("none", "None", "NONE", "", "HS256", "ES256", "RS256", "PS256", "ES384", "eddsa"):
        yield f"alg {name!r}", ed.token(claims(), {"alg": name, "kid": "ed"}), "algorithm"
    yield "alg none, unsigned", ed.token(claims(), {"alg": "none", "kid": "ed"}, constant(b"")), "algorithm"
    for key in (ed, ec, rsa):
        for kind, data in (("DER", key.public), ("JWK", json.dumps(key.members).encode())):
            forged = key.token(claims(), {"alg": "HS256", "kid": key.id}, secret(data))
            yield f"HS256 with the public {key.id} as {kind} for its secret", forged, "algorithm"
    yield "RS256 with the id of the EC key", rsa.token(claims(), {"alg": "RS256", "kid": "ec"}), "algorithm"
    yield "ES256 with the id of the RSA key", ec.token(claims(), {"alg": "ES256", "kid": "rsa"}), "algorithm"
    yield "no alg", ed.token(claims(), {"kid": "ed"}), "claim"
    yield "alg that is no string", ed.token(claims(), {"alg": ["EdDSA"], "kid": "ed"}), "claim"


def signatures(ours, foreign, strange):
    """By another key, of something else, or in another form."""
    for key in strange.values():
        yield f"by a stranger's {key.id}", key.token(claims()), "signature"
        for name, value in (("jwk", key.members), ("jku", "https://evil.example"), ("x5u", "https://evil.example"),
                            ("x5c", ["AA"])):
            header = {"alg": key.algorithm, "kid": key.id, name: value}
            yield f"by a stranger's {key.id}, with {name}", key.token(claims(), header), "signature"
    for key in ours.values():
        size = 256 if key.id == "rsa" else 64
        for name, data in (("no", b""), ("zero", bytes(size)), ("one", bytes(size - 1) + b"\1"),
                           ("full", b"\xff" * size), ("short", b"\1"), ("long", bytes(size + 1))):
            yield f"{name} signature of {key.id}", key.token(claims(), sign=constant(data)), "signature"
        forged = altered(key.token(claims()), 1, lambda _: text(json.dumps(claims("honest")).encode()))
        yield f"another payload of {key.id}", forged, "signature"
    ec, ed = ours["ec"], ours["ed"]
    yield "ES256 in DER", ec.token(claims(), sign=ec.signature), "signature"
    yield "EdDSA beyond the order", ed.token(claims(), sign=added(ed)), "signature"
    yield "by another issuer's key of that id", foreign["ed"].token(claims()), "signature"
    yield "by another issuer's key", foreign["lone"].token(claims()), "unknown key"
    yield "as another issuer's", ed.token(claims(iss=OTHER_ISSUER)), "signature"
    for name in ("", "ED", "ed\0", "../../ed", "' OR 1=1 --", "x" * 4 * KIB):
        yield f"kid {name[:20]!r}", ed.token(claims(), {"alg": "EdDSA", "kid": name}), "unknown key"
    yield "no kid", ed.token(claims(), {"alg": "EdDSA"}), "unknown key"
    yield "kid that is no string", ed.token(claims(), {"alg": "EdDSA", "kid": 1}), "claim"


def said(key):
    """Rightly signed, and over, not begun, for others, or not said in full."""
    for name in ("iss", "aud", "sub", "exp"):
        yield f"without {name}", key.token(claims(without=name)), "claim"
    for name in ("https://evil.example", ISSUER + "/", ISSUER.upper(), ""):
        yield f"iss {name!r}", key.token(claims(iss=name)), "issuer"
    for name in ("others", "Lastword", "", ["others", "lastword.example"], []):
        yield f"aud {name!r}", key.token(claims(aud=name)), "audience"
    now = int(time.time())
    for end in (0, 1, now - HOUR_SECONDS, now - 5):
        yield f"exp {end}", key.token(claims(exp=end)), "expired"
    yield "nbf in an hour", key.token(claims(nbf=now + HOUR_SECONDS)), "not yet valid"
    for end in (str(now + HOUR_SECONDS), -1, 1e300, True, None, [now + HOUR_SECONDS], 10**30):
        yield f"exp {end!r}"[:30], key.token(claims(exp=end)), "claim"
    for name in ("", "x" * 256, "a b", "a\nb", "\u00e4", 7, None, ["attacker"]):
        yield f"sub {name!r}"[:30], key.token(claims(sub=name)), "claim"


def forms(key):
    """In ways that two readers would read differently, or that take one long."""
    alike = b'{"alg":"EdDSA","kid":"ed"}'
    for name, data in (("empty", b""), ("cut", alike[:-1]), ("an array", b"[" + alike + b"]"),
                       ("UTF-16", b"\xff\xfe{\0"), ("two objects", alike * 2),
                       ("deep", b'{"a":' + b"[" * 2000 + b"]" * 2000 + b"}"),
                       ("full of brackets", b"[" * 8 * KIB)):
        yield f"a header that is {name}", key.token(claims(), data), "malformed"
        yield f"claims that are {name}", key.token(data), "malformed"
    yield "alg twice", key.token(claims(), b'{"alg":"none","kid":"ed","alg":"EdDSA"}'), "repeated member"
    twice = json.dumps(claims()).encode()[:-1]
    yield "sub twice", key.token(twice + b',"sub":"honest"}'), "repeated member"
    yield "sub twice, once escaped", key.token(twice + b',"\\u0073ub":"honest"}'), "repeated member"
    for value in (["b64"], ["exp"], [], None):
        header = {"alg": "EdDSA", "kid": "ed", "crit": value, "b64": False}
        yield f"crit {value}", key.token(claims(), header), "critical extension"
    for kind in ("logout+jwt", "JOSE", ""):
        yield f"typ {kind!r}", key.token(claims(), {"alg": "EdDSA", "kid": "ed", "typ": kind}), "type"
    token = key.token(claims())
    for part in range(3):
        for name, change in (("padding", lambda one: one + "="), ("a space", lambda one: one + " "),
                             ("a line's end", lambda one: one + "\n"), ("no base64url", lambda one: "+/" + one)):
            yield f"{name} in part {part}", altered(token, part, change), "malformed"
    yield "bits that belong to no byte", altered(token, 2, next_character), "malformed"
    yield "five parts", token + ".AA.AA", "unknown token"
    yield "two parts", token.rpartition(".")[0], "unknown token"
    yield "in another form", json.dumps({"payload": token.split(".")[1], "signatures": []}), "unknown token"
    large = {"alg": "EdDSA", "kid": "ed", "x": "x" * 8 * KIB}
    yield "a header of 8 KiB, wrongly signed", key.token(claims(), large, constant(bytes(64))), "signature"


def forgeries():
    """All of them: what is wrong, the token, the word."""
    ours, foreign, strange = keys("login"), keys("other"), keys("strangers")
    return [*algorithms(ours), *signatures(ours, foreign, strange), *said(ours["ed"]), *forms(ours["ed"])]
