import GatewayCore
import JSONRPC

/// The origins of the requests in a frame, each written once.
struct FrameOrigins {
  private struct Key: Hashable {
    let connection: UInt64
    let transport: String?
    let principal: String?
  }

  private var places: [Key: Int] = [:]
  /// Arrays of the connection's number, its transport and its principal; the last two as far as they are known.
  private(set) var json: [UInt8] = []

  /// Returns the origin's place in the frame; adds it if it is new.
  mutating func place(of origin: TaskOrigin) -> Int {
    let key = Key(connection: origin.connection, transport: origin.transport, principal: origin.principal)
    if let place = places[key] { return place }
    let place = places.count
    places[key] = place
    write(key)
    return place
  }

  private mutating func write(_ origin: Key) {
    json.append(contentsOf: "\(json.isEmpty ? "" : ",")[\(origin.connection)".utf8)
    if let transport = origin.transport {
      json.append(contentsOf: ",\"\(transport)\"".utf8)
    } else if origin.principal != nil {
      json.append(contentsOf: ",null".utf8)
    }
    if let principal = origin.principal {
      json.append(UInt8(ascii: ","))
      MessageWriter.appendString(Array(principal.utf8).span, into: &json)
    }
    json.append(UInt8(ascii: "]"))
  }

  mutating func removeAll() {
    places.removeAll(keepingCapacity: true)
    json.removeAll(keepingCapacity: true)
  }
}
