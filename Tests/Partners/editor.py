"""An editor's session with a language server: it types, asks behind each letter, and at rest asks all there is."""
import os

from link import Trouble, brief, expect
from wire import Headers, normal

# Between two letters of somebody who types fast.
LETTER_SECONDS = 0.04
# More than a message between programs that do not trust each other may have.
BIG_BYTES = 4 * 1024 * 1024 + 256 * 1024
NAMES = {
    "documentSymbol": "documentSymbolProvider", "foldingRange": "foldingRangeProvider",
    "documentLink": "documentLinkProvider", "codeLens": "codeLensProvider", "diagnostic": "diagnosticProvider",
    "semanticTokens/full": "semanticTokensProvider", "formatting": "documentFormattingProvider",
    "hover": "hoverProvider", "completion": "completionProvider", "signatureHelp": "signatureHelpProvider",
    "definition": "definitionProvider", "declaration": "declarationProvider",
    "typeDefinition": "typeDefinitionProvider", "implementation": "implementationProvider",
    "references": "referencesProvider", "documentHighlight": "documentHighlightProvider",
    "prepareRename": "renameProvider", "rename": "renameProvider", "selectionRange": "selectionRangeProvider",
    "inlayHint": "inlayHintProvider", "codeAction": "codeActionProvider",
}
OF_A_DOCUMENT = ["documentSymbol", "foldingRange", "documentLink", "codeLens", "diagnostic", "semanticTokens/full",
                 "formatting", "inlayHint"]
OF_A_PLACE = ["hover", "completion", "signatureHelp", "definition", "declaration", "typeDefinition",
              "implementation", "references", "documentHighlight", "prepareRename", "rename", "selectionRange",
              "codeAction"]
# What an editor asks anew while somebody types, and behind how many letters.
WHILE_TYPING = [("completion", 1), ("hover", 3), ("signatureHelp", 4), ("documentSymbol", 5), ("diagnostic", 6),
                ("documentHighlight", 7), ("semanticTokens/full", 8), ("foldingRange", 9)]
CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True, "applyEdit": True, "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "didChangeConfiguration": {"dynamicRegistration": True}, "symbol": {}},
    "textDocument": {
        "synchronization": {"didSave": True},
        "completion": {"contextSupport": True, "completionItem": {
            "snippetSupport": True, "documentationFormat": ["markdown", "plaintext"]}},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "signatureHelp": {"signatureInformation": {"parameterInformation": {"labelOffsetSupport": True}}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor", "source"]}}},
        "definition": {}, "references": {}, "documentHighlight": {}, "foldingRange": {}, "selectionRange": {},
        "diagnostic": {}, "inlayHint": {}, "rename": {"prepareSupport": True},
        "semanticTokens": {
            "requests": {"full": True}, "formats": ["relative"], "tokenModifiers": [],
            "tokenTypes": ["namespace", "class", "function", "method", "variable", "parameter", "keyword", "string"]}},
}


class Editor:
    """Keeps the document and speaks of it over a link."""

    wire, flags = Headers, []

    def __init__(self, server, work):
        self.server, self.work = server, work
        self.directory = work.as_uri()
        self.uri = f"{self.directory}/{server.file}"
        self.text, self.version = server.text, 0
        self.answers = {}

    def answer_to(self, message):
        """What an editor says to what the server asks."""
        method, params = message["method"], message.get("params") or {}
        if method == "workspace/configuration":
            return [self.server.settings.get(item.get("section") or "") for item in params["items"]]
        if method == "workspace/workspaceFolders":
            return self.folders()
        if method == "workspace/applyEdit":
            return {"applied": False}
        return None

    def folders(self):
        return [{"uri": self.directory, "name": "work"}]

    def play(self, link):
        self.link = link
        self.begin()
        self.eventually_ready()
        self.type_all()
        self.eventually_ready()
        self.ask_all()
        self.open_big()
        self.ask("shutdown", None)
        link.send({"method": "exit"})
        if not self.server.hangs_up:
            link.wait(lambda: link.has_ended, "end of output behind exit")

    # MARK: The beginning

    def begin(self):
        result = self.link.ask("initialize", {
            "processId": os.getpid(), "clientInfo": {"name": "partners"}, "rootUri": self.directory,
            "rootPath": str(self.work), "capabilities": CAPABILITIES, "trace": "off",
            "workspaceFolders": self.folders(), "initializationOptions": self.server.options})["result"]
        self.provided = result["capabilities"]
        self.version_of_server = result.get("serverInfo", {}).get("version", "")
        self.answers["initialize"] = normal(result)
        self.link.send({"method": "initialized", "params": {}},
                       {"method": "workspace/didChangeConfiguration", "params": {"settings": self.server.settings}},
                       self.opening(self.uri, self.text))

    def opening(self, uri, text):
        return {"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": uri, "languageId": self.server.language, "version": self.version, "text": text}}}

    def offers(self, name):
        if name in self.server.skipped:
            return False
        provided = self.provided.get(NAMES[name])
        if name == "semanticTokens/full":
            return bool(provided and provided.get("full"))
        if name == "prepareRename":
            return isinstance(provided, dict) and bool(provided.get("prepareProvider"))
        return provided is not None and provided is not False

    # MARK: What is asked

    def params(self, name, line=0, character=0):
        position = {"line": line, "character": character}
        params = {"textDocument": {"uri": self.uri}}
        if name in OF_A_PLACE and name not in ("selectionRange", "codeAction"):
            params["position"] = position
        if name == "completion":
            params["context"] = {"triggerKind": 1}
        elif name == "references":
            params["context"] = {"includeDeclaration": True}
        elif name == "rename":
            params["newName"] = "renamed"
        elif name == "selectionRange":
            params["positions"] = [position]
        elif name == "codeAction":
            params |= {"range": {"start": position, "end": position}, "context": {"diagnostics": []}}
        elif name == "inlayHint":
            params["range"] = {"start": {"line": 0, "character": 0}, "end": {"line": self.lines(), "character": 0}}
        elif name == "formatting":
            params["options"] = {"tabSize": 4, "insertSpaces": True}
        return params

    def lines(self):
        return self.text.count("\n")

    def ask(self, method, params):
        """Asks at rest: the answer has to be the same in each play."""
        answer = self.link.ask(method, params)
        key = f"{len(self.answers)} {method} {normal(params)[:200]}"
        self.answers[key] = self.server.stable(normal({name: answer.get(name) for name in ("result", "error")}))
        return answer

    def eventually_ready(self):
        """Asks until the server knows what is in the document."""
        name, line, character, word = self.server.ready
        for _ in range(self.server.attempts):
            answer = self.link.ask(f"textDocument/{name}", self.params(name, line, character))
            if word in normal(answer.get("result")):
                return
            self.link.pause(LETTER_SECONDS)
        raise Trouble(f"{word!r} is not in the answer to {name}: {brief(answer)}")

    def ask_all(self):
        for name in filter(self.offers, OF_A_DOCUMENT):
            self.ask(f"textDocument/{name}", self.params(name))
        for line, character in self.server.places:
            for name in filter(self.offers, OF_A_PLACE):
                self.ask(f"textDocument/{name}", self.params(name, line, character))
        if self.provided.get("workspaceSymbolProvider"):
            self.ask("workspace/symbol", {"query": self.server.symbol})

    # MARK: Typing

    def type_all(self):
        """The same line several times, each in another manner."""
        open_requests = []
        for manner in ("awaiting", "at once", "cancelling", "at a human rhythm"):
            open_requests += self.type_line(self.server.typed, manner)
            self.change("\n")
        for request in open_requests:
            self.link.answer(request)

    def type_line(self, letters, manner):
        asked, batch, previous = [], [], None
        for number, letter in enumerate(letters, 1):
            messages = [self.edit(letter)]
            if manner == "cancelling" and previous:
                messages.append({"method": "$/cancelRequest", "params": {"id": previous["id"]}})
            requests = self.questions(number, letters[:number])
            previous = requests[0] if requests else None
            messages += requests
            asked += requests
            if manner == "at once":
                batch += messages
                continue
            self.link.send(*messages)
            if manner == "at a human rhythm":
                self.link.pause(LETTER_SECONDS)
            elif manner == "awaiting" and previous:
                self.link.answer(previous)
        self.link.send(*batch)
        return asked

    def questions(self, number, line):
        """What an editor asks behind a letter; some things twice, as editors whose parts know nothing of each other."""
        found = []
        for name, every in WHILE_TYPING:
            if number % every == 0 and self.offers(name):
                params = self.params(name, self.lines(), len(line))
                found += [self.link.request(f"textDocument/{name}", params) for _ in range(1 + (every == 5))]
        return found

    def edit(self, letter):
        """The notification of a letter at the end of the text."""
        end = {"line": self.lines(), "character": len(self.text.rpartition("\n")[2])}
        self.text += letter
        self.version += 1
        synchronization = self.provided.get("textDocumentSync")
        kind = synchronization.get("change") if isinstance(synchronization, dict) else synchronization
        change = {"range": {"start": end, "end": end}, "text": letter} if kind == 2 else {"text": self.text}
        return {"method": "textDocument/didChange", "params": {
            "textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": [change]}}

    def change(self, letter):
        self.link.send(self.edit(letter))

    # MARK: A big document

    def open_big(self):
        """One that is longer than messages usually may be, and is asked about."""
        if not self.server.big:
            return
        text, name, line, character, word = self.server.big()
        self.uri = f"{self.directory}/big-{self.server.file}"
        self.link.send(self.opening(self.uri, text))
        answer = self.ask(f"textDocument/{name}", self.params(name, line, character))
        expect(word in normal(answer.get("result")),
               f"{word!r} is not in the answer about a long document: {brief(answer)}")
        self.link.send({"method": "textDocument/didClose", "params": {"textDocument": {"uri": self.uri}}})
