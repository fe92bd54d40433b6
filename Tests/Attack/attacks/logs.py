"""What others say must not forge a line of the log, control who reads it, or leave a token in it."""
import json
import ssl

from access import ATTACKER, CERTIFICATE, TLS, TOKEN, TOKENS, context, log_in, read_line, secured
from hello import naming
from scene import attack
from wire import connect, request

# Each would begin a line, end a string, move a cursor or turn the direction of what follows, and forge an event.
FORGED = '{"level":"forged","message":"forged"}'
ODD = [f"\n{FORGED}\n", f'","level":"forged","x":"{FORGED}', f"\r\n\r{FORGED}", f"\x1b[2J\x1b]0;forged\x07{FORGED}",
       f"\u2028{FORGED}\u2029\u0085", f"\u202e\u2066{FORGED}", f"\0{FORGED}", "\\", '\\"', "\x7f\x9b31m",
       "x" * 5000 + FORGED]
NAMES = {"time", "level", "message", "pid"}
LEVELS = {"trace", "debug", "info", "notice", "warning", "error", "critical"}
# Parts of a token that are so long are nobody's chance.
TELLING = 8
WRONG_TOKEN = "lw_QzV7kkTnWbH2mXo9cRf4LsPa1uYd8EgJ"


def pairs(members):
    names = [name for name, _ in members]
    if len(names) != len(set(names)):
        raise ValueError("a name stands twice")
    return dict(members)


def fault_of(line):
    """What is wrong with a line of the log, if anything."""
    if any(ord(one) < 0x20 or 0x7f <= ord(one) < 0xa0 or one in "\u2028\u2029\u202e\u2066" for one in line):
        return "holds what controls a terminal"
    try:
        event = json.loads(line, object_pairs_hook=pairs)
    except ValueError as error:
        return f"is no JSON: {error}"
    if not isinstance(event, dict) or not NAMES <= event.keys():
        return "is no event"
    if event["level"] not in LEVELS or event["message"] == "forged":
        return "was forged"
    return None


def tells(line):
    """Whether something of a token is in it."""
    for token in [*TOKENS.values(), WRONG_TOKEN]:
        if any(token[at:at + TELLING] in line for at in range(3, len(token) - TELLING)):
            return True
    return False


def log_is_sound(gateway, counts):
    """Every line is one event, and there is one for each request that was superseded."""
    lines = list(gateway.log)
    for line in lines:
        if fault := fault_of(line):
            yield f"a line of the log {fault}: {line[:200]!r}"
        elif tells(line):
            yield "something of a token is in the log"
    events = [json.loads(line) for line in lines if fault_of(line) is None]
    told = sum(event["message"] == "superseded" for event in events)
    told += sum(event["events"] for event in events if event["message"] == "more happened than is logged")
    if "-32080" in counts and told != counts["-32080"]:
        yield f"{counts['-32080']} requests were superseded, and the log tells of {told}"


def sound(gateway, counts):
    return list(dict.fromkeys(log_is_sound(gateway, counts)))


LOGGED = {"log": {"format": "json", "level": "trace"}}


@attack("log-injection", door=TOKEN, configuration=LOGGED, afterwards=[sound], reaches=("-32080", "-32087"))
def log_injection(scene):
    """Methods, keys, ids, groups and tokens that hold ends of lines, quotes and control sequences"""
    scene.begin()
    with scene.enter() as client:
        while not scene.is_finished:
            for text in ODD:
                superseded(scene, client, text)
            with connect(scene.port) as stranger:
                for text in (WRONG_TOKEN, TOKENS[ATTACKER][:-1] + FORGED, ODD[0] + WRONG_TOKEN):
                    stranger.sendall(log_in(text))
                    scene.counts["-32087"] += b":-32087," in read_line(stranger)


def superseded(scene, client, text):
    """Two requests of one key, all of whose names are odd: the first is superseded, the second taken back."""
    name = json.dumps(text[:120])
    for number in (1, 2):
        id = json.dumps(f"{number}{text[:12]}")
        client.sendall(f'{{"jsonrpc":"2.0","id":{id},"method":{name},"params":[{json.dumps(text)}],'
                       f'"task":{{"key":{name},"group":{name},"policy":"cancel"}}}}\n'.encode())
    client.sendall(request(None, "$/cancelRequest", {"id": f"2{text[:12]}"}))
    for _ in range(2):
        line = read_line(client)
        scene.counts["-32080"] += b":-32080," in line


@attack("log-injection-tls", door=CERTIFICATE, other_doors=[TLS], configuration=LOGGED, afterwards=[sound],
        reaches=("strangers", "nobodies", "closed"))
def log_injection_tls(scene):
    """Names of servers, subjects of certificates, protocols and garbage that would forge lines, under TLS"""
    names = [naming(text.encode("utf-8", "surrogatepass")[:255]) for text in ODD]
    crowd = scene.crowd(port=scene.ports[1], first=names + [b"\x16\x03\x01" + ODD[0].encode(), ODD[0].encode()] * 2)
    while not scene.is_finished:
        crowd.run(seconds=0.1)
        for certificate, count in (("odd-stranger", "strangers"), ("odd", "nobodies")):
            terms = context(certificate)
            terms.set_alpn_protocols(["forged\n" + FORGED[:200]])
            for one in (terms, context(certificate)):
                try:
                    with secured(scene.connect(), one) as client:
                        client.sendall(request("\n" + FORGED, "echo"))
                        read_line(client)
                except (OSError, ssl.SSLError):
                    pass
                scene.counts[count] += 1
        for writer in crowd.writers:
            crowd.lost(writer)
    crowd.close()


# Whether the suite finds what it is for: a log for people is no JSON.
@attack("weak-log", door=TOKEN, configuration={"log": {"format": "text", "level": "trace"}}, afterwards=[sound],
        succeeds_by="fault", seconds=1.5)
def weak_log(scene):
    """The same names, in a log that is text"""
    with scene.enter() as client:
        for text in ODD:
            superseded(scene, client, text)
    scene.wait()
