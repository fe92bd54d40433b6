import Addresses
import Client
import Demo
import JSONRPC
import LibUV

/// A search box that sends a request with every letter, over a connection of its own, and never waits for an answer.
final class SearchBox {
  let side: DemoScene.Side
  private(set) var isConnected = false
  private let onEvent: (DemoScene.Event, Int) -> Void
  private let onLost: (String) -> Void
  private var attempt: ConnectAttempt?
  private var connection: ClientConnection?
  private var sentCount = 0

  /// - Parameter onEvent: called with the number of a query, counted from 0, and what happened to it.
  init(
    _ side: DemoScene.Side, at address: SocketAddress, _ pool: ClientPool,
    onEvent: @escaping (DemoScene.Event, Int) -> Void, onLost: @escaping (String) -> Void
  ) {
    self.side = side
    self.onEvent = onEvent
    self.onLost = onLost
    attempt = pool.connect(to: address) { [unowned self] result in
      switch result {
      case .success(let connection): connected(connection)
      case .failure(let error): onLost("cannot connect to \(address): \(error)")
      }
    }
  }

  private func connected(_ connection: ClientConnection) {
    attempt = nil
    isConnected = true
    self.connection = connection
    connection.delegate = self
  }

  func search(_ text: String, isFirst: Bool) {
    guard let connection else { return }
    let number = sentCount
    sentCount += 1
    append(text, number, to: &connection.output)
    connection.sendSoon()
    onEvent(.sent(text, isFirst: isFirst), number)
  }

  /// Appends the request of a query; the query's number is the request's id, too.
  private func append(_ text: String, _ number: Int, to line: inout [UInt8]) {
    MessageWriter.openRequest(UInt64(number), into: &line)
    line.append("\"search\",\"params\":{\"q\":")
    MessageWriter.appendString(text, into: &line)
    line.append(",\"number\":")
    line.append(decimal: UInt64(number))
    line.append("}")
    if side == .gateway { line.append(",\"task\":{\"key\":\"search:box\",\"policy\":\"cancel\"}") }
    line.append("}\n")
  }

  func close() {
    attempt?.cancel()
    attempt = nil
    connection?.close()
    connection = nil
  }
}

extension SearchBox: ClientConnectionDelegate {
  func connection(
    _ connection: ClientConnection, received envelope: Envelope, in bytes: Span<UInt8>, message: Range<Int>
  ) {
    guard envelope.isResponse, let id = JSONNumber.nonNegativeInteger(envelope.id, in: bytes),
      id < UInt64(sentCount)
    else { return onLost("the \(side) server answered what was not asked") }
    onEvent(Self.event(envelope, in: bytes), Int(id))
  }

  private static func event(_ envelope: Envelope, in bytes: Span<UInt8>) -> DemoScene.Event {
    if !envelope.error.isEmpty {
      return RPCError.code(of: envelope.error, in: bytes) == RPCError.superseded.code ? .superseded : .failed
    }
    var result: [UInt8] = []
    result.append(bytes, envelope.result.range)
    return SearchAnswer(result: result).map { .answered($0) } ?? .failed
  }

  func connection(_ connection: ClientConnection, closed reason: String) { onLost(reason) }
}

@available(*, unavailable)
extension SearchBox: Sendable {}
