"""Certificates of a run: those of its authority, and those that must not open a door. openssl makes them, once."""
import atexit
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from processes import Failed

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
# What would forge a line of a log, move a cursor, end a string.
ODD = 'x\n{"level":"forged","message":"forged"}\r\x1b[31m"\\'
# Name of the file: who vouches for it, its subject, for how many days (-1: it has expired), other names.
WANTED = {
    "server": ("authority", "localhost", 2, "DNS:localhost,IP:127.0.0.1"),
    "second": ("authority", "second.example", 2, "DNS:second.example"),
    "honest": ("authority", "honest", 2, None),
    "newcomer": ("authority", "newcomer", 2, None),
    "attacker": ("authority", "attacker", 2, None),
    "nobody": ("authority", "nobody", 2, None),
    "odd": ("authority", ODD, 2, None),
    "expired": ("authority", "honest", -1, None),
    "stranger": ("stranger-authority", "honest", 2, None),
    "odd-stranger": ("stranger-authority", ODD, 2, None),
}


def openssl(directory, *words):
    done = subprocess.run(["openssl", *map(str, words)], cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"openssl {words[0]}: {done.stderr}")


def authority(directory, name):
    openssl(directory, "req", "-x509", *KEY, "-days", 2, "-subj", f"/CN={name}", "-addext",
            "keyUsage=critical,keyCertSign,cRLSign", "-keyout", f"{name}.key", "-out", f"{name}.pem")


def give(directory, name, issuer, subject, days, names):
    escaped = subject.replace("\\", "\\\\")
    openssl(directory, "req", "-new", *KEY, "-utf8", "-subj", f"/CN={escaped}", "-keyout", f"{name}.key",
            "-out", f"{name}.csr")
    extensions = directory / f"{name}.txt"
    extensions.write_text(f"subjectAltName={names}\n" if names else "basicConstraints=CA:FALSE\n")
    openssl(directory, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key",
            "-CAcreateserial", "-days", days, "-extfile", extensions, "-out", f"{name}.pem")


@functools.cache
def certificates():
    """The directory in which they are, until this process ends; those forked from it share it."""
    directory, maker = Path(tempfile.mkdtemp(prefix="lastword-attack-")), os.getpid()

    def remove():
        if os.getpid() == maker:
            shutil.rmtree(directory, ignore_errors=True)

    atexit.register(remove)
    for name in ("authority", "stranger-authority"):
        authority(directory, name)
    for name, wanted in WANTED.items():
        give(directory, name, *wanted)
    # One that vouches for itself alone.
    openssl(directory, "req", "-x509", *KEY, "-days", 2, "-subj", "/CN=honest", "-keyout", "self.key", "-out",
            "self.pem")
    both = [(directory / f"{name}.pem").read_text() for name in ("authority", "stranger-authority")]
    (directory / "both-authorities.pem").write_text("".join(both))
    return directory
