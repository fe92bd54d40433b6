#!/usr/bin/env python3
"""Checks that what a program takes from libcurl and OpenSSL is in what stands in for them where there are none.

usage: Tests/Packages/stand_ins.py PROGRAM

PROGRAM was built for this machine, and so says by itself what it takes.
"""

import re
import subprocess
import sys
from pathlib import Path

libraries = {"libcurl.c": re.compile(r"curl_"), "openssl.c": re.compile(r"(SSL|TLS|X509|PEM|BIO|EVP|ERR|OPENSSL|CRYPTO|RAND|ASN1|BN|d2i|i2d)_")}


def main(program):
    lines = subprocess.run(["nm", "--dynamic", "--undefined-only", program], check=True, capture_output=True, text=True)
    taken = {re.sub("@.*", "", line.split()[-1]) for line in lines.stdout.splitlines() if line.strip()}
    lacking = []
    for name, prefix in libraries.items():
        names = {symbol for symbol in taken if prefix.match(symbol)}
        if not names:
            lacking.append(f"{program} takes nothing for which {name} stands in")
        words = set(re.findall(r"\w+", Path("packaging", name).read_text()))
        lacking += [f"packaging/{name} lacks {symbol}" for symbol in sorted(names - words)]
    for complaint in lacking:
        print(f"error: {complaint}")
    print(f"detail: {len(taken)} names")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
