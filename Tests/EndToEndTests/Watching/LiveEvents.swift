import Foundation
import TestSupport

/// One who follows `/events`, as the live page does.
final class LiveEvents {
  private let socket: LineSocket
  /// The first line of the answer.
  let status: String

  init(of gateway: RunningGateway, reads: Bool = true) throws {
    guard let address = gateway.adminAddress else {
      throw AdminAnswer.NoAnswer(description: "no admin pages")
    }
    socket = try LineSocket(address)
    try socket.send(bytes: Array("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    status = reads ? try socket.expect() : ""
  }

  /// The next event; nil at the end of the stream.
  func next() throws -> (name: String, data: [String: Any])? {
    var name = ""
    while let line = try socket.receive() {
      if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
      guard line.hasPrefix("data: ") else { continue }
      let data = try JSONSerialization.jsonObject(with: Data(line.dropFirst(6).utf8))
      return (name, data as? [String: Any] ?? [:])
    }
    return nil
  }

  /// From where frames tell that requests came, until there are that many: the event's letter, how it came and whose it
  /// is.
  func origins(_ count: Int) throws -> [String] {
    var told: [String] = []
    while told.count < count, let event = try next() {
      guard event.name == "frame", let events = event.data["e"] as? [[Any]],
        let from = event.data["from"] as? [[Any]]
      else { continue }
      let places = ["a": 7, "j": 3, "r": 6]
      for event in events {
        guard let letter = event[0] as? String, let place = places[letter], event.count > place,
          let number = event[place] as? Int, from.indices.contains(number)
        else { continue }
        told.append("\(letter) \(from[number].dropFirst().map { "\($0)" }.joined(separator: " "))")
      }
    }
    return told
  }

  /// What frames tell of tasks, each as its letter and generation, until there is that much.
  func told(_ count: Int) throws -> [String] {
    var told: [String] = []
    while told.count < count, let event = try next() {
      guard event.name == "frame", let events = event.data["e"] as? [[Any]] else { continue }
      told += events.map { "\($0[0])\($0[2])" }
    }
    return told
  }
}
