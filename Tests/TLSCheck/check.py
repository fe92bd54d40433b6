#!/usr/bin/env python3
"""Has testssl.sh look at a gateway's TLS, with and without certificates of clients.

    check.py PROGRAM     fails on a finding that is worse than LOW, and on a test that testssl.sh did not make
"""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CERTIFICATES = pathlib.Path(__file__).resolve().parents[2] / "examples/tls/certificates.sh"
# testssl.sh finds fault with those that end within two months, and with those that last longer than browsers take.
PAPER_DAYS = 90
# On a quiet machine it takes a minute and a half.
MOST_SECONDS = 600
# Everything else that it has a word for is fine, or is LOW.
WORSE = {"WARN", "MEDIUM", "HIGH", "CRITICAL", "FATAL"}
EXCEPTIONS = {
    # Whether openssl beside testssl.sh knows GOST ciphers; the gateway's has none of them.
    "engine_problem",
    # Where an authority publishes what it takes back is its own business, and that of examples/tls is for trying out.
    "cert_revocation",
    # Every other time openssl's client leaves before its ticket of TLS 1.3 has come, and then has none to resume with.
    "sessionresumption_ticket",
}
# Where a certificate is asked for, testssl.sh, which has none, does not get so far. Of renegotiation the attack
# tls-renegotiated knows more; and there is no compression of HTTP, as the gateway that asks for none shows.
BEHIND_CERTIFICATES = {"secure_client_renego", "BREACH"}
# Each must have been looked at, and be OK: else a test that was left out would count as passed.
REQUIRED = """SSLv2 SSLv3 TLS1_2 TLS1_3 cipherlist_NULL cipherlist_aNULL cipherlist_EXPORT cipherlist_LOW PFS
    cipher_order
    cert_signatureAlgorithm cert_keySize cert_trust cert_chain_of_trust cert_expirationStatus heartbleed CCS ticketbleed
    ROBOT secure_renego secure_client_renego CRIME_TLS POODLE_SSL fallback_SCSV SWEET32 FREAK DROWN LOGJAM BEAST LUCKY13
    RC4 BREACH""".split()
# testssl.sh calls these INFO where they are not there, and LOW where they are.
ABSENT = "TLS1 TLS1_1 cipherlist_3DES_IDEA".split()


class Failed(Exception):
    """There is nothing to judge."""


def papers(directory):
    subprocess.run([CERTIFICATES, directory, str(PAPER_DAYS)], check=True, stdout=subprocess.DEVNULL)
    return directory


@contextlib.contextmanager
def gateway(program, directory, tls):
    """A gateway that serves clients under TLS, with such settings; gives its port."""
    file = directory / "lastword.toml"
    lines = [f"{name} = {json.dumps(str(value) if isinstance(value, pathlib.Path) else value)}"
             for name, value in tls.items()]
    file.write_text("\n".join(['[[listen]]', 'address = "127.0.0.1:0"', '[listen.tls]', *lines,
                               '[[upstream]]', 'name = "main"', 'address = "exec:cat"', '']))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LASTWORD_")}
    log = directory / "log"
    with log.open("w") as output, subprocess.Popen([program, "serve", "--config", file], stderr=output,
                                                   env=environment) as process:
        try:
            yield port_of(process, log)
        finally:
            process.kill()


def port_of(process, log):
    while process.poll() is None:
        if found := re.search(r"Listening for JSON-RPC on 127\.0\.0\.1:(\d+)", log.read_text()):
            return int(found[1])
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
    raise Failed(f"the gateway did not start: {log.read_text()}")


def scan(port, authority, *options, seconds=MOST_SECONDS):
    """What testssl.sh finds at this port; with options, what it finds of these alone."""
    program = shutil.which("testssl") or shutil.which("testssl.sh")
    if program is None:
        raise Failed("there is no testssl.sh: scripts/prepare tls installs it")
    with tempfile.TemporaryDirectory() as directory:
        report = pathlib.Path(directory, "report.json")
        # It starts others, which have to end with it.
        words = ["timeout", "--kill-after=5", str(seconds), program, "--quiet", "--color", "0", "--warnings", "batch",
                 "--nodns", "none", "--ip", "127.0.0.1", "--add-ca", str(authority), "--jsonfile", str(report),
                 *options, f"localhost:{port}"]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=directory,
                              check=False)
        # Its status counts findings, and tells of itself from 242 on; 124 and 137 are those of a timeout.
        if done.returncode in (124, 137) or done.returncode >= 242 or not report.exists():
            raise Failed(f"testssl.sh ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
        return json.loads(report.read_text())


def complaints(findings, required=REQUIRED, absent=ABSENT, exceptions=EXCEPTIONS):
    """What is worse than LOW, and what was not looked at."""
    for one in findings:
        if one["severity"] in WORSE and one["id"] not in exceptions:
            yield f"{one['id']} {one['severity']}: {one['finding']}"
    fine = {one["id"] for one in findings if one["severity"] == "OK"}
    missing = {one["id"] for one in findings if one["finding"].startswith("not offered")}
    yield from (f"{id}: not found to be OK" for id in required if id not in fine | exceptions)
    yield from (f"{id}: not found to be missing" for id in absent if id not in missing)


def look(program, name, clients):
    """Looks at one gateway; gives what is wrong, and a line about what it found."""
    with tempfile.TemporaryDirectory() as place:
        directory = pathlib.Path(place)
        made = papers(directory / "certificates")
        tls = {"certificate": made / "server.pem", "key": made / "server.key"}
        if clients:
            tls |= {"clientCA": made / "ca.pem", "requireClientCertificate": True}
        with gateway(program, directory, tls) as port:
            findings = scan(port, made / "ca.pem")
    exceptions = EXCEPTIONS | (BEHIND_CERTIFICATES if clients else set())
    low = [one["id"] for one in findings if one["severity"] == "LOW"]
    accepted = [one["id"] for one in findings if one["severity"] in WORSE and one["id"] in exceptions]
    said = (f"{name}: {len(findings)} findings, {sum(one['severity'] == 'OK' for one in findings)} of them OK; "
            f"LOW: {', '.join(low) or 'none'}; excepted: {', '.join(accepted) or 'none'}")
    return list(complaints(findings, exceptions=exceptions)), said


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = pathlib.Path(sys.argv[1]).resolve()
    kinds = {"without certificates of clients": False, "with certificates of clients": True}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        looks = [pool.submit(look, program, name, clients) for name, clients in kinds.items()]
    is_right = True
    for name, one in zip(kinds, looks):
        wrong, said = one.result()
        print(said)
        for complaint in wrong:
            is_right = False
            print(f"error: {name}: {complaint}")
    if not is_right:
        sys.exit(1)
    print(f"nothing above LOW in {len(kinds)} gateways")


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        sys.exit(f"error: {failure}")
