"""Reads transcripts, and decides whether what came is what a transcript says. `proto/README.md` has the rules."""
import json
import pathlib
import re

PROTO = pathlib.Path(__file__).resolve().parent.parent
TRANSCRIPTS = PROTO / "transcripts"
ANY = "<any>"

LINE = re.compile(r"(>>|<<)(\d*)([CBEH]?)(?: (.*))?")
UPSTREAM_LINE = re.compile(r"(\^\^|vv) (.+)|\^\^E")
# An id that the gateway chose, by the name that the transcript gives it.
CHOSEN = re.compile(r"<id:(\w+)>")
# The same where it is a value by itself, and no part of a string.
CHOSEN_VALUE = re.compile(r'(?<!")<id:\w+>')
REPEATED = re.compile(r"<(\d+)\*(.*?)>")


def written_out(text):
    return REPEATED.sub(lambda part: part[2] * int(part[1]), text)


class Malformed(Exception):
    """A transcript that breaks the rules of its own form."""


class Step:
    """One line of a transcript: who sends or gets what, in which form.

    `form` is "" for a line, "C" for a body under Content-Length, "B" for bytes as they are, "E" for the
    stream's end, "H" for the status of an HTTP response behind which the stream ends.
    """

    def __init__(self, number, line):
        found = LINE.fullmatch(line)
        if not found or (found[3] == "E") != (found[4] is None) or line.startswith(">>") and found[3] == "H":
            raise Malformed(f"line {number}: {line}")
        self.number = number
        self.is_sent = found[1] == ">>"
        self.connection = int(found[2] or 1)
        self.form = found[3]
        self.text = written_out(found[4] or "")
        if self.form == "B":
            self.bytes = json.loads(self.text).encode("latin-1")

    def framed(self):
        """What goes over the wire."""
        if self.form == "B":
            return self.bytes
        body = self.text.encode()
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body) if self.form == "C" else body + b"\n"


class UpstreamStep:
    """One line between the gateway and its upstream, whom the runner plays: who says what. Without a text, upstream
    hears that no more comes."""

    def __init__(self, number, said, text):
        self.number = number
        self.is_sent = said == "vv"
        self.is_end = text is None
        self.text = written_out(text or "")


class Stop:
    """The gateway is told to stop, and has begun to."""

    def __init__(self, number):
        self.number = number


def read(path):
    """The steps of a transcript, in order."""
    steps = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line == "!!":
            steps.append(Stop(number))
        elif found := UPSTREAM_LINE.fullmatch(line):
            steps.append(UpstreamStep(number, found[1], found[2]))
        elif not line.startswith("//"):
            steps.append(Step(number, line))
    if not steps:
        raise Malformed(f"{path}: nothing is said")
    return steps


# MARK: Comparing


class Number(str):
    """A number as it stands in the message: 1.0 is not 1."""


def parse(text):
    """The JSON value; every `<any>` in it becomes a value that equals anything, and chosen ids strings."""
    text = CHOSEN_VALUE.sub(lambda found: json.dumps(found[0]), text.replace(ANY, json.dumps(ANY)))
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=Number)


class ChosenIDs:
    """The ids that a gateway chose in one conversation, each once for each name."""

    def __init__(self):
        self.by_name = {}

    def take(self, name, got):
        """Whether this may be the id of that name, which it has from then on."""
        if name not in self.by_name and got not in self.by_name.values():
            self.by_name[name] = got
        return self.by_name.get(name) == got

    def write_into(self, text):
        return CHOSEN.sub(lambda found: self.by_name.get(found[1], found[0]), text)


class Comparison:
    """Compares the values of one conversation: generations may be others, but rise as the transcript's do."""

    def __init__(self, messages_count, ids):
        self.messages_count = messages_count
        self.ids = ids
        self.generations = {}

    def difference(self, wanted, got, path=""):
        """The first place in which they differ, in words; None if they agree."""
        if wanted == ANY:
            return None
        chosen = CHOSEN.fullmatch(wanted) if isinstance(wanted, str) else None
        if chosen and isinstance(got, Number):
            return None if self.ids.take(chosen[1], got) else f"{path}: {got} is not {wanted}"
        if isinstance(wanted, str) and isinstance(got, str) and CHOSEN.search(wanted):
            return None if is_exactly(wanted, got, self.ids) else f"{path}: {shown(got)} is not {wanted}"
        if type(wanted) is not type(got):
            return f"{path or 'message'}: {shown(wanted)} wanted, {shown(got)} got"
        if isinstance(wanted, dict):
            return self.difference_of_objects(wanted, got, path)
        if isinstance(wanted, list):
            return self.difference_of_arrays(wanted, got, path)
        if path.endswith((".generation", ".supersededBy")) and isinstance(wanted, Number):
            return self.difference_of_generations(int(wanted), int(got), path)
        return None if wanted == got else f"{path or 'message'}: {shown(wanted)} wanted, {shown(got)} got"

    def difference_of_objects(self, wanted, got, path):
        for name in wanted:
            if name not in got:
                return f"{path}.{name}: missing"
            if path.endswith(".error") and name == "message" and not self.messages_count:
                continue
            difference = self.difference(wanted[name], got[name], f"{path}.{name}")
            if difference:
                return difference
        more = [name for name in got if name not in wanted]
        # An error may say more than it has to.
        if more and not path.endswith((".error", ".error.data")):
            return f"{path}.{more[0]}: not wanted"
        return None

    def difference_of_arrays(self, wanted, got, path):
        if len(wanted) != len(got):
            return f"{path or 'batch'}: {len(wanted)} items wanted, {len(got)} got"
        if not path:
            # A batch's answers may come in any order.
            wanted, got = sorted(wanted, key=rank), sorted(got, key=rank)
        for index, (one, other) in enumerate(zip(wanted, got)):
            difference = self.difference(one, other, f"{path}[{index}]")
            if difference:
                return difference
        return None

    def difference_of_generations(self, wanted, got, path):
        known = {**self.generations, wanted: self.generations.get(wanted, got)}
        in_order = [known[generation] for generation in sorted(known)]
        if known[wanted] != got or any(one >= other for one, other in zip(in_order, in_order[1:])):
            return f"{path}: {got} does not stand for {wanted}"
        self.generations = known
        return None


def rank(response):
    """What a batch is sorted by: ids, and among equal ones the codes."""
    if not isinstance(response, dict):
        return ("", "")
    error = response.get("error")
    code = error.get("code", "") if isinstance(error, dict) else ""
    return (json.dumps(response.get("id")), str(code))


def shown(value):
    text = value if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."


def is_exactly(wanted, got, ids):
    """Whether they agree byte for byte, but for what may be anything and ids that the gateway chose."""
    parts = re.split(f"({ANY}|{CHOSEN.pattern.replace('(', '(?:')})", wanted)
    names = [found[1] for part in parts[1::2] if (found := CHOSEN.fullmatch(part))]
    parts[1::2] = [r".+?" if part == ANY else r"(\d+)" for part in parts[1::2]]
    parts[::2] = [re.escape(part) for part in parts[::2]]
    found = re.fullmatch("".join(parts), got)
    return found is not None and all(ids.take(name, number) for name, number in zip(names, found.groups()))
