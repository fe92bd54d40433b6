"""What is started and ended: by its process id, and whatever happens."""
import atexit
import multiprocessing
import os
import resource
import signal
import subprocess
import sys

MIB = 1 << 20
PATIENCE_SECONDS = 20
WANTED_DESCRIPTORS = 20_000
# What serves and what measures goes before those who attack, as if these were on machines of their own.
PREFERRED, YIELDING = -10, 10

fork = multiprocessing.get_context("fork")
# Otherwise what was started would stay behind.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


class Failed(Exception):
    """Something did not start, did not answer, or came to no end."""


def raise_descriptor_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, WANTED_DESCRIPTORS), hard))


def set_niceness(niceness):
    """Without the right to it nothing changes. Where the kernel groups by session, niceness counts within a group."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, niceness)
        with open("/proc/self/autogroup", "w") as group:
            group.write(str(niceness))
    except OSError:
        pass


def prefer():
    os.setsid()
    set_niceness(PREFERRED)


class Program:
    """Another program; `with` ends it."""

    def __init__(self, words, **options):
        self.process = subprocess.Popen([*map(str, words)], preexec_fn=prefer, text=True, **options)
        self.pid = self.process.pid
        atexit.register(self.end)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        atexit.unregister(self.end)


class Branch:
    """A function of these files in a process of its own; `with` ends it, and `result` is what it gave."""

    def __init__(self, function, *arguments, niceness=PREFERRED):
        self.stopping = fork.Event()
        self.receiver, sender = fork.Pipe(duplex=False)
        self.process = fork.Process(
            target=self.run, args=(function, arguments, sender, niceness), daemon=True)
        self.process.start()
        sender.close()

    def run(self, function, arguments, sender, niceness):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.receiver.close()
        os.setsid()
        set_niceness(niceness)
        sender.send(function(*arguments, self.stopping))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """It may have been ended before."""
        self.process.kill()
        self.process.join()
        self.receiver.close()

    @property
    def has_ended(self):
        return self.receiver.poll() or not self.process.is_alive()

    def result(self, patience_seconds=PATIENCE_SECONDS):
        """What the function gives, once it has been told to stop; none, if it broke off or came to no end."""
        self.stopping.set()
        try:
            return self.receiver.recv() if self.receiver.poll(patience_seconds) else None
        except EOFError:
            return None
