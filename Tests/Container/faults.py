#!/usr/bin/env python3
"""Builds images upon a good one, each with a fault, or takes something from how it is run; check.py has to find each.

    CONTAINER_ENGINE=docker python3 faults.py IMAGE
"""
import pathlib
import sys
import tempfile

import check
import engine as engines
from engine import CONFINED, Engine, Fault

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Faults"))
from share import share  # noqa: E402

# For what a fault keeps from coming; without one there is no hurry. Docker asks for health in its own time.
READY_SECONDS, DOCKER_READY_SECONDS, STOP_SECONDS = 4, 20, 4
CONCURRENT = '[[route]]\nmethod = "sleep"\npolicy = "concurrent"\n'
SHELL = 'ENTRYPOINT ["sh", "-c", "lastword serve; exit $?"]\nCMD []'
WRITER = 'ENTRYPOINT ["sh", "-c", "touch /etc/lastword/started && exec lastword serve"]\nCMD []'
GLUTTON = 'ENTRYPOINT ["perl", "-e", "my $x = \'x\' x (1 << 26); exit system(qw(lastword serve)) >> 8"]\nCMD []'
LARGER = "USER root\nRUN head -c 1000000 /dev/zero >>/usr/local/bin/lastword\nUSER 10001:10001"

# What is wrong then, what makes it so, which check finds it, and the beginning of what that says.
IMAGES = [
    ("it is root", "USER root", check.described, "user: "),
    ("its user is a name, which says nothing", "USER lastword", check.described, "user: "),
    ("nobody asks for its health", "HEALTHCHECK NONE", check.described, "health check: "),
    ("its health needs a shell", "HEALTHCHECK CMD lastword health", check.described, "health check: "),
    ("it is killed at once", "STOPSIGNAL SIGKILL", check.described, "stop signal: "),
    ("a shell starts it", "ENTRYPOINT lastword serve", check.described, "a shell starts it"),
    ("its version is another", 'LABEL org.opencontainers.image.version="9"', check.described, "the label says"),
    ("it is too large", LARGER, check.described, "program: "),
    ("it runs as root", "USER root", check.confined, "root's ids of "),
    ("it is never healthy", 'HEALTHCHECK --interval=1s --retries=1 CMD ["false"]', check.confined, "it is not healthy"),
    ("it writes when it starts", WRITER, check.confined, "it has ended"),
    ("the newer request supersedes nothing", "COPY lastword.toml /etc/lastword/", check.serves, "no answer"),
    ("it listens for itself alone", "ENV LASTWORD_LISTEN_AUDIENCE=loopback", check.serves, "it has ended"),
    ("a shell swallows SIGTERM", SHELL, check.stops, "exit status: "),
    ("what is in flight is dropped", "ENV LASTWORD_DRAIN_MS=0", check.stops, "the last answer: "),
    ("the mounted file is not read", "ENV LASTWORD_CONFIG=/dev/null", check.configured, "no answer at port 6001"),
    ("PORT is not heeded", "ENV LASTWORD_LISTEN=0.0.0.0:6001", check.configured, "no answer at port 6002"),
    ("more memory is taken than there is", GLUTTON, check.limited, "it "),
    ("nobody buries orphans", 'ENTRYPOINT ["lastword"]\nCMD ["serve"]', check.reaps, "orphans stay as zombies"),
]
# What is left to it, and the beginning of what that is found by.
CONFINEMENTS = [
    ("it can write", "--read-only", "the root file system is read-only: "),
    ("it can gain privileges", "--security-opt", "privileges "),
]


def found(function, *arguments, **options):
    """What the check says; None if it finds nothing."""
    try:
        function(*arguments, **options)
    except Fault as fault:
        return str(fault)


def derived(engine, image, instructions):
    """Builds an image upon another."""
    with tempfile.TemporaryDirectory() as directory:
        pathlib.Path(directory, "lastword.toml").write_text(CONCURRENT)
        pathlib.Path(directory, "Dockerfile").write_text(f"FROM {image}\n{instructions}\n")
        engine.call("build", f"--tag={image}-fault", directory)
    return f"{image}-fault"


def judged(name, finding, words):
    is_found = finding is not None and finding.startswith(words)
    print(f"{'found' if is_found else 'NOT FOUND'}: {name}: {finding}", flush=True)
    return is_found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    engine, image = Engine(), sys.argv[1]
    engines.READY_SECONDS = READY_SECONDS if engine.is_podman else DOCKER_READY_SECONDS
    check.STOP_SECONDS = STOP_SECONDS
    all_found = []
    for name, instructions, function, words in share(IMAGES):
        all_found.append(judged(name, found(function, engine, derived(engine, image, instructions)), words))
    for name, option, words in share(CONFINEMENTS):
        kept = [other for other in CONFINED if not other.startswith(option)]
        all_found.append(judged(name, found(check.confined, engine, image, options=kept), words))
    writable = found(check.confined, engine, image, options=[*CONFINED, "--tmpfs=/tmp"])
    all_found.append(judged("/tmp can be written", writable, "writing /tmp/here: "))
    engine.attempt("rmi", f"{image}-fault")
    if not all(all_found):
        sys.exit("error: a fault was not found")
    print(f"{len(all_found)} faults found")


if __name__ == "__main__":
    main()
