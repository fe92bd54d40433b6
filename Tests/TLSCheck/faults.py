#!/usr/bin/env python3
"""Servers and gateways whose TLS has a fault each, and reports that are incomplete; check.py has to find each.

    faults.py PROGRAM
"""
import contextlib
import pathlib
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading
import warnings

import check

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Faults"))
from share import share  # noqa: E402

EVERY_CIPHER = "ALL:eNULL:@SECLEVEL=0"
CERTIFICATE, PROTOCOLS, CIPHERS = ["--server-defaults"], ["--protocols"], ["--std"]
OF_CERTIFICATE = "cert_signatureAlgorithm cert_keySize cert_trust cert_chain_of_trust cert_expirationStatus".split()
OF_PROTOCOLS = "SSLv2 SSLv3 TLS1_2 TLS1_3".split()
OF_CIPHERS = "cipherlist_NULL cipherlist_aNULL cipherlist_EXPORT cipherlist_LOW".split()
EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1"


def openssl(directory, *words):
    subprocess.run(["openssl", *map(str, words)], cwd=directory, check=True, capture_output=True)


def given(made, extensions=NAMES, days=check.PAPER_DAYS, key=EC, digest="-sha256"):
    """Another certificate of the same authority in the server's place."""
    (made / "fault.txt").write_text(extensions + "\n")
    openssl(made, "req", "-new", *key, "-nodes", "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "fault.csr")
    openssl(made, "x509", "-req", "-in", "fault.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
            days, digest, "-extfile", "fault.txt", "-out", "server.pem")


def foreign(made):
    """The server's certificate is its own authority's, and nobody else's."""
    openssl(made, "req", "-x509", *EC, "-nodes", "-days", check.PAPER_DAYS, "-subj", "/CN=localhost", "-addext", NAMES,
            "-keyout", "server.key", "-out", "server.pem")


class Page(socketserver.BaseRequestHandler):
    def handle(self):
        with contextlib.suppress(OSError):
            self.request.settimeout(5)
            with self.server.terms.wrap_socket(self.request, server_side=True) as client:
                client.recv(1 << 16)
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


@contextlib.contextmanager
def server(made, lowest=ssl.TLSVersion.TLSv1_2, highest=ssl.TLSVersion.TLSv1_3, ciphers="DEFAULT:@SECLEVEL=0"):
    """A server in the gateway's place, which takes what the gateway does not; gives its port."""
    terms = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with warnings.catch_warnings():
        # What is old is what some of these are for.
        warnings.simplefilter("ignore", DeprecationWarning)
        terms.minimum_version, terms.maximum_version = lowest, highest
    terms.set_ciphers(ciphers)
    terms.load_cert_chain(made / "server.pem", made / "server.key")
    with Server(("127.0.0.1", 0), Page) as listening:
        listening.terms = terms
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield listening.server_address[1]
        listening.shutdown()


def of_gateway(options, required, make):
    """What is said of a gateway with papers that were bent so."""
    def judge(program, directory, made):
        make(made)
        tls = {"certificate": made / "server.pem", "key": made / "server.key"}
        with check.gateway(program, directory, tls) as port:
            return check.complaints(check.scan(port, made / "ca.pem", *options), required, [])
    return judge


def of_server(options, required, absent=(), make=lambda made: None, **terms):
    def judge(program, directory, made):
        make(made)
        with server(made, **terms) as port:
            return check.complaints(check.scan(port, made / "ca.pem", *options), required, absent)
    return judge


def half_a_scan(program, directory, made):
    """testssl.sh looks at protocols alone, and nobody asked it to."""
    tls = {"certificate": made / "server.pem", "key": made / "server.key"}
    with check.gateway(program, directory, tls) as port:
        return check.complaints(check.scan(port, made / "ca.pem", *PROTOCOLS))


def ended_early(program, directory, made):
    tls = {"certificate": made / "server.pem", "key": made / "server.key"}
    with check.gateway(program, directory, tls) as port:
        return check.complaints(check.scan(port, made / "ca.pem", seconds=2))


def nobody(program, directory, made):
    """Nothing listens there any more."""
    with server(made) as port:
        pass
    return check.complaints(check.scan(port, made / "ca.pem"))


def sha1(made):
    given(made, key=["-newkey", "rsa:2048"], digest="-sha1")


def short_key(made):
    given(made, key=["-newkey", "rsa:1024"])


# What is wrong then, what makes and judges it, and the beginning of what is found.
FAULTS = [
    ("its certificate is for no name", of_gateway(
        CERTIFICATE, OF_CERTIFICATE, lambda made: given(made, "basicConstraints=CA:FALSE")), "cert_trust "),
    ("its certificate is another machine's", of_gateway(
        CERTIFICATE, OF_CERTIFICATE, lambda made: given(made, "subjectAltName=DNS:other.example")), "cert_trust "),
    ("its certificate soon ends", of_gateway(
        CERTIFICATE, OF_CERTIFICATE, lambda made: given(made, days=3)), "cert_expirationStatus "),
    ("nobody vouches for its certificate", of_gateway(CERTIFICATE, OF_CERTIFICATE, foreign), "cert_chain_of_trust "),
    ("its key is short", of_server(CERTIFICATE, OF_CERTIFICATE, make=short_key), "cert_keySize "),
    ("its certificate is signed by SHA-1", of_server(CERTIFICATE, OF_CERTIFICATE, make=sha1),
     "cert_signatureAlgorithm "),
    ("it takes TLS 1.0 and 1.1", of_server(PROTOCOLS, OF_PROTOCOLS, ["TLS1", "TLS1_1"], lowest=ssl.TLSVersion.TLSv1,
                                           ciphers=EVERY_CIPHER), "TLS1: not found to be missing"),
    ("it has no TLS 1.3", of_server(PROTOCOLS, OF_PROTOCOLS, highest=ssl.TLSVersion.TLSv1_2),
     "TLS1_3: not found to be OK"),
    ("it takes ciphers that encrypt nothing", of_server(
        CIPHERS, OF_CIPHERS, highest=ssl.TLSVersion.TLSv1_2, ciphers=EVERY_CIPHER), "cipherlist_NULL "),
    ("it takes ciphers without a certificate", of_server(
        CIPHERS, OF_CIPHERS, highest=ssl.TLSVersion.TLSv1_2, ciphers="ALL:@SECLEVEL=0"), "cipherlist_aNULL "),
    ("testssl.sh looks at half of it", half_a_scan, "cipherlist_NULL: not found to be OK"),
    ("testssl.sh comes to no end", ended_early, "testssl.sh ended with "),
    ("nobody listens", nobody, "testssl.sh ended with "),
]


def said(program, judge):
    with tempfile.TemporaryDirectory() as place:
        directory = pathlib.Path(place)
        try:
            return list(judge(program, directory, check.papers(directory / "certificates")))
        except check.Failed as failure:
            return [" ".join(str(failure).split())]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program, all_found, chosen = pathlib.Path(sys.argv[1]).resolve(), True, share(FAULTS)
    for name, judge, words in chosen:
        found = [one for one in said(program, judge) if one.startswith(words)]
        all_found = all_found and bool(found)
        print(f"{'found' if found else 'NOT FOUND'}: {name}: {found[0] if found else 'nothing was said'}", flush=True)
    if not all_found:
        sys.exit("error: a fault was not found")
    print(f"{len(chosen)} faults found")


if __name__ == "__main__":
    main()
