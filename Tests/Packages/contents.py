#!/usr/bin/env python3
"""Checks the list of contents that lies beside the packages: its form, and what it says.

    python3 Tests/Packages/contents.py DIRECTORY PACKAGE_RESOLVED
"""
import hashlib
import json
import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def linkage(component):
    return next((each["value"] for each in component.get("properties", []) if each["name"] == "lastword:linkage"), None)


def main(directory, resolved):
    directory = pathlib.Path(directory)
    text = next(directory.glob("lastword-*.cdx.json")).read_text()
    if fault := JsonStrictValidator(SchemaVersion.V1_5).validate_str(text):
        sys.exit(f"error: it is no CycloneDX: {fault}")
    bill = json.loads(text)
    components = {component["bom-ref"]: component for component in bill["components"]}
    needs = {each["ref"]: [components[ref] for ref in each["dependsOn"]] for each in bill["dependencies"]}
    packages = [path for path in directory.iterdir() if path.suffix in {".gz", ".deb", ".whl"}]
    pins = {(pin["location"].rsplit("/", 1)[1], pin["state"]["version"]): "static"
            for pin in json.loads(pathlib.Path(resolved).read_text())["pins"]}
    assert len(packages) == 3 and len(pins) > 3
    for path in packages:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert components[path.name]["hashes"] == [{"alg": "SHA-256", "content": digest}], path.name
        inside = needs[path.name]
        linked = {(part["name"], part["version"]): linkage(part) for part in inside}
        assert pins.items() <= linked.items(), (path.name, linked)
        by_name = {part["name"]: linkage(part) for part in inside}
        own = path.suffix == ".deb"
        expected = {
            "swift": "static", "glibc": "dynamic", "libuv": "dynamic" if own else "static",
            "libstdc++": "dynamic" if own else "static", **{name: "dynamic" if own else "loaded when it is needed" for name in ["libcurl", "openssl"]}}
        assert expected.items() <= by_name.items(), (path.name, by_name)
    print(f"detail: {len(components)} components")


if __name__ == "__main__":
    main(*sys.argv[1:])
