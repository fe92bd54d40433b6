#!/usr/bin/env python3
"""Makes a wheel with the program in it, so that pip and uv put it beside those of Python packages.

    python3 packaging/wheel.py TREE VERSION DIRECTORY

TREE is what the tarball holds. The wheel says which C library it needs by what the program asks of it, and the same
files make the same bytes.
"""
import base64
import hashlib
import os
import pathlib
import platform
import sys
import time
import zipfile

from linkage import c_library, is_of_c_library, needed_libraries

NAME = "lastword"
# Comes with the C library, which ends threads by it.
EVERYWHERE = {"libgcc_s.so.1"}
METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: A JSON-RPC gateway in which the latest request has the last word
Keywords: json-rpc,lsp,language-server,mcp,gateway
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Swift
License-Expression: Apache-2.0
License-File: LICENSE
License-File: copyright
Description-Content-Type: text/markdown

{description}"""
WHEEL = """\
Wheel-Version: 1.0
Generator: lastword {version}
Root-Is-Purelib: false
Tag: {tag}
"""


def tag(program):
    foreign = [name for name in needed_libraries(program) if not is_of_c_library(name) and name not in EVERYWHERE]
    if foreign:
        sys.exit(f"error: {program} needs {', '.join(foreign)}, which not every system has")
    return f"py3-none-manylinux_{'_'.join(map(str, c_library(program)))}_{platform.machine()}"


class Wheel:
    """The archive, and the list of what is in it."""

    def __init__(self, path, information):
        day = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.date, self.list, self.rows = day, f"{information}/RECORD", []

    def put(self, name, content, mode=0o644):
        entry = zipfile.ZipInfo(name, self.date)
        entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100000 | mode) << 16
        self.archive.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.rows.append(f"{name},sha256={digest},{len(content)}")

    def close(self):
        self.put(self.list, "\n".join([*self.rows, f"{self.list},,", ""]).encode())
        self.archive.close()


def main(tree, version, directory):
    tree = pathlib.Path(tree)
    program, documents = tree / "bin" / NAME, tree / "share/doc" / NAME
    name, data, information = tag(program), f"{NAME}-{version}.data", f"{NAME}-{version}.dist-info"
    description = pathlib.Path(__file__).with_name("python.md").read_text()
    wheel = Wheel(pathlib.Path(directory) / f"{NAME}-{version}-{name}.whl", information)
    wheel.put(f"{data}/scripts/{NAME}", program.read_bytes(), mode=0o755)
    manual = "share/man/man1/lastword.1"
    wheel.put(f"{data}/data/{manual}", (tree / manual).read_bytes())
    wheel.put(f"{information}/METADATA",
              METADATA.format(name=NAME, version=version, description=description).encode())
    wheel.put(f"{information}/WHEEL", WHEEL.format(version=version, tag=name).encode())
    for file in ["LICENSE", "copyright"]:
        wheel.put(f"{information}/licenses/{file}", (documents / file).read_bytes())
    wheel.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
