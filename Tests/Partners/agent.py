"""An assistant's session with a server of the Model Context Protocol."""
from link import brief, expect
from wire import Lines, normal

# What a server offers, and what it is then asked.
LISTS = [("tools", ["tools/list"]), ("resources", ["resources/list", "resources/templates/list"]),
         ("prompts", ["prompts/list"])]
PROGRESS = "notifications/progress"


class Agent:
    """Calls the server's tools one after the other and all at once, and cancels one."""

    wire, flags = Lines, ["--mcp"]

    def __init__(self, server, work):
        self.server, self.work = server, work
        self.answers = {}

    def answer_to(self, message):
        if message["method"] == "roots/list":
            return {"roots": [{"uri": self.work.as_uri(), "name": "work"}]}
        return {}

    def play(self, link):
        self.link = link
        self.begin()
        self.list_all()
        for name, arguments in self.server.calls:
            self.ask("tools/call", self.call(name, arguments))
        for name, arguments in self.server.passing:
            link.ask("tools/call", self.call(name, arguments))
        self.call_at_once()
        self.cancel_one()
        for name, arguments, letters in self.server.long:
            answer = self.ask("tools/call", self.call(name, arguments))
            expect(len(normal(answer)) >= letters, f"the answer is not that long: {brief(answer)}")
        self.ask("ping", None)

    def begin(self):
        result = self.link.ask("initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {"roots": {}},
            "clientInfo": {"name": "partners", "version": "1"}})["result"]
        self.provided = result["capabilities"]
        self.version_of_server = result["serverInfo"].get("version", "")
        self.keep("initialize", result)
        self.link.send({"method": "notifications/initialized"})

    def list_all(self):
        for what, methods in LISTS:
            if what in self.provided:
                for method in methods:
                    self.ask(method, {})
        for method, params in self.server.questions:
            self.ask(method, params)

    def call(self, name, arguments, **others):
        return {"name": name, "arguments": arguments, **others}

    def keep(self, what, answer):
        self.answers[f"{len(self.answers)} {what[:200]}"] = normal(answer)

    def ask(self, method, params):
        answer = self.link.ask(method, params)
        self.keep(f"{method} {normal(params)}", {name: answer.get(name) for name in ("result", "error")})
        return answer

    def call_at_once(self):
        """Each of them is answered: nothing supersedes anything."""
        requests = [self.link.request("tools/call", self.call(name, arguments))
                    for name, arguments in self.server.calls]
        self.link.send(*requests)
        for request in requests:
            answer = self.link.answer(request)
            self.keep(f"at once {normal(request['params'])}",
                      {name: answer.get(name) for name in ("result", "error")})

    def cancel_one(self):
        """One that has told that it goes on, where the server does so."""
        if not self.server.endless:
            return
        name, arguments, tells = self.server.endless
        request = self.link.request("tools/call", self.call(name, arguments, _meta={"progressToken": "endless"}))
        self.link.send(request)
        if tells:
            self.link.wait(lambda: self.link.heard(PROGRESS), "progress")
        self.link.send({"method": "notifications/cancelled",
                        "params": {"requestId": request["id"], "reason": "enough"}})
        # Through a gateway it has been answered before this is.
        self.ask("ping", None)
