import Foundation
import LastwordKit
import TestSupport
import Testing

/// Gateways in this process that serve those only whom they know.
@Suite struct PrincipalTests {
  private static let ada = "lw_ada-0123456789abcdefghij"
  private static let bob = "lw_bob-0123456789abcdefghij"
  private static let adasDigest = "sha256:959171da3789cd30ed7b92d45e1c0ffe9a1eb37034b633ec35bb8ca838e2fb59"
  private static let bobsDigest = "sha256:778530c981ecb69313481c64eccefe421fa71d012d13b13303d718a136cc3d2b"

  /// Ada, and Bob with what `change` makes of him.
  private func gateway(
    listen: [String] = ["127.0.0.1:0"], _ change: (inout Principal) -> Void = { _ in }
  ) -> Gateway {
    var bob = Principal("bob", tokens: [Self.bobsDigest])
    change(&bob)
    var options = GatewayOptions()
    options.authentication = .required([Principal("ada", tokens: [Self.adasDigest]), bob])
    options.drain = .zero
    var gateway = Gateway(listen: listen, options: options)
    gateway.handle("echo") { (request: Request) in request.params }
    gateway.handle("search.all") { (request: Request) in request.params }
    gateway.handle("wait") { (_: NoParams) in try await Task.sleep(for: .seconds(600)) }
    return gateway
  }

  private func connect(_ served: ServedGateway, as token: String) throws -> LineSocket {
    let client = try served.connect()
    let answer = try client.ask("lastword.authenticate", #"{"token":"\#(token)"}"#, id: 0)
    guard answer.hasPrefix(#""result":{"principal":"#) else { throw Unexpected(description: answer) }
    return client
  }

  private func asking(_ method: String, key: String, id: Int, task: String = "") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","task":{"key":"\#(key)"\#(task)}}"#
  }

  private func isForbidden(_ answer: String) -> Bool { answer.hasPrefix(#""error":{"code":-32088,"#) }

  // MARK: Who comes

  @Test func `a client is served once it has said who it is, and not with another's token`() async throws {
    try await ServedGateway.serving(gateway()) { served in
      let client = try served.connect()
      #expect(try client.ask("echo", "[1]").hasPrefix(#""error":{"code":-32087,"#))
      let wrong = try client.ask("lastword.authenticate", #"{"token":"\#(Self.ada)x"}"#)
      #expect(wrong.hasPrefix(#""error":{"code":-32087,"#))
      let right = try client.ask("lastword.authenticate", #"{"token":"\#(Self.ada)"}"#)
      #expect(right == #""result":{"principal":"ada"}"#)
      #expect(try client.ask("echo", "[1]") == #""result":[1]"#)
    }
  }

  @Test func `the user of a Unix socket is known without a word`() async throws {
    let directory = try TemporaryDirectory()
    let mine = gateway(listen: ["unix:\(directory.path)/mine"]) { $0.users = [getuid()] }
    let answer = try await ServedGateway.serving(mine) { try $0.connect().ask("echo", "[1]") }
    #expect(answer == #""result":[1]"#)
    let others = gateway(listen: ["unix:\(directory.path)/others"]) { $0.users = [getuid() + 1] }
    let refusal = try await ServedGateway.serving(others) { try $0.connect().ask("echo", "[1]") }
    #expect(refusal.hasPrefix(#""error":{"code":-32087,"#))
  }

  // MARK: Whom it meets

  @Test func `principals do not meet at a key, unless they share a namespace`() async throws {
    for shares in [false, true] {
      let gateway = gateway { if shares { $0.namespace = "ada" } }
      try await ServedGateway.serving(gateway) { served in
        let (ada, bob) = (try connect(served, as: Self.ada), try connect(served, as: Self.bob))
        try ada.send(asking("wait", key: "box", id: 1))
        let seen = #""result":{"count":1,"#
        while try !ada.ask("lastword.inspect", #"{"key":"box"}"#, id: 2).hasPrefix(seen) {}
        #expect(try bob.ask("lastword.inspect", #"{"key":"box"}"#).hasPrefix(seen) == shares)
        #expect(try bob.call(asking("echo", key: "box", id: 3)).contains("\"result\""))
        if shares {
          #expect(try ada.outcome(id: 1).hasPrefix(#""error":{"code":-32080,"#))
        } else {
          #expect(try ada.ask("lastword.inspect", #"{"key":"box"}"#, id: 4).hasPrefix(seen))
        }
      }
    }
  }

  // MARK: What it may do

  @Test func `a principal calls the methods that are its own, by name or beginning`() async throws {
    try await ServedGateway.serving(gateway { $0.methods = ["search.*", "wait"] }) { served in
      let bob = try connect(served, as: Self.bob)
      #expect(try bob.ask("search.all", "[1]") == #""result":[1]"#)
      #expect(isForbidden(try bob.ask("echo", "[1]")))
      #expect(try connect(served, as: Self.ada).ask("echo", "[1]") == #""result":[1]"#)
    }
    let none = try await ServedGateway.serving(gateway { $0.methods = [] }) { served in
      try connect(served, as: Self.bob).ask("echo", "[1]")
    }
    #expect(isForbidden(none))
  }

  @Test func `each of its rights can be withheld`() async throws {
    let changes: [(String, @Sendable (inout Principal) -> Void)] = [
      (asking("echo", key: "k", id: 1, task: #","policy":"concurrent""#), { $0.policies = [.cancel] }),
      (asking("echo", key: "k", id: 1, task: #","join":"identical""#), { $0.mayJoin = false }),
      (request("lastword.cancel", #"{"key":"k"}"#), { $0.mayCancelByKey = false }),
      (request("lastword.inspect", #"{"key":"k"}"#), { $0.mayInspect = false }),
    ]
    for (line, change) in changes {
      let (bobs, adas) = try await ServedGateway.serving(gateway(change)) { served in
        (
          try connect(served, as: Self.bob).call(line), try connect(served, as: Self.ada).call(line)
        )
      }
      #expect(bobs.contains("\"code\":-32088"), "\(line)")
      #expect(!adas.contains("-32088"), "\(line)")
    }
  }

  // MARK: What cannot start

  private func fault(of principals: [Principal]) async -> String? {
    var options = GatewayOptions()
    options.authentication = .required(principals)
    let error = await #expect(throws: GatewayError.self) {
      try await Gateway(listen: ["127.0.0.1:0"], options: options).run()
    }
    #expect(error?.code == .invalidPrincipal)
    return error?.description
  }

  @Test func `who is nobody, or somebody else as well, is told`() async {
    let digests = (0...16).map { "sha256:" + String(repeating: "0", count: 62) + String(16 + $0, radix: 16) }
    func with(_ change: (inout Principal) -> Void) -> [Principal] {
      var principal = Principal("ada", users: [1])
      change(&principal)
      return [principal]
    }
    let mistakes: [([Principal], String)] = [
      ([], "nobody could come"), ([Principal("ada")], "needs tokens or users"),
      ([Principal("", users: [1])], "has no name"), ([Principal("a b", users: [1])], "has no name"),
      ([Principal(String(repeating: "a", count: 65), users: [1])], "has no name"),
      (with { $0.namespace = "é" }, "namespace"), ([Principal("ada", users: [.max])], "nobody's"),
      ([Principal("ada", tokens: [Self.ada])], "sha256:"),
      ([Principal("ada", tokens: [String(Self.adasDigest.dropLast())])], "sha256:"),
      ([Principal("ada", tokens: digests)], "more than 16"),
      ([Principal("ada", users: Array(0...64))], "more than 64"),
      (with { $0.methods = [""] }, "a method has a name"), (with { $0.methods = ["a*b"] }, "at the end only"),
      (with { $0.methods = ["lastword.ping"] }, "the gateway's own"),
      (with { $0.methods = (0...256).map { "m\($0)" } }, "more than 256"),
      ([Principal("ada", users: [1]), Principal("ada", users: [2])], "twice"),
      ([Principal("ada", users: [1]), Principal("bob", users: [1])], "twice"),
      ([Principal("ada", tokens: [Self.adasDigest]), Principal("bob", tokens: [Self.adasDigest])], "twice"),
      ((0...1_024).map { Principal("p\($0)", users: [UInt32($0)]) }, "more than 1024"),
    ]
    for (principals, part) in mistakes {
      let fault = await fault(of: principals)
      #expect(fault?.contains(part) == true, "\(fault ?? "nothing") does not say \(part)")
      #expect(fault?.contains(Self.ada) == false, "what may be a token is not repeated")
    }
  }

  @Test func `as many as there may be of each start`() async throws {
    var principals = (2...1_024).map { Principal("p\($0)", users: [UInt32($0) + 100]) }
    var ada = Principal(String(repeating: "a", count: 64), tokens: [Self.adasDigest], users: Array(0...63))
    ada.tokens += (1...15).map { "sha256:" + String(repeating: "0", count: 62) + String(16 + $0, radix: 16) }
    ada.methods = (0..<256).map { "m\($0)" }
    principals.append(ada)
    var options = GatewayOptions()
    options.authentication = .required(principals)
    try await ServedGateway.serving(Gateway(listen: ["127.0.0.1:0"], options: options)) { served in
      let client = try connect(served, as: Self.ada)
      #expect(try client.ask("m255").hasPrefix(#""error":{"code":-32601,"#))
      #expect(isForbidden(try client.ask("m256")))
    }
  }

  @Test func `a gateway that asks who comes may listen for others without another word`() async throws {
    try await ServedGateway.serving(gateway(listen: ["0.0.0.0:0"])) { served in
      let port = served.addresses[0].split(separator: ":").last ?? ""
      let client = try LineSocket("127.0.0.1:\(port)")
      #expect(try client.ask("echo", "[1]").hasPrefix(#""error":{"code":-32087,"#))
    }
  }
}
