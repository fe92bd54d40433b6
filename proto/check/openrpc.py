#!/usr/bin/env python3
"""Writes what is made from the schemas: the components of proto/openrpc.json, and the Swift file that holds it.

    openrpc.py            writes both
    openrpc.py --check    only says whether they are as they would be written; status 1 if not
"""
import json
import pathlib
import re
import sys

PROTO = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = PROTO / "openrpc.json"
SWIFT = PROTO.parent / "Sources/GatewayCore/Edge/Methods/OpenRPCDocument.swift"
# OpenRPC knows the schemas by their titles; the keywords are those that draft 7, which it speaks, has too.
STRANGE_KEYWORDS = {"$schema", "$id"}


def component(value, titles):
    """A schema file's content as a component: without what makes it a file, its references turned inwards."""
    if isinstance(value, list):
        return [component(item, titles) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: f"#/components/schemas/{titles[item]}" if name == "$ref" else component(item, titles)
        for name, item in value.items() if name not in STRANGE_KEYWORDS}


def references(value):
    """The components that a part of the document refers to."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].removeprefix("#/components/schemas/")
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from references(item)


def reachable(components, methods):
    """The components that the methods need, in the order of the schemas' files."""
    wanted, open_ = set(), list(references(methods))
    while open_:
        title = open_.pop()
        if title in components and title not in wanted:
            wanted.add(title)
            open_ += references(components[title])
    return {title: schema for title, schema in components.items() if title in wanted}


def document():
    files = {path.name: json.loads(path.read_text()) for path in sorted(PROTO.glob("schemas/*.json"))}
    titles = {name: schema["title"] for name, schema in files.items()}
    components = {titles[name]: component(schema, titles) for name, schema in files.items()}
    whole = json.loads(DOCUMENT.read_text())
    # The data of errors is described for reading only: no method refers to it.
    roots = [whole["methods"], {"$ref": "ErrorData"}]
    whole["components"]["schemas"] = reachable(components, roots)
    return whole


def swift(whole):
    line = json.dumps(whole, separators=(",", ":"), ensure_ascii=True)
    pounds = "#" * (1 + max([0] + [len(run) for run in re.findall(r'"(#+)', line)]))
    return (
        "import JSONRPC\n\n"
        "/// Holds what `rpc.discover` answers: `proto/openrpc.json` in one line, as `scripts/openrpc` wrote it here.\n"
        "enum OpenRPCDocument {\n"
        "  static let bytes: [UInt8] = {\n"
        "    var bytes: [UInt8] = []\n"
        "    bytes.append(text)\n"
        "    return bytes\n"
        "  }()\n\n"
        "  // swift-format-ignore\n"
        f"  private static let text: StaticString = {pounds}\"{line}\"{pounds}\n"
        "}\n")


def main():
    whole = document()
    wanted = {DOCUMENT: json.dumps(whole, indent=2) + "\n", SWIFT: swift(whole)}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if sys.argv[1:] == ["--check"]:
            print(f"{path.relative_to(PROTO.parent)} is not what scripts/openrpc writes")
        else:
            path.write_text(wanted[path])
    return 1 if stale and sys.argv[1:] == ["--check"] else 0


if __name__ == "__main__":
    sys.exit(main())
