#!/usr/bin/env python3
"""Holds every message of every transcript, and every example of the contract, against proto/schemas.

What is answered with a result must be valid, what the gateway refuses must not be, as far as schemas can tell.
Needs the package jsonschema; scripts/schemas sees to that.
"""
import collections
import json
import re
import sys

import jsonschema
import referencing

import transcript

REFUSALS = {-32700, -32600, -32601, -32602}
# What schemas cannot tell, or not always: what is counted in bytes, compared, or said by the operator.
BEYOND_SCHEMAS = re.compile(
    "needs a key|must be larger than|a batch has more than|does not allow|the key at|longer than (512|128) bytes|"
    "[0-9] milliseconds$|^task.stream: ")
RESERVED = ("lastword.", "rpc.")
NESTING_LEVELS = 128
UPSTREAM_CANCELS = {"$/cancelRequest", "notifications/cancelled"}
PIECE = "lastword.piece"
# What is wrong with a message itself, whatever its method is.
OF_ANY_MESSAGE = {-32700, -32600, -32086}
RESULTS = {
    "lastword.authenticate": "lastword.authenticate.result",
    "lastword.cancel": "lastword.cancel.result", "lastword.inspect": "lastword.inspect.result",
    "lastword.ping": "lastword.ping.result", "$/cancelRequest": "cancelRequest.result",
    "rpc.discover": "rpc.discover.result",
}


class Schemas:
    """The schemas by the names of their files."""

    def __init__(self):
        files = [json.loads(path.read_text()) for path in sorted(transcript.PROTO.glob("schemas/*.json"))]
        resources = [(schema["$id"], referencing.Resource.from_contents(schema)) for schema in files]
        registry = referencing.Registry().with_resources(resources)
        for schema in files:
            jsonschema.Draft202012Validator.check_schema(schema)
        self.validators = {
            schema["$id"].removesuffix(".json"): jsonschema.Draft202012Validator(schema, registry=registry)
            for schema in files}
        self.used = collections.Counter()

    def fault(self, name, value):
        """Why a value is not what a schema says; None if it is."""
        self.used[name] += 1
        error = jsonschema.exceptions.best_match(self.validators[name].iter_errors(value))
        return error and f"{name}: {error.json_path}: {error.message[:200]}"


class Twice(dict):
    """An object in which a member occurs twice."""


def members(pairs):
    return (dict if len(dict(pairs)) == len(pairs) else Twice)(pairs)


def nesting(value):
    """How deep a value goes; no deeper than is of interest."""
    levels, inside = 0, [value]
    while inside and levels <= NESTING_LEVELS:
        levels += any(isinstance(item, (dict, list)) for item in inside)
        inside = [
            child for item in inside if isinstance(item, (dict, list))
            for child in (item.values() if isinstance(item, dict) else item)]
    return levels


def value_of(text):
    """The message of a text; None where there is none, be it for its syntax or for what a schema never sees."""
    def refuse(constant):
        raise ValueError(constant)
    try:
        value = json.loads(text, parse_constant=refuse, object_pairs_hook=members)
    except (ValueError, RecursionError):
        return None
    params = value.get("params") if isinstance(value, dict) and is_own(value.get("method")) else None
    is_broken = isinstance(value, Twice) or isinstance(params, Twice) or nesting(value) > NESTING_LEVELS
    return None if is_broken else value


def is_own(method):
    return isinstance(method, str) and (method.startswith(RESERVED) or method in RESULTS)


def asked(message):
    """The method that answers: that of the request inside, if there is one."""
    method, params = message.get("method"), message.get("params")
    return params.get("method") if method == "lastword.call" and isinstance(params, dict) else method


def own_method(message):
    """The method of the gateway's own that a message is for: the one inside a call, if that is ours, too."""
    inner, outer = asked(message), message.get("method")
    return inner if is_own(inner) else outer if is_own(outer) else None


def errors_by_method(document):
    """The codes that the OpenRPC document lists for each method."""
    codes = {f"#/components/errors/{name}": error["code"] for name, error in document["components"]["errors"].items()}
    return {
        method["name"]: {codes[error["$ref"]] for error in method.get("errors", [])}
        for method in document["methods"]}


def id_of(message):
    return json.dumps(message.get("id"))


class Check:
    """One transcript, exchange by exchange: what was sent together, and what came back before more was sent."""

    def __init__(self, path, schemas, errors):
        self.path = path
        self.schemas = schemas
        self.errors = errors
        self.faults = []
        self.open = collections.defaultdict(list)
        self.ended = set()
        configuration = path.parent / "lastword.toml"
        text = configuration.read_text() if configuration.exists() else ""
        self.undoings = re.findall(r'^compensate = "(.*)"$', text, re.M)
        self.begin()

    def begin(self):
        self.hears = False
        self.invalid = self.refused = self.refused_beyond_schemas = 0
        self.counts = True
        self.recent = []

    def run(self):
        for step in transcript.read(self.path):
            self.line = step.number
            if isinstance(step, transcript.UpstreamStep):
                if not step.is_sent and not step.is_end:
                    self.heard_upstream(step.text)
            elif isinstance(step, transcript.Stop) or step.form in ("E", "H"):
                self.ended.add(getattr(step, "connection", 1))
            elif step.is_sent:
                if self.hears:
                    self.end_exchange()
                self.sent(step)
            else:
                self.hears = True
                self.received(step)
        self.end_exchange()
        for (connection, identifier), methods in self.open.items():
            if methods and connection not in self.ended:
                self.note(f"the request {identifier} of connection {connection} is never answered")
        return self.faults

    def note(self, fault):
        self.faults.append(f"{self.path.parent.name}/{self.path.stem}, line {self.line}: {fault}")

    def end_exchange(self):
        most = self.refused + self.refused_beyond_schemas
        if self.counts and not self.refused <= self.invalid <= most:
            self.note(f"{self.invalid} messages before this are invalid by the schemas, {most} are refused")
        self.begin()

    # MARK: What a client sends

    def sent(self, step):
        if step.form != "B":
            return self.sent_message(value_of(step.text), step.connection)
        # How such bytes are framed is what the transcript is about: only the requests in it are noted.
        self.counts = False
        text = step.bytes.decode("utf-8-sig", "replace")
        for part in [text.partition("\r\n\r\n")[2], *text.splitlines()]:
            message = value_of(part)
            if isinstance(message, dict) and "id" in message:
                self.note_request(message, step.connection)
                break

    def sent_message(self, value, connection):
        if isinstance(value, list) and value:
            if all(self.is_request(item) for item in value):
                self.hold("batch", value)
            for item in value:
                self.sent_item(item, connection)
        else:
            self.sent_item(value, connection)

    def sent_item(self, item, connection):
        is_message = isinstance(item, dict)
        if is_message and "id" in item and "method" in item:
            self.note_request(item, connection)
        is_notification = is_message and "id" not in item and isinstance(item.get("method"), str)
        if not self.is_request(item) and not is_notification and not self.is_response(item):
            self.invalid += 1

    def note_request(self, message, connection):
        self.open[connection, id_of(message)].append((asked(message), own_method(message)))
        self.recent.append((connection, id_of(message)))

    def is_request(self, item):
        return item is not None and not self.schemas.fault("request", item)

    def is_response(self, item):
        """One that is wrong in itself is never answered, either."""
        return isinstance(item, dict) and "method" not in item and not item.keys().isdisjoint(("result", "error"))

    # MARK: What upstream hears

    def heard_upstream(self, text):
        message = json.loads(transcript.CHOSEN.sub("1", text))
        if "method" not in message:
            return self.heard_refusal(message)
        if message["method"] in UPSTREAM_CANCELS:
            return self.hold("upstream-cancel", message)
        self.hold("upstream-request", message)
        if message["method"] in self.undoings:
            self.hold("upstream-compensation", message)

    def heard_refusal(self, response):
        """The gateway's own answer to what upstream asked: the transcripts have no answer of a client's to it."""
        self.hold("response", response)
        self.hold("gateway-error", response.get("error"))

    # MARK: What comes back

    def received(self, step):
        value = json.loads(step.text.replace(f'"ageMs":{transcript.ANY}', '"ageMs":0').replace(
            transcript.ANY, json.dumps(transcript.ANY)))
        if isinstance(value, list):
            self.hold("response-batch", value)
        for message in value if isinstance(value, list) else [value]:
            # What an upstream of the connection's own asks or tells has no form of ours.
            if "method" not in message:
                self.received_response(message, step.connection)
            elif message["method"] == PIECE:
                self.hold("piece", message)

    def received_response(self, response, connection):
        self.hold("response", response)
        method, own = self.method_answered(response, connection) or (None, None)
        if "error" in response:
            self.received_error(response["error"], method)
            self.check_listed(response["error"]["code"], own)
        elif method in RESULTS and response["result"] != transcript.ANY:
            self.hold(RESULTS[method], response["result"])

    def method_answered(self, response, connection):
        methods = self.open[connection, id_of(response)]
        if not methods and response["id"] is None:
            # An id that could not be read or does not count: that of the newest request.
            unread = [request for request in self.recent if request[0] == connection and self.open[request]]
            methods = self.open[unread[-1]] if unread else []
        return methods.pop(0) if methods else None

    def received_error(self, error, method):
        if error["code"] == -32601 and method and not method.startswith(RESERVED):
            return self.hold("error", error)
        self.hold("gateway-error", error)
        if error["code"] in REFUSALS:
            if BEYOND_SCHEMAS.search(error["message"]):
                self.refused_beyond_schemas += 1
            else:
                self.refused += 1

    def check_listed(self, code, own):
        """Whoever reads the OpenRPC document is to expect what the gateway answers."""
        if own in self.errors and code not in OF_ANY_MESSAGE | self.errors[own]:
            self.note(f"openrpc.json lists no {code} for {own}")

    def hold(self, name, value):
        fault = self.schemas.fault(name, value)
        if fault:
            self.note(fault)


def examples():
    """The messages in the contract's text that say which schema they follow."""
    pattern = re.compile(r"<!-- schema: (\S+) -->\n```json\n(.*?)```", re.S)
    for path in sorted(transcript.PROTO.glob("*.md")):
        for name, block in pattern.findall(path.read_text()):
            for line in block.splitlines():
                yield path.name, name, json.loads(line)


def faults_of_document(document, schemas):
    """What is wrong with the OpenRPC document: its form, its references, its schemas."""
    yield schemas.fault("rpc.discover.result", document)
    for kind, described in document["components"].items():
        for name in re.findall(rf'"#/components/{kind}/(\w+)"', json.dumps(document)):
            yield None if name in described else f"{name} is not among the {kind}"
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft7Validator.check_schema(schema)
    for method in document["methods"]:
        contents = method["params"] + ([method["result"]] if "result" in method else [])
        for content in contents:
            yield None if {"name", "schema"} <= content.keys() else f"{method['name']}: {content}"


def main():
    schemas = Schemas()
    document = json.loads((transcript.PROTO / "openrpc.json").read_text())
    errors = errors_by_method(document)
    paths = sorted(transcript.TRANSCRIPTS.rglob("*.txt"))
    faults = [fault for path in paths for fault in Check(path, schemas, errors).run()]
    for page, name, value in examples():
        fault = schemas.fault(name, value)
        faults += [f"{page}: {fault}"] if fault else []
    faults += [f"openrpc.json: {fault}" for fault in faults_of_document(document, schemas) if fault]
    unused = reached_by_nothing(schemas)
    faults += [f"no message of a transcript and no example uses {name}" for name in unused]
    print("\n".join(faults + [f"{len(paths)} transcripts, {sum(schemas.used.values())} checks, {len(faults)} faults"]))
    return 1 if faults else 0


def reached_by_nothing(schemas):
    """Schemas that were not used, neither by themselves nor by one that was."""
    reached, open_ = set(), [name for name in schemas.used]
    while open_:
        name = open_.pop()
        if name not in reached:
            reached.add(name)
            open_ += re.findall(r'"\$ref": "(\S+)\.json"', json.dumps(schemas.validators[name].schema))
    return sorted(set(schemas.validators) - reached)


if __name__ == "__main__":
    sys.exit(main())
