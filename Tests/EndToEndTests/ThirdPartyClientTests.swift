import Foundation
import TestSupport
import Testing

/// Programs with client libraries of others, unmodified, against the real gateway.
///
/// `scripts/clients` installs the libraries and prints what `LASTWORD_CLIENTS` has to be.
@Suite struct ThirdPartyClientTests {
  /// The Python that has the libraries.
  static let python = ProcessInfo.processInfo.environment["LASTWORD_CLIENTS"]
  /// The Go command, for the client in its standard library.
  static let go = ProcessInfo.processInfo.environment["LASTWORD_GO"]

  /// Debian's packages of Go libraries are sources in a workspace of before modules.
  static let gorilla = "/usr/share/gocode"
  static let hasGorilla =
    go != nil && FileManager.default.fileExists(atPath: gorilla + "/src/github.com/gorilla/websocket")

  static let keysInParams = "[[route]]\nmethod = \"sleep\"\nkey = \"/key\"\npolicy = \"cancel\"\n"
  static let documents = """
    errorProfile = "lsp"
    [[route]]
    method = "sleep"
    key = "/textDocument/uri"
    policy = "cancel"
    """

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func gateway(_ configuration: String) throws -> RunningGateway {
    let path = directory.path + "/lastword.toml"
    try Data(("[[listen]]\naddress = \"127.0.0.1:0\"\n" + configuration).utf8)
      .write(to: URL(fileURLWithPath: path))
    return try RunningGateway(["--config", path], listen: [])
  }

  /// What a client said, after which it has to have ended well and the gateway to serve others.
  private func lines(of client: RunningProgram, at gateway: RunningGateway) throws -> [String] {
    var lines: [String] = []
    while let line = client.outputLine() { lines.append(line) }
    let status = client.exitStatus()
    if status != 0 {
      lines.append("exit status \(status ?? -1)")
      while let line = client.errorLine() { lines.append(line) }
    }
    #expect(try gateway.connect().isInStep())
    return lines
  }

  /// Not every library gives up by itself when an answer does not come.
  private func watched(_ program: [String], environment: [String: String] = [:]) throws -> RunningProgram {
    let watchdog = ["timeout", "\(LineSocket.watchdogSeconds)"]
    return try RunningProgram("/usr/bin/env", watchdog + program, environment: environment)
  }

  private func run(_ name: String, _ configuration: String) throws -> [String] {
    let gateway = try gateway(configuration)
    let path = "\(Programs.repository)/Tests/Clients/\(name)"
    return try lines(of: watched([Self.python!, path, gateway.address]), at: gateway)
  }

  @Test(.enabled(if: python != nil))
  func `aiorpcX gets results, batches, errors, and the newest of a key from its params`() throws {
    #expect(
      try run("with_aiorpcx.py", Self.keysInParams) == [
        #"{"by position": ["a", 1]}"#,
        #"{"by name": {"a": 1}}"#,
        #"{"error": -32601}"#,
        #"{"batch": [["first"], -32601, ["last"]]}"#,
        #"{"superseded by a request": [-32080, {"ms": 0, "key": "box", "q": "sw"}]}"#,
        #"{"superseded by a notification": -32080}"#,
        #"{"cancelled requests": {"cancelled": 1}}"#,
        #"{"cancelled": -32800}"#,
        #"{"lastword.call": [["newest"], -32080]}"#,
      ])
  }

  @Test(.enabled(if: python != nil))
  func `pygls cancels as editors do, and only the newest request of a document is answered`() throws {
    #expect(
      try run("with_pygls.py", Self.documents) == [
        #"{"request": [[1, 2], "\u00e9"]}"#,
        #"{"error": ["JsonRpcMethodNotFound", -32601]}"#,
        #"{"cancelled": ["JsonRpcRequestCancelled", -32800]}"#,
        #"{"superseded by a request": ["JsonRpcException", -32801]}"#,
        #"{"newest of the document": "file:///a"}"#,
        #"{"another document": "file:///b"}"#,
        #"{"superseded by a notification": ["JsonRpcException", -32801]}"#,
        #"{"lastword.call": [["newest"], ["JsonRpcException", -32801]]}"#,
      ])
  }

  @Test(.enabled(if: python != nil))
  func `jsonrpclib, which cannot add to a request, says key and policy with lastword.call`() throws {
    #expect(
      try run("with_jsonrpclib.py", "") == [
        #"{"by position": ["a", 1]}"#,
        #"{"by name": {"a": 1}}"#,
        #"{"error": ["ProtocolError", -32601]}"#,
        #"{"batch": [["ProtocolError", -32601], ["first"], ["last"]]}"#,
        #"{"newest": ["newest"]}"#,
        #"{"superseded by a request": ["ProtocolError", -32080]}"#,
        #"{"superseded by a notification": ["ProtocolError", -32080]}"#,
        #"{"cancelled requests": {"cancelled": 1}}"#,
        #"{"cancelled": ["AppError", -32800]}"#,
      ])
  }

  @Test(.enabled(if: python != nil))
  func `jsonrpcclient says key and policy in a member, through the route and with lastword.call`() throws {
    #expect(
      try run("with_jsonrpcclient.py", Self.keysInParams) == [
        #"{"request": {"text": "\u00e9"}}"#,
        #"{"error": -32601}"#,
        #"{"batch": [[3, ["first"]], [4, -32601]]}"#,
        #"{"superseded by a request": -32080}"#,
        #"{"newest": [["newest"]]}"#,
        #"{"superseded by a notification": -32080}"#,
        #"{"cancelled": -32800}"#,
        #"{"superseded through the route": -32080}"#,
        #"{"superseded through lastword.call": -32080}"#,
      ])
  }

  @Test(.enabled(if: python != nil))
  func `websockets gets what it asks for, and takes back by id, over a WebSocket`() throws {
    #expect(
      try run("with_websockets.py", "") == [
        #"{"subprotocol": "lastword.1"}"#,
        #"{"request": {"text": "\u00e9"}}"#,
        #"{"error": -32601}"#,
        #"{"newest": [["newest"], -32080]}"#,
        #"{"cancelled": -32800}"#,
        #"{"large": 500000}"#,
        #"{"closed": 1000}"#,
      ])
  }

  @Test(.enabled(if: python != nil))
  func `aiohttp supersedes by POST what it has asked over a WebSocket`() throws {
    #expect(
      try run("with_aiohttp.py", "") == [
        #"{"subprotocol": "lastword.1"}"#,
        #"{"batch": [["first"], -32601]}"#,
        #"{"newest, by POST": [200, ["newest"]]}"#,
        #"{"superseded": -32080}"#,
        #"{"wrong": -32700}"#,
        #"{"right again": ["still there"]}"#,
        #"{"closed": 1000}"#,
        #"{"binary": ["CLOSE", 1003]}"#,
      ])
  }

  @Test func `the lines of Go's client, which speaks JSON-RPC 1.0, are each refused by their id`() throws {
    let gateway = try RunningGateway()
    let client = try gateway.connect()
    for (id, params) in ["[\"a\"]", "[{\"A\":7,\"B\":8}]", "[null]"].enumerated() {
      #expect(
        try client.call(#"{"method":"Arith.Multiply","params":\#(params),"id":\#(id)}"#)
          == #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32600,"message":"jsonrpc is missing"}}"#)
      #expect(try client.isInStep())
    }
  }

  @Test(.enabled(if: go != nil))
  func `Go's client hears that its request is refused, and why`() throws {
    let gateway = try RunningGateway()
    let path = "\(Programs.repository)/Tests/Clients/with_go.go"
    let client = try watched(
      [Self.go!, "run", path, gateway.address], environment: ["GOCACHE": directory.path + "/go"])
    #expect(
      try lines(of: client, at: gateway) == ["invalid error map[code:-32600 message:jsonrpc is missing]"])
  }

  @Test(.enabled(if: hasGorilla))
  func `gorilla's WebSocket gets what it asks for, and takes back by id`() throws {
    let gateway = try RunningGateway()
    let path = "\(Programs.repository)/Tests/Clients/with_gorilla.go"
    let workspace = [
      "GOCACHE": directory.path + "/go", "GO111MODULE": "off", "GOPATH": Self.gorilla, "GOFLAGS": "",
    ]
    let client = try watched([Self.go!, "run", path, gateway.address], environment: workspace)
    #expect(
      try lines(of: client, at: gateway) == [
        "subprotocol lastword.1", #"request {"text":"é"}"#, "error -32601", "superseded -32080",
        #"newest ["newest"]"#, "cancelled -32800", "large 500004", "closed true",
      ])
  }

  @Test(arguments: [
    "with_aiorpcx.py", "with_pygls.py", "with_jsonrpclib.py", "with_jsonrpcclient.py", "with_websockets.py",
    "with_aiohttp.py", "with_go.go", "with_gorilla.go",
  ])
  func `the page about clients shows the programs that are tested`(name: String) throws {
    let page = try String(contentsOfFile: Programs.repository + "/examples/clients.md", encoding: .utf8)
    let program = try String(
      contentsOfFile: "\(Programs.repository)/Tests/Clients/\(name)", encoding: .utf8)
    #expect(page.contains("\n" + program + "```\n"), "\(name)")
  }
}
