import GatewayCore
import JSONRPC

/// From where the requests of a frame's events came, each written once: there are no more than events.
struct FrameOrigins {
  private struct Key: Hashable {
    let connection: UInt64
    let transport: String?
    let principal: String?
  }

  private var places: [Key: Int] = [:]
  /// Arrays of the connection's number, how it came and whose it is; the last two as far as that is known.
  private(set) var json: [UInt8] = []

  /// Which one of the frame's it is.
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
