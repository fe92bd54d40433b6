#!/usr/bin/env python3
"""Runs a server and records what goes into it and what comes out of it.

    python3 tee.py DIRECTORY COMMAND...

The recordings are DIRECTORY/PID.in and DIRECTORY/PID.out, PID being the server's.
"""
import os
import subprocess
import sys
import threading


def pass_on(source, sink, recording):
    """Until the source ends or nobody reads any more; then the sink has ended, too."""
    try:
        with sink, open(recording, "wb", buffering=0) as record:
            while chunk := os.read(source, 65536):
                record.write(chunk)
                sink.write(chunk)
                sink.flush()
    except BrokenPipeError:
        pass


def main(directory, *command):
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    recording = os.path.join(directory, str(server.pid))
    inwards = threading.Thread(target=pass_on, args=(0, server.stdin, recording + ".in"), daemon=True)
    outwards = threading.Thread(
        target=pass_on, args=(server.stdout.fileno(), sys.stdout.buffer, recording + ".out"))
    inwards.start()
    outwards.start()
    status = server.wait()
    outwards.join()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
