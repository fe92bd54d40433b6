#!/usr/bin/env python3
"""Lists what is in each package, with its version and how it is linked, in the form of CycloneDX.

    python3 packaging/contents.py DIRECTORY PROGRAMS CHECKOUTS

DIRECTORY has the packages. PROGRAMS has the two programs, Package.resolved as they were built with, and the list of
the archives inside the portable one; CHECKOUTS the sources of the Swift packages, for their licences.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

from linkage import is_of_c_library, needed_libraries

LOADED = "loaded when it is needed"
# What a library is called by those who wrote it, behind the names of its files.
NAMES = {"libuv_a": "libuv", "libgcc_eh": "libgcc", "libgcc_s": "libgcc", "libc": "glibc", "libm": "glibc",
         "libssl": "openssl", "libcrypto": "openssl"}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def component(name, version, linkage, **more):
    return {"type": "library", "bom-ref": f"{name} {linkage}", "name": name, "version": version, **more,
            "properties": [{"name": "lastword:linkage", "value": linkage}]}


def license_of(checkout):
    text = next(checkout.glob("LICENSE*")).read_text()
    if "MIT License" in text:
        return {"license": {"id": "MIT"}}
    if "Runtime Library Exception" in text:
        return {"expression": "Apache-2.0 WITH Swift-exception"}
    return {"license": {"id": "Apache-2.0"}} if "Apache License" in " ".join(text.split()) else None


def swift_packages(resolved, checkouts):
    for pin in json.loads(resolved.read_text())["pins"]:
        address, state = pin["location"].removesuffix(".git"), pin["state"]
        name = address.rsplit("/", 1)[1]
        found = license_of(checkouts / name)
        yield component(
            name, state["version"], "static", purl=f"pkg:swift/{address.split('://')[1]}@{state['version']}",
            externalReferences=[{"type": "vcs", "url": address, "comment": f"revision {state['revision']}"}],
            **({"licenses": [found]} if found else {}))


def swift_library(version):
    """Swift's own library and Foundation, which come with the compiler."""
    return component("swift", version, "static", purl=f"pkg:github/swiftlang/swift@swift-{version}-RELEASE",
                     licenses=[{"expression": "Apache-2.0 WITH Swift-exception"}])


def owner(path):
    """The Debian package that a file of this system belongs to; it may be known by its place before /usr was merged."""
    real = os.path.realpath(path)
    for name in [real, path, real.removeprefix("/usr"), path.removeprefix("/usr")]:
        found = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(": ")[0]
    sys.exit(f"error: no Debian package has {path}")


def of_system(path, linkage):
    package, version, architecture = output(
        "dpkg-query", "--show", "--showformat=${Package} ${Version} ${Architecture}", owner(path)).split()
    file = os.path.basename(path).split(".")[0]
    name = "glibc" if is_of_c_library(os.path.basename(path)) else NAMES.get(file, file)
    return component(name, version, linkage,
                     purl=f"pkg:deb/debian/{package}@{version.replace('+', '%2B')}?arch={architecture}")


def shared_libraries(program):
    places = {line.split()[0]: line.split(" => ")[1].split()[0] if " => " in line else line.split()[0]
              for line in map(str.strip, output("ldd", str(program)).splitlines())}
    for name in needed_libraries(program):
        yield of_system(next(path for library, path in places.items() if library.endswith(name)), "dynamic")


def inside_each(programs, checkouts, said):
    """By the ending of a package's name, what is in its program or used by it."""
    inside = [*swift_packages(programs / "Package.resolved", checkouts), swift_library(said["swift"].split()[-1])]
    archives = [of_system(path, "static") for path in (programs / "archives").read_text().split()]
    portable = [*inside, *archives, *shared_libraries(programs / "portable"),
                *(component(name, said[name], LOADED, scope="optional") for name in ["libcurl", "openssl"])]
    return {".tar.gz": portable, ".whl": portable, ".deb": [*inside, *shared_libraries(programs / "system")]}


def package(path, version):
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"type": "file", "bom-ref": path.name, "name": path.name, "version": version,
            "hashes": [{"alg": "SHA-256", "content": content}]}


def document(directory, programs, checkouts):
    first, *lines = output(programs / "system", "--version").splitlines()
    said = dict(line.split(": ", 1) for line in lines)
    version = first.split()[1]
    lastword = {
        "type": "application", "bom-ref": "lastword", "name": "lastword", "version": version,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "properties": [{"name": "lastword:revision", "value": said["revision"]}]}
    inside = inside_each(programs, checkouts, said)
    packages = {path: inside[ending] for path in sorted(directory.iterdir()) for ending in inside
                if path.name.endswith(ending)}
    libraries = {part["bom-ref"]: part for parts in packages.values() for part in parts}
    needs = [{"ref": path.name, "dependsOn": sorted({part["bom-ref"] for part in parts})}
             for path, parts in packages.items()]
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    return version, {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": lastword},
        "components": [*(package(path, version) for path in packages), *libraries.values()],
        "dependencies": [{"ref": "lastword", "dependsOn": [path.name for path in packages]}, *needs]}


def main(directory, programs, checkouts):
    version, bill = document(pathlib.Path(directory), pathlib.Path(programs), pathlib.Path(checkouts))
    # Of the same content always the same number.
    bill["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(bill))}"
    text = json.dumps(bill, indent=2) + "\n"
    (pathlib.Path(directory) / f"lastword-{version}.cdx.json").write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
