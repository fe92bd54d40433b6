"""Callers of a fleet that hold it to what docs/fleet.md promises: all that is not kept they note as a complaint."""
import json
import socket
import threading
import time

from machines import PATIENCE_SECONDS, Failed

SHUTTING_DOWN = -32085
# Of each caller: so many requests are open at once.
OPEN_TASKS = 6
LEAST_MILLISECONDS, MOST_MILLISECONDS = 200, 700
# A member that leaves has no connection for somebody who asks again at once.
PAUSE_SECONDS = 0.05


class Caller:
    """A connection to one member, on which nothing is superseded: each request has a key of its own."""

    def __init__(self, place, name):
        self.place, self.name, self.count, self.open = place, name, 0, {}
        self.connect()

    def connect(self):
        self.socket = socket.create_connection(self.place, PATIENCE_SECONDS)
        self.socket.settimeout(PATIENCE_SECONDS)
        self.lines = self.socket.makefile()

    def close(self):
        self.lines.close()
        self.socket.close()

    def send(self, method, policy, timeout_milliseconds, key=None, **params):
        """Notes what it asks, and when."""
        self.count += 1
        key = key or f"{self.name}-{self.count}"
        self.open[self.count] = (key, time.monotonic())
        self.socket.sendall(json.dumps({
            "jsonrpc": "2.0", "id": self.count, "method": method, "params": {"n": self.count, **params},
            "task": {"key": key, "policy": policy, "timeoutMs": timeout_milliseconds}}).encode() + b"\n")

    def reply(self):
        """The next, with the key that it is for and how long that took."""
        line = self.lines.readline()
        if not line:
            raise ConnectionError("the connection has ended")
        reply = json.loads(line)
        key, asked = self.open.pop(reply["id"], (None, time.monotonic()))
        return reply, key, time.monotonic() - asked


class Tasks(threading.Thread):
    """A client of one member, with tasks that take some tenths of a second, until it is told to stop."""

    def __init__(self, number, place, leaving, method):
        """`leaving`: the numbers of those members that are being restarted; `method`: it may heed how long is said."""
        super().__init__(daemon=True)
        self.number, self.leaving, self.method = number, leaving, method
        self.caller = Caller(place, f"task-{number}")
        self.results, self.asked_again, self.longest, self.complaints = 0, 0, 0, []
        self.again, self.is_over = [], False
        self.start()

    def run(self):
        try:
            while not self.is_over or self.caller.open or self.again:
                self.step()
        except (OSError, Failed) as error:
            self.complain(f"heard no more: {error}")

    def complain(self, text):
        self.complaints.append(f"a client of member {self.number} {text}")

    def step(self):
        try:
            self.fill()
            reply, key, seconds = self.caller.reply()
        except ConnectionError as error:
            return self.hung_up(error)
        if "result" in reply:
            self.results += 1
            self.longest = max(self.longest, seconds)
        elif self.is_told_to_ask_again(reply["error"]):
            # Where it came too late for this process, it is asked of the next.
            if key is not None:
                self.ask_again([key])
            time.sleep(PAUSE_SECONDS)
        else:
            self.complain(f"heard {json.dumps(reply['error'])}")

    def fill(self):
        while len(self.caller.open) < OPEN_TASKS and (self.again or not self.is_over):
            milliseconds = LEAST_MILLISECONDS + self.caller.count * 97 % (MOST_MILLISECONDS - LEAST_MILLISECONDS)
            self.caller.send(
                self.method, "cancel", 20_000, self.again.pop() if self.again else None, ms=milliseconds)

    def is_told_to_ask_again(self, error):
        is_refused = error["code"] == SHUTTING_DOWN and error.get("data", {}).get("upstream", "notSent") == "notSent"
        return is_refused and self.number in self.leaving

    def ask_again(self, keys):
        self.asked_again += len(keys)
        self.again += keys

    def hung_up(self, error):
        """What a member has read it answers before it goes: the rest was never read."""
        if self.number not in self.leaving:
            self.complain(f"was hung up on: {error}")
        self.ask_again([key for key, _ in self.caller.open.values()])
        self.caller.open = {}
        self.caller.close()
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return self.caller.connect()
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(PAUSE_SECONDS)

    def stop(self):
        self.is_over = True
        self.join(2 * PATIENCE_SECONDS)
        if self.is_alive():
            self.complain("has waited for a reply in vain")
        self.caller.close()


def rolling(places, leaving, restart, method="slow"):
    """Tasks at all members while `restart` runs. Gives what it gives, the complaints and what there was in words."""
    clients = [Tasks(number, place, leaving, method) for number, place in enumerate(places)]
    given = restart()
    for client in clients:
        client.stop()
    complaints = [complaint for client in clients for complaint in client.complaints]
    results = sum(client.results for client in clients)
    if not all(client.results for client in clients):
        complaints.append("not every member's client had results: nothing is shown")
    longest = max(client.longest for client in clients)
    again = sum(client.asked_again for client in clients)
    return given, complaints, f"{results} tasks at work meanwhile, {len(complaints)} errors, {again} asked again of a " \
                              f"member that left, the longest {longest:.1f} s"


def first_served(place, keys, policy, name, begun):
    """By key how long after `begun` it was served for the first time. What was on its way to a member that is gone may be
    asked again, and is."""
    caller, served = Caller(place, name), {}
    for key in keys:
        caller.send("echo", policy, 20_000, key)
    while caller.open:
        reply, key, _ = caller.reply()
        if "result" in reply:
            served[key] = time.monotonic() - begun
        elif time.monotonic() - begun > PATIENCE_SECONDS:
            raise Failed(f"a key is not served within {PATIENCE_SECONDS} s: {reply['error']}")
        else:
            caller.send("echo", policy, 20_000, key)
    caller.close()
    return served


def together(*asks):
    """Runs them at once, and gives what each gives."""
    given, threads = [None] * len(asks), []

    def run(number):
        try:
            given[number] = asks[number]()
        except (OSError, Failed) as error:
            given[number] = error

    for number in range(len(asks)):
        threads.append(threading.Thread(target=run, args=[number], daemon=True))
        threads[-1].start()
    for thread in threads:
        thread.join()
    for one in given:
        if isinstance(one, Exception):
            raise Failed(str(one))
    return given


def patient(places, seconds, batch, timeout_milliseconds, name):
    """At each of the members so many requests at once, and as many again each second, all of which allow the same time.
    Gives a function that waits for their replies and tells what was wrong, and how many results there were."""
    callers = [Caller(place, f"{name}-{number}") for number, place in enumerate(places)]

    def ask():
        for caller in callers:
            for _ in range(batch):
                caller.send("echo", "cancel", timeout_milliseconds)

    begun = time.monotonic()
    for second in range(seconds):
        time.sleep(max(0, begun + second - time.monotonic()))
        ask()
    time.sleep(max(0, begun + seconds - time.monotonic()))

    def heard():
        complaints, results = [], 0
        for number, caller in enumerate(callers):
            while caller.open:
                reply, _, _ = caller.reply()
                results += "result" in reply
                if "result" not in reply:
                    complaints.append(f"a client of member {number} that allowed {timeout_milliseconds} ms heard "
                                      f"{json.dumps(reply['error'])}")
            caller.close()
        return complaints, results

    return heard
