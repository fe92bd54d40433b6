"""Certificates that open no door: of another authority, expired, their own, unknown, or none at all."""
import ssl

from access import CERTIFICATE, context, read_line, secured
from scene import attack
from wire import request

# Each by the name of its file; none: it shows none. Who they would be if they were let in stands in them.
WRONG = ["stranger", "expired", "self", "odd-stranger", None]
ASKS = request(1, "echo", ["let in"])


def answered(scene, certificate, version):
    """What somebody hears who comes with it."""
    terms = context(certificate, version)
    # Neither side may be the first to refuse: the gateway's word is what counts.
    terms.check_hostname, terms.verify_mode = False, ssl.CERT_NONE
    try:
        with secured(scene.connect(), terms) as client:
            client.sendall(ASKS)
            return read_line(client)
    except OSError:
        return b""


def tries(scene, certificates):
    scene.begin()
    while not scene.is_finished:
        number = scene.counts["tried"]
        version = (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)[number // len(certificates) % 2]
        yield certificates[number % len(certificates)], version
        scene.counts["tried"] += 1


def foreign(scene):
    for certificate, version in tries(scene, WRONG):
        if line := answered(scene, certificate, version):
            scene.blame(f"who came with {certificate or 'no certificate'} was answered {line!r}")


@attack("certificates-foreign", door=CERTIFICATE, newcomers=True, reaches=("tried",))
def certificates_foreign(scene):
    """Certificates of another authority, expired, self-made, or none, where one is required: nobody is answered"""
    foreign(scene)


@attack("certificates-unknown", door=CERTIFICATE, newcomers=True, reaches=("tried", "-32087"))
def certificates_unknown(scene):
    """Certificates that are good, of nobody who may come: asked who they are, and not served"""
    for certificate, version in tries(scene, ["nobody", "odd"]):
        line = answered(scene, certificate, version)
        scene.counts["-32087"] += b":-32087," in line
        if b'"result"' in line:
            scene.blame(f"who came with {certificate} was answered {line!r}")


# Whether the suite finds what it is for: here the other authority is trusted, too.
@attack("weak-authority", door=CERTIFICATE, succeeds_by="fault", seconds=1.5,
        configuration={"listen": {"authority": "both-authorities"}})
def weak_authority(scene):
    """The same, where the listener trusts the other authority"""
    foreign(scene)
