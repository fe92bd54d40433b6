import Testing

@testable import Gateway

/// Which unanswered request of a session is meant, and where what is said of it goes.
@Suite struct MCPRequestsTests {
  private final class Stream {}

  private func add(
    _ id: String, token: String = "", takesEvents: Bool = true, to requests: inout MCPRequests<Stream>
  ) -> (number: UInt64, stream: Stream) {
    let stream = Stream()
    let number = requests.add(
      id: Array(id.utf8), progressToken: Array(token.utf8), takesEvents: takesEvents, over: stream)
    return (number, stream)
  }

  @Test func `of one id the newest is meant, however it is written, and the older one behind it`() {
    var requests = MCPRequests<Stream>()
    let older = add("\"a\"", to: &requests).number
    let newer = add("\"\\u0061\"", to: &requests).number
    let number = add("1", to: &requests).number
    let text = add("\"1\"", to: &requests).number
    #expect(requests.newest(withID: "\"a\"".utf8) == newer && requests.newest(withID: "1".utf8) == number)
    #expect(requests.newest(withID: "\"\\u0031\"".utf8) == text && requests.newest(withID: "2".utf8) == nil)
    let removed = requests.remove(newer)
    #expect(removed?.id == Array("\"\\u0061\"".utf8))
    #expect(requests.newest(withID: "\"\\u0061\"".utf8) == older)
    let (again, last) = (requests.remove(newer), requests.remove(older))
    #expect(again == nil && last != nil)
    #expect(requests.newest(withID: "\"a\"".utf8) == nil)
  }

  @Test func `what is said of one goes over its own stream, and of none over the newest`() {
    var requests = MCPRequests<Stream>()
    let first = add("1", token: "7", to: &requests)
    let second = add("2", token: "7", to: &requests)
    let third = add("3", takesEvents: false, to: &requests)
    #expect(requests.newest(withToken: Array("7".utf8)) == second.number)
    #expect(requests.stream(of: first.number) === first.stream && requests.stream(of: third.number) == nil)
    #expect(requests.newestStream === second.stream && requests.streams.count == 3)
    requests.leave(second.number, atMilliseconds: 5)
    #expect(requests.stream(of: second.number) == nil && requests.newestStream === first.stream)
    #expect(requests.newest(withToken: Array("7".utf8)) == second.number, "its progress is not the other's")
  }

  @Test func `those that were left are taken back in their time, and others are not`() {
    var requests = MCPRequests<Stream>()
    var numbers: [UInt64] = []
    for id in 0..<4 { numbers.append(add("\(id)", to: &requests).number) }
    #expect(requests.firstLeftMilliseconds == nil)
    for (time, number) in [numbers[2], numbers[0], numbers[1]].enumerated() {
      requests.leave(number, atMilliseconds: UInt64(10 * time))
      requests.leave(number, atMilliseconds: 99)
    }
    #expect(requests.firstLeftMilliseconds == 0)
    _ = requests.remove(numbers[2])
    #expect(requests.firstLeftMilliseconds == 10)
    let (none, one) = (requests.removeLeft(byMilliseconds: 9), requests.removeLeft(byMilliseconds: 10))
    #expect(none == [] && one == [numbers[0]])
    #expect(requests.firstLeftMilliseconds == 20)
    _ = requests.remove(numbers[3])
    #expect(!requests.isEmpty)
    let all = requests.removeAll()
    #expect(all.map(\.id) == [Array("1".utf8)] && requests.isEmpty)
  }

  @Test func `a number is read as it is written, and from nothing else`() {
    for number in [1, 10, UInt64.max] {
      let text = MCPRequestID.text(number)
      #expect(MCPRequestID.number(text) == number && text.count <= MCPRequestID.mostBytes)
    }
    for other in ["1", "\"1\"", "\"#\"", "\"#a\"", "#1", "null", "\"#1", "\"\"", ""] {
      #expect(MCPRequestID.number(Array(other.utf8)) == nil, "\(other)")
    }
  }
}
