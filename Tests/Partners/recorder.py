#!/usr/bin/env python3
"""Runs a server and records all that goes through its standard streams, and how it ends. Standard library only.

    python3 recorder.py DIRECTORY COMMAND...

DIRECTORY/in, out and err are what was said; DIRECTORY/order has a line for each piece of it, with its name and how much
there was with it: what came in before something went out was there when that was passed on. DIRECTORY/pid and status
are the server's. Its status is this program's.
"""
import os
import pathlib
import subprocess
import sys
import threading

CHUNK_BYTES = 65536


def pass_on(source, sink, directory, name, order):
    """Until the source ends or nobody reads any more; then the sink is closed."""
    count = 0
    with open(directory / name, "wb", buffering=0) as record:
        try:
            while chunk := os.read(source, CHUNK_BYTES):
                record.write(chunk)
                count += len(chunk)
                # One write, which no other divides.
                os.write(order, f"{name} {count}\n".encode())
                rest = memoryview(chunk)
                while rest:
                    rest = rest[os.write(sink, rest):]
        except BrokenPipeError:
            pass
    os.close(sink)


def main(directory, *command):
    directory = pathlib.Path(directory)
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    (directory / "pid").write_text(str(server.pid))
    order = os.open(directory / "order", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    pipes = [(0, os.dup(server.stdin.fileno()), "in"), (server.stdout.fileno(), 1, "out"),
             (server.stderr.fileno(), 2, "err")]
    server.stdin.close()
    inwards, *outwards = [threading.Thread(target=pass_on, args=(source, sink, directory, name, order), daemon=True)
                          for source, sink, name in pipes]
    for thread in (inwards, *outwards):
        thread.start()
    status = server.wait()
    for thread in outwards:
        thread.join()
    status = status if status >= 0 else 128 - status
    (directory / "status").write_text(str(status))
    # Somebody may still hold the input open.
    os._exit(status)


if __name__ == "__main__":
    main(*sys.argv[1:])
