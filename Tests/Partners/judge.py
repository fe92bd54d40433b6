"""What has to hold of a conversation, however many programs it went through.

What the client sent and heard is held against what the server heard and said, as its recorder has it.
"""
import collections
import io
import json

from link import HEARD, SENT, brief, expect
from wire import is_answer, is_request, normal

CANCELS = {"$/cancelRequest": "id", "notifications/cancelled": "requestId"}
CANCELLED, MODIFIED = -32800, -32801
# Those that newer ones supersede (Sources/lastword/Wrap/EditorRoutes.swift).
SUPERSEDED_METHODS = {"workspace/symbol"} | {f"textDocument/{name}" for name in (
    "completion", "signatureHelp", "hover", "documentHighlight", "documentSymbol", "semanticTokens/full",
    "semanticTokens/full/delta", "diagnostic", "foldingRange", "codeLens", "documentLink")}


def content(message):
    """All but the id, which each side of a gateway gives anew."""
    return normal({name: value for name, value in message.items() if name not in ("id", "jsonrpc")})


def is_edit(message):
    """A notification behind which nothing may be sent that came before it."""
    return "method" in message and "id" not in message and not message["method"].startswith("$/")


def is_cancel(message):
    return message.get("method") in CANCELS


def is_note(message):
    """A notification that is no cancel."""
    return not is_answer(message) and not is_request(message) and not is_cancel(message)


def named(cancel):
    return cancel.get("params", {}).get(CANCELS[cancel["method"]])


def recorded(record, name, wire):
    """The messages of a recording, and for each when it was there, counted in pieces of all recordings."""
    stream, found, ends = io.BytesIO((record / name).read_bytes()), [], []
    for body in wire.bodies(stream):
        found.append(json.loads(body))
        ends.append(stream.tell())
    places, at = [], 0
    pieces = [line.split() for line in (record / "order").read_text().splitlines()]
    pieces = [(place, int(count)) for place, (kind, count) in enumerate(pieces) if kind == name]
    for end in ends:
        while pieces[at][1] < end:
            at += 1
        places.append(pieces[at][0])
    return found, places


class Asked:
    """A request of the client's, and what came of it."""

    def __init__(self, message, place, segment):
        self.message, self.place, self.segment = message, place, segment
        self.answer = self.answered_at = self.cancelled_at = None
        self.is_servers = False
        # The server's requests that say the same, between the same notifications.
        self.computed = []

    @property
    def method(self):
        return self.message["method"]

    @property
    def question(self):
        return self.segment, content(self.message)

    def is_shown(self):
        return self.answer is not None and "result" in self.answer


class Judgement:
    """Raises `Trouble` where something does not hold; counts the rest."""

    def __init__(self, log, record, wire, is_wrapped, routes, hung_up):
        self.log, self.is_wrapped, self.routes, self.hung_up = log, is_wrapped, routes, hung_up
        (self.heard, self.heard_at), (self.said, self.said_at) = (
            recorded(record, name, wire) for name in ("in", "out"))
        self.asked = self.requests_of_client()
        self.expect_one_answer_each()
        self.expect_notifications([message for way, message in log if way == SENT and is_note(message)],
                                  list(filter(is_note, self.heard)), "server")
        self.computed = self.requests_at_server()
        self.expect_answers_of_client()
        self.expect_answers_of_server()
        self.expect_order_of_output()
        self.expect_right_cancels()
        self.expect_newest_last()

    # MARK: From the client to the server

    def requests_of_client(self):
        asked, segment = {}, 0
        for place, (way, message) in enumerate(self.log):
            if way == HEARD:
                continue
            if is_request(message):
                asked[message["id"]] = Asked(message, place, segment)
            elif is_cancel(message):
                asked[named(message)].cancelled_at = place
            elif not is_answer(message):
                segment += 1
        return asked

    def expect_one_answer_each(self):
        for place, (way, message) in enumerate(self.log):
            if way == SENT or not is_answer(message):
                continue
            asked = self.asked.get(message.get("id"))
            expect(asked, f"an answer to nothing that was asked: {brief(message)}")
            expect(asked.answer is None, f"request {message['id']}, {asked.method}, has two answers")
            asked.answer, asked.answered_at = message, place
        for number, asked in self.asked.items():
            # A server of tools does not answer what was cancelled.
            silent = asked.cancelled_at is not None and not self.is_wrapped
            expect(asked.answer or silent, f"request {number}, {asked.method}, has no answer")

    def requests_at_server(self):
        """By its ids: what the client asked between the same notifications, in the same words."""
        sought = collections.defaultdict(list)
        for asked in self.asked.values():
            sought[asked.question].append(asked)
        computed, segment, times = {}, 0, collections.Counter()
        for message in self.heard:
            if is_request(message):
                question = segment, content(message)
                times[question] += 1
                expect(times[question] <= len(sought[question]),
                       f"behind notification {segment} of the client the server hears what was not asked there: "
                       f"{brief(message)}")
                computed[message["id"]] = sought[question]
                for asked in sought[question]:
                    asked.computed.append(message["id"])
            elif not is_answer(message) and not is_cancel(message):
                segment += 1
        return computed

    def expect_notifications(self, left, arrived, whom):
        """What is neither an answer nor a cancel comes whole and in order."""
        for one, other in zip(left, arrived):
            expect(content(one) == content(other), f"the {whom} has {brief(other)} where {brief(one)} belongs")
        expect(len(left) == len(arrived), f"of {len(left)} notifications the {whom} has {len(arrived)}")

    def count_of_last_words(self):
        """How many messages the server says behind its last answer."""
        last = max(place for place, message in enumerate(self.said) if is_answer(message))
        return len(self.said) - last - 1

    def expect_answers_of_client(self):
        """Each of the server's requests hears what the client answered to it."""
        asked = [message for message in self.said if is_request(message)]
        shown = [message for way, message in self.log if way == HEARD and is_request(message)]
        expect(len(asked) == len(shown), f"of {len(asked)} requests of the server the client hears {len(shown)}")
        answers = {message["id"]: content(message) for way, message in self.log if way == SENT and is_answer(message)}
        arrived = {normal(message.get("id")): content(message) for message in self.heard if is_answer(message)}
        for one, other in zip(asked, shown):
            expect(content(one) == content(other), f"the client hears {brief(other)}, not {brief(one)}")
            # The server may have ended before it read it.
            if answer := arrived.get(normal(one["id"])):
                expect(answer == answers[other["id"]], f"the server hears {answer} to {brief(one)}")
            else:
                expect(self.ends_behind(other), f"the server hears no answer to {brief(one)}")

    def ends_behind(self, message):
        """Whether that was heard when all was over."""
        exits = [place for place, (way, sent) in enumerate(self.log) if way == SENT and sent.get("method") == "exit"]
        return bool(exits) and self.log.index((HEARD, message)) > exits[0]

    # MARK: From the server to the client

    def expect_answers_of_server(self):
        """An answer is what the server said to that very question, or, through a gateway, says why there is none."""
        said = {message.get("id"): message for message in self.said if is_answer(message)}
        for asked in self.asked.values():
            if asked.answer is None:
                continue
            words = {content(said[number]) for number in asked.computed if number in said}
            asked.is_servers = content(asked.answer) in words
            if not asked.is_servers:
                self.expect_refusal(asked)

    def expect_refusal(self, asked):
        what = f"request {asked.message['id']}, {asked.method},"
        expect("error" in asked.answer, f"{what} has the answer {brief(asked.answer)}, which the server did not give")
        code = asked.answer["error"]["code"]
        expect(self.is_wrapped and code in (CANCELLED, MODIFIED), f"{what} is refused: {brief(asked.answer)}")
        if code == CANCELLED:
            expect(asked.cancelled_at is not None, f"{what} is cancelled by nobody: {brief(asked.answer)}")
        else:
            expect(self.may_be_superseded(asked), f"{what} is superseded by nothing: {brief(asked.answer)}")

    def may_be_superseded(self, asked):
        """Something was edited behind it, or something else was asked, before it was answered."""
        behind = [message for way, message in self.log[asked.place + 1:asked.answered_at] if way == SENT]
        return asked.method in self.routes and any(
            is_edit(message) or message.get("method") == asked.method and content(message) != content(asked.message)
            for message in behind)

    def expect_order_of_output(self):
        """What the server said comes in its order, but for the answers that nobody wanted any more."""
        shown = [message for way, message in self.log if way == HEARD and not is_answer(message)]
        said = [message for message in self.said if not is_answer(message)]
        if self.hung_up and len(shown) < len(said):
            # Nobody is there any more to hear what it says then.
            said = said[:max(len(shown), len(said) - self.count_of_last_words())]
        self.expect_notifications(said, shown, "client")
        said, begin = [self.token_of_server(message) for message in self.said], 0
        for way, message in self.log:
            if way == SENT or (asked := self.asked.get(message.get("id"))) and is_answer(message) \
                    and not asked.is_servers:
                continue
            token = (asked.question, content(message)) if is_answer(message) else content(message)
            # The same answer may be for several.
            expect(token in said[max(begin - 1, 0):], f"out of the server's order: {brief(message)}")
            begin = said.index(token, max(begin - 1, 0)) + 1

    def token_of_server(self, message):
        if not is_answer(message):
            return content(message)
        sharers = self.computed.get(message.get("id"))
        return sharers[0].question if sharers else None, content(message)

    def expect_right_cancels(self):
        """Nothing that the client still waits for is cancelled."""
        for message in filter(is_cancel, self.heard):
            sharers = self.computed.get(named(message))
            expect(sharers, f"the server is told to cancel what it was not asked: {brief(message)}")
            expect(any(asked.cancelled_at is not None or not asked.is_servers for asked in sharers),
                   f"the server is told to cancel what is still wanted: {brief(message)}")

    # MARK: Stale answers

    def expect_newest_last(self):
        """No result gets through when a newer question about newer text has got through before the server gave it."""
        self.stale = 0
        asked_at, answered_at = {}, {}
        for place, message in zip(self.heard_at, self.heard):
            if is_request(message):
                asked_at[message["id"]] = place
        for place, message in zip(self.said_at, self.said):
            if is_answer(message):
                answered_at[message.get("id")] = place
        for asked in self.asked.values():
            if asked.method not in SUPERSEDED_METHODS or not asked.is_shown():
                continue
            newer = [other for other in self.asked.values()
                     if other.method == asked.method and other.segment > asked.segment]
            self.stale += any(other.place < asked.answered_at for other in newer)
            if asked.method not in self.routes or not asked.is_servers:
                continue
            given = min(answered_at[number] for number in asked.computed if number in answered_at)
            sent = [asked_at[number] for other in newer for number in other.computed]
            expect(all(place > given for place in sent),
                   f"request {asked.message['id']}, {asked.method}, is answered though a newer one superseded it")

    def count(self):
        explicit = [asked for asked in self.asked.values() if asked.cancelled_at is not None]
        return {
            "requests": len(self.asked), "stale": self.stale,
            "sent": sum(map(is_request, self.heard)),
            "computed": sum("result" in message for message in self.said if is_answer(message)),
            "cancelled": len(explicit), "kept": sum(asked.is_shown() for asked in explicit)}


def expect_same_end(record, status, errors):
    """What the server wrote to standard error has come through, and nothing else; and so has its status."""
    written = (record / "err").read_bytes()
    expect(errors == written, f"standard error is {errors[-500:]!r}, the server's {written[-500:]!r}")
    own = int((record / "status").read_text())
    expect(status == own, f"the status is {status}, the server's {own}")
