import Addresses
import ArgumentParser
import Client
import Glibc
import JSONRPC
import LibUV
import TaskStore

/// `lastword call`: one request, its answer on standard output, its outcome as the exit status.
struct CallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Send one request and print the answer.",
    discussion: """
      Exit status: 0 a result, 1 another error than these, 10 superseded, 11 cancelled, 12 deadline exceeded, \
      65 the request was not valid, 66 a file is not there, 69 gateway or upstream not available, 75 try again later, \
      77 not authenticated or not allowed. \
      An interrupt (Ctrl-C) cancels the request.
      """)

  @Argument(help: "The method.", completion: .method)
  var method: String

  @Argument(help: "The params: a JSON array or object.")
  var params: String?

  @Option(help: "Address of the gateway: \(GatewayPlace.forms).", completion: .clientAddress)
  var to = GatewayPlace(address: .tcp(host: "127.0.0.1", port: 5278))

  @OptionGroup var tls: TLSFlags

  @Option(help: "The key that requests compete for.")
  var key: String?

  @Option(help: "What happens when the key is busy: \(DuplicatePolicy.names).")
  var policy: DuplicatePolicy?

  @Option(help: "What the request gets when a newer one supersedes it: \(SupersededRule.names).")
  var superseded: SupersededRule?

  @Option(help: "Milliseconds after which the gateway gives up.")
  var timeoutMs: UInt32?

  @Flag(help: "Print each piece of the answer as it comes, a line each, before the answer.")
  var stream = false

  @OptionGroup var token: TokenSource

  @Flag(help: "Print the whole answer instead of its result or error.")
  var raw = false

  func validate() throws {
    try tls.check(to)
    if policy != nil && key == nil { throw ValidationError("--policy needs a --key") }
    if superseded != nil && key == nil { throw ValidationError("--superseded needs a --key") }
  }

  func run() throws {
    if let fault = params.flatMap(ParamsFault.init) {
      Console.error("\(fault)")
      throw ExitCode(EX_DATAERR)
    }
    EventLoop.ignoreSIGPIPE()
    let terms = try tls.terms(for: to)
    let loop = try EventLoop()
    let login = try token.message(id: OneCall.loginID)
    let call = try OneCall(
      (login ?? []) + request(), printsWhole: raw, hasToken: login != nil, to: to, terms, on: loop)
    loop.run()
    throw ExitCode(call.status)
  }

  /// The request as a line, with id 1.
  private func request() -> [UInt8] {
    var line: [UInt8] = []
    MessageWriter.openRequest(1, into: &line)
    MessageWriter.appendString(method, into: &line)
    if let params {
      line.append(",\"params\":")
      line.append(contentsOf: params.utf8.map { $0 == 0x0a || $0 == 0x0d ? 0x20 : $0 })
    }
    appendTask(to: &line)
    line.append("}\n")
    return line
  }

  private func appendTask(to line: inout [UInt8]) {
    var members: [[UInt8]] = []
    func add(_ name: StaticString, _ value: (inout [UInt8]) -> Void) {
      var member: [UInt8] = []
      member.append(name)
      value(&member)
      members.append(member)
    }
    if let key { add("\"key\":") { MessageWriter.appendString(key, into: &$0) } }
    if let policy { add("\"policy\":") { MessageWriter.appendString(policy.name, into: &$0) } }
    if let superseded { add("\"superseded\":") { MessageWriter.appendString(superseded.name, into: &$0) } }
    if let timeoutMs { add("\"timeoutMs\":") { $0.append(decimal: UInt64(timeoutMs)) } }
    if stream { add("\"stream\":true") { _ in } }
    guard !members.isEmpty else { return }
    line.append(",\"task\":{")
    line.append(contentsOf: members.joined(separator: [UInt8(ascii: ",")]))
    line.append("}")
  }
}

/// The one request of `lastword call`, from connecting to its answer.
private final class OneCall {
  /// The id of the message that authenticates; the request has 1.
  static let loginID: UInt64 = 0
  private(set) var status: Int32 = EX_UNAVAILABLE
  private let request: [UInt8]
  private let printsWhole: Bool
  private let hasToken: Bool
  private let place: GatewayPlace
  private let loop: EventLoop
  private let pool: ClientPool
  private var connection: ClientConnection?
  private var interrupt: SignalSource?

  private var attempt: SecureAttempt?
  private var plainAttempt: ConnectAttempt?

  init(
    _ request: [UInt8], printsWhole: Bool, hasToken: Bool, to place: GatewayPlace, _ terms: TLSTerms?,
    on loop: EventLoop
  ) throws {
    self.request = request
    self.printsWhole = printsWhole
    self.hasToken = hasToken
    self.place = place
    self.loop = loop
    pool = ClientPool(on: loop)
    interrupt = try SignalSource(on: loop, signal: SIGINT) { [unowned self] in self.cancel() }
    if let terms {
      attempt = pool.connect(to: place.address, terms) { [self] in connected($0, place) }
    } else {
      plainAttempt = pool.connect(to: place.address) { [self] in connected($0, place) }
    }
  }

  private func connected<Failure>(_ result: Result<ClientConnection, Failure>, _ place: GatewayPlace) {
    switch result {
    case .success(let connection): start(connection)
    case .failure(let error):
      fail("cannot connect to \(place): \(error); `lastword serve` starts a gateway, --to names another")
    }
  }

  private func start(_ connection: ClientConnection) {
    self.connection = connection
    connection.delegate = self
    connection.output.append(contentsOf: request)
    connection.sendSoon()
  }

  private func cancel() {
    guard let connection else { return fail("interrupted") }
    connection.output.append(
      contentsOf: #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#.utf8)
    connection.output.append(UInt8(ascii: "\n"))
    connection.sendSoon()
  }

  private func fail(_ message: String) {
    Console.error(message)
    end()
  }

  private func end() {
    attempt?.cancel()
    plainAttempt?.cancel()
    connection?.close()
    interrupt?.close()
    pool.close()
  }
}

extension OneCall: ClientConnectionDelegate {
  func connection(
    _ connection: ClientConnection, received envelope: Envelope, in bytes: Span<UInt8>, message: Range<Int>
  ) {
    guard envelope.isResponse else { return show(envelope, in: bytes, message) }
    let isError = !envelope.error.isEmpty
    let code = isError ? RPCError.code(of: envelope.error, in: bytes) : 0
    if JSONNumber.nonNegativeInteger(envelope.id, in: bytes) == Self.loginID {
      // If the token does not count, the answer to the request behind it says so, too; but not if there is no room.
      guard isError, code != RPCError.unauthenticated.code else { return }
    }
    let part = printsWhole ? message : (isError ? envelope.error : envelope.result).range
    var line: [UInt8] = []
    line.append(bytes, part)
    Console.print(line)
    status = isError ? Outcome.status(ofCode: code) : 0
    if code == RPCError.unauthenticated.code, !hasToken { Console.error(TokenSource.hint) }
    end()
  }

  private func show(_ envelope: Envelope, in bytes: Span<UInt8>, _ message: Range<Int>) {
    guard Piece.isSaid(in: envelope, bytes: bytes), let piece = Piece(envelope, in: bytes)
    else { return }
    var line: [UInt8] = []
    line.append(bytes, printsWhole ? message : piece.value.range)
    Console.print(line)
  }

  func connection(_ connection: ClientConnection, closed reason: String) {
    // A server with TLS ends a connection that begins without it.
    let mayBeSecure = !place.isSecure && place.address.host != nil
    fail(reason + (mayBeSecure ? "; if TLS is spoken there: --to tls:\(place)" : ""))
  }
}

/// The exit status for an error object.
private enum Outcome {
  static func status(ofCode code: Int) -> Int32 {
    switch code {
    case RPCError.superseded.code: 10
    case RPCError.cancelled.code: 11
    case RPCError.deadlineExceeded.code: 12
    case RPCError.parseError.code, RPCError.invalidRequest.code, RPCError.invalidParams.code,
      RPCError.tooLarge.code:
      EX_DATAERR
    case RPCError.unauthenticated.code, RPCError.forbidden.code: EX_NOPERM
    case RPCError.upstreamUnavailable.code: EX_UNAVAILABLE
    case RPCError.busy.code, RPCError.overloaded.code, RPCError.shuttingDown.code: EX_TEMPFAIL
    default: 1
    }
  }
}

/// A choice by the name that it has in a request.
private protocol NamedChoice: CaseIterable {
  var name: String { get }
}

extension NamedChoice {
  fileprivate static func named(_ name: String) -> Self? { allCases.first { $0.name == name } }
  fileprivate static var names: String { allCases.map(\.name).joined(separator: ", ") }
}

extension DuplicatePolicy: NamedChoice, ExpressibleByArgument {
  init?(argument: String) {
    guard let policy = Self.named(argument) else { return nil }
    self = policy
  }

  static var allValueStrings: [String] { allCases.map(\.name) }
}

extension SupersededRule: NamedChoice, ExpressibleByArgument {
  init?(argument: String) {
    guard let rule = Self.named(argument) else { return nil }
    self = rule
  }

  static var allValueStrings: [String] { allCases.map(\.name) }
}
