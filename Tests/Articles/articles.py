"""Takes the Swift code out of the documentation of LastwordKit, so that it can be compiled and run.

usage: articles.py extract DIRECTORY   each article becomes DIRECTORY/NAME/Sources/NAME/main.swift, with its Package.swift
                                       if it shows one; snippets in comments and docs/swift.md become DIRECTORY/snippets.swift
       articles.py ask ARTICLE PORT    sends the requests that the article shows, and expects the answers that it shows
"""

import glob
import json
import os
import re
import socket
import sys

CATALOGUE = "Sources/LastwordKit/LastwordKit.docc"
PRELUDE = "Tests/Articles/Prelude.swift"
WATCHDOG_SECONDS = 60
LIMIT_BYTES = 1 << 20


def read(path):
    with open(path) as file:
        return file.read()


def blocks(text, language):
    """What stands between fences, with the spaces taken off that all of it is indented by."""
    for indent, block in re.findall(rf"^( *)```{language}\n(.*?)^\1```$", text, re.MULTILINE | re.DOTALL):
        yield re.sub(rf"^{indent}", "", block, flags=re.MULTILINE)


def comments(text):
    return "\n".join(line.strip()[3:].removeprefix(" ") for line in text.splitlines() if line.strip().startswith("///"))


def write(text, *path):
    path = os.path.join(*path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def extract(directory):
    for name in sorted(os.listdir(CATALOGUE)):
        code = list(blocks(read(os.path.join(CATALOGUE, name)), "swift"))
        article = name.removesuffix(".md")
        manifests = [block for block in code if block.startswith("// swift-tools-version")]
        target = article
        if manifests:
            write(manifests[0], directory, article, "Package.swift")
            target = re.search(r'executableTarget\(\s*name: "(.*?)"', manifests[0])[1]
        # A port of the system's choice: that of the article may be taken.
        main = "\n".join(block for block in code if block not in manifests).replace(":5278", ":0")
        write(main, directory, article, "Sources", target, "main.swift")
    snippets = list(blocks(read("docs/swift.md"), "swift"))
    for path in sorted(glob.glob("Sources/LastwordKit/**/*.swift", recursive=True)):
        snippets += blocks(comments(read(path)), "swift")
    functions = []
    for number, snippet in enumerate(snippets):
        body = "\n".join(line for line in snippet.splitlines() if not line.startswith("import "))
        functions.append(f"func snippet{number}() async throws {{\n{body}\n}}\n")
    write(read(PRELUDE) + "\n" + "\n".join(functions), directory, "snippets.swift")
    print(len(snippets))


def ask(article, port):
    lines = [line for block in blocks(read(article), "") for line in block.splitlines() if line.startswith("{")]
    requests = [line for line in lines if "method" in json.loads(line)]
    expected = {line for line in lines if "method" not in json.loads(line)}
    assert requests and len(requests) == len(expected), "as many answers as requests are shown"
    with socket.create_connection(("127.0.0.1", int(port)), timeout=WATCHDOG_SECONDS) as client:
        client.sendall("".join(line + "\n" for line in requests).encode())
        received = b""
        while received.count(b"\n") < len(expected) and len(received) < LIMIT_BYTES:
            if not (chunk := client.recv(65536)):
                break
            received += chunk
    answers = set(received.decode().splitlines())
    if answers != expected:
        sys.exit("error: the article shows other answers:\n" + "\n".join(sorted(answers)))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["extract", directory]:
            extract(directory)
        case ["ask", article, port]:
            ask(article, port)
        case _:
            sys.exit(__doc__)
