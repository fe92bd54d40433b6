import Addresses
import Foundation
import LibUV
import TaskStore
import Testing

@testable import Admin
@testable import GatewayCore
@testable import Identity

/// What the live page is told at once.
@Suite struct EventFrameTests {
  /// A journal of events that all have this key and method.
  private struct Journal: ~Copyable {
    var journal = TaskJournal()
    private let text: [UInt8]
    private let key: Range<Int>

    init(key: String = "k", limitEvents: Int = .max) {
      self.key = 0..<key.utf8.count
      text = Array(key.utf8) + Array("\"m\"".utf8)
      journal.open(limitEvents: limitEvents)
      journal.putBack(text)
    }

    mutating func note(_ kind: TaskEvent.Kind, _ generation: UInt64, at milliseconds: UInt64 = 1_000) {
      guard journal.takesMore() else { return }
      var event = TaskEvent(kind: kind, generation: generation, atMilliseconds: milliseconds)
      if case .admitted = kind { event.method = key.upperBound..<text.count }
      event.key = key
      journal.note(event)
    }
  }

  @Test func `each kind of event says what the page draws of it`() throws {
    var journal = Journal()
    journal.note(.admitted(.keepLatest), 7)
    journal.note(.joined, 7)
    journal.note(.rejected(.preferPrevious, .busy), 0)
    journal.note(.rejected(.cancel, .overloaded), 0)
    journal.note(.sent, 7)
    journal.note(.firstPiece, 7)
    journal.note(.refused(.superseded(by: 8), .cancel, .cancelSent, taskGoesOn: false), 7)
    journal.note(.refused(.cancelled, .cancel, .notSent, taskGoesOn: true), 7)
    journal.note(.refused(.deadlineExceeded, .cancel, .mayHaveCompleted, taskGoesOn: false), 7)
    journal.note(.refused(.upstreamUnavailable, .cancel, .notSent, taskGoesOn: false), 7)
    journal.note(.refused(.shuttingDown, .cancel, .notSent, taskGoesOn: false), 7)
    journal.note(.abandoned, 7)
    journal.note(.cancelSent, 7)
    journal.note(.answered(isError: false), 7)
    journal.note(.answered(isError: true), 7)
    for ending in [TaskEvent.Ending.silent, .succeeded, .failed] { journal.note(.ended(ending), 7) }
    var frame = EventFrame()
    frame.add(journal.journal, at: 1_000)
    let read = try #require(FrameReader(frame.take()))
    #expect(
      read.events == [
        "a 7 k keepLatest m", "j 7", "r k preferPrevious busy", "r k cancel overloaded", "s 7", "p 7",
        "x 7 superseded 8 cancelSent", "x 7 cancelled - notSent", "x 7 expired - mayHaveCompleted",
        "x 7 failed - notSent", "x 7 shuttingDown - notSent", "x 7 abandoned - -", "c 7", "d 7 1", "d 7 0",
        "z 7 0",
        "z 7 1", "z 7 2",
      ])
    #expect(read.mergedCount == 0)
  }

  @Test func `what a superseded caller was answered is told where it is not the usual`() throws {
    var journal = TaskJournal()
    journal.open(limitEvents: 4)
    for (reason, code) in [
      (Refusal.Reason.superseded(by: 8), -32801), (.contentModified, -32801), (.superseded(by: 8), 0),
    ] {
      let kind = TaskEvent.Kind.refused(reason, .cancel, .notSent, taskGoesOn: false)
      var event = TaskEvent(kind: kind, generation: 7, atMilliseconds: 5)
      event.unusualCode = code
      journal.note(event)
    }
    var frame = EventFrame()
    frame.add(journal, at: 5)
    #expect(
      try #require(FrameReader(frame.take())).events == [
        "x 7 superseded 8 notSent -32801", "x 7 superseded - notSent -32801", "x 7 superseded 8 notSent",
      ])
  }

  @Test func `a request without a key, or whose method was not kept, says so`() throws {
    var journal = TaskJournal()
    journal.open(limitEvents: 2)
    journal.note(TaskEvent(kind: .admitted(.cancel), generation: 1, atMilliseconds: 5))
    journal.note(TaskEvent(kind: .rejected(.cancel, .shuttingDown), generation: 0, atMilliseconds: 5))
    var frame = EventFrame()
    frame.add(journal, at: 5)
    #expect(
      try #require(FrameReader(frame.take())).events == ["a 1 - cancel -", "r - cancel shuttingDown"])
  }

  // MARK: From where

  /// A journal of requests that came, each from one of these.
  private static func requests(_ origins: [TaskOrigin], _ kind: TaskEvent.Kind = .joined) -> TaskJournal {
    var journal = TaskJournal()
    journal.open(limitEvents: .max)
    for origin in origins {
      var event = TaskEvent(kind: kind, generation: 7, atMilliseconds: 5)
      event.origin = journal.place(of: origin)
      if journal.unnamedOrigin != nil { journal.nameOrigin(as: origin) }
      journal.note(event)
    }
    return journal
  }

  private static func origin(
    _ connection: UInt64, _ way: ClientWay? = ClientWay(.stream), _ principal: String? = nil
  ) -> TaskOrigin {
    var origin = TaskOrigin(
      client: ClientID(slot: Int(connection)), connection: connection, principal: principal)
    origin.way = way
    return origin
  }

  @Test func `each request tells from where it came, as far as that is known`() throws {
    let origins = [
      Self.origin(3, ClientWay(.webSocket, isSecure: true), "ann"), Self.origin(4),
      Self.origin(5, nil, "b\"en"),
      Self.origin(6, nil),
    ]
    let told = ["3 websocket+tls ann", "4 lines", "5 - b\"en", "6"]
    for kind in [TaskEvent.Kind.joined, .admitted(.wait), .rejected(.wait, .busy)] {
      var frame = EventFrame()
      frame.add(Self.requests(origins, kind), at: 5)
      #expect(try #require(FrameReader(frame.take())).origins == told)
    }
  }

  @Test func `whose key it is stands before from where it came`() throws {
    var frame = EventFrame()
    var journal = TaskJournal()
    journal.open(limitEvents: 1)
    var event = TaskEvent(kind: .admitted(.wait), generation: 7, atMilliseconds: 5)
    event.namespace = .own(connection: 4)
    event.origin = journal.place(of: Self.origin(4))
    journal.note(event)
    frame.add(journal, at: 5)
    #expect(
      String(decoding: frame.take(), as: UTF8.self)
        == #"{"t":5,"e":[["a",0,7,null,"wait",null,{"connection":4},0]],"from":[[4,"lines"]],"merged":0}"#)
  }

  @Test func `whose key it is is told by what it is made of, without what is usual`() {
    func text(_ namespace: Namespace, _ kind: TaskEvent.Kind) -> String {
      var journal = TaskJournal()
      journal.open(limitEvents: 1)
      var event = TaskEvent(kind: kind, generation: 7, atMilliseconds: 5)
      event.namespace = namespace
      journal.note(event)
      var frame = EventFrame()
      frame.add(journal, at: 5)
      return String(decoding: frame.take(), as: UTF8.self)
    }
    let team = Principal(number: 9, namespace: 3)
    for (namespace, told) in [
      (Namespace.shared(listener: 0, .anonymous), ""),
      (.shared(listener: 2, .anonymous), #",{"listener":2}"#),
      (.shared(listener: 0, team), #",{"namespace":3}"#),
      (.shared(listener: 2, team), #",{"listener":2,"namespace":3}"#),
      (.own(connection: 4), #",{"connection":4}"#),
    ] {
      #expect(text(namespace, .admitted(.wait)).contains(#"["a",0,7,null,"wait",null\#(told)]"#))
      #expect(text(namespace, .rejected(.wait, .busy)).contains(#"["r",0,null,"wait","busy"\#(told)]"#))
    }
  }

  @Test func `the longest event takes no more than it may`() {
    let ends: [(TaskEvent.Kind, Namespace, Int?)] = [
      (.admitted(.preferPrevious), .shared(listener: 1 << 31 - 1, .unknown), 1_999),
      (.rejected(.preferPrevious, .upstreamUnavailable), .shared(listener: 1 << 31 - 1, .unknown), 1_999),
      (.admitted(.preferPrevious), .own(connection: .max >> 1), 1_999),
      (
        .refused(.superseded(by: .max), .cancel, .mayHaveCompleted, taskGoesOn: false), .own(connection: 1),
        nil
      ),
    ]
    for (kind, namespace, origin) in ends {
      var event = TaskEvent(kind: kind, generation: .max, atMilliseconds: 5)
      event.namespace = namespace
      event.unusualCode = -32_801
      let noKey: [UInt8] = []
      var text: [UInt8] = []
      text.append(addingCapacity: EventText.ownLimitBytes) { output in
        EventText.write(event, noKey.span, offsetMilliseconds: .max, origin: origin, into: &output)
      }
      #expect(text.count < EventText.ownLimitBytes)
    }
  }

  @Test func `a frame writes each origin once, whatever turns its requests came in, and the next one anew`()
    throws
  {
    var frame = EventFrame()
    let (one, other) = (Self.origin(3), Self.origin(4))
    for origins in [[one, other, one], [other, other], [Self.origin(3, ClientWay(.http))]] {
      frame.add(Self.requests(origins), at: 5)
    }
    let text = String(decoding: frame.take(), as: UTF8.self)
    #expect(text.contains(#""from":[[3,"lines"],[4,"lines"],[3,"http"]]"#), "\(text)")
    #expect(
      FrameReader(Array(text.utf8))?.origins == [
        "3 lines", "4 lines", "3 lines", "4 lines", "4 lines", "3 http",
      ])
    frame.add(Self.requests([other]), at: 6)
    #expect(frame.take().contains(Array(#""from":[[4,"lines"]]"#.utf8)))
  }

  @Test func `long names count for how much a frame takes`() throws {
    let name = String(repeating: "n", count: 320)
    let origins = (1...UInt64(EventFrame.limitEvents)).map { Self.origin($0, ClientWay(.stream), name) }
    var frame = EventFrame()
    frame.add(Self.requests(origins), at: 5)
    #expect(frame.room == 0 && frame.eventCount < EventFrame.limitEvents)
    #expect(frame.mergedCount == UInt64(EventFrame.limitEvents - frame.eventCount))
    let read = try #require(FrameReader(frame.take()))
    #expect(read.origins.count == EventFrame.limitEvents - Int(read.mergedCount))
    #expect(read.byteCount < AdminOptions(.tcp(host: "127.0.0.1", port: 0)).streamBytes)
  }

  @Test func `events of several turns keep their order, and their times since the first`() throws {
    var frame = EventFrame()
    for (generation, time) in [(1, 1_000), (2, 1_003), (3, 1_050)] as [(UInt64, UInt64)] {
      var journal = Journal()
      journal.note(.sent, generation, at: time)
      frame.add(journal.journal, at: time)
    }
    let read = try #require(FrameReader(frame.take()))
    #expect(read.startMilliseconds == 1_000)
    #expect(read.delays == [0, 3, 50] && read.events == ["s 1", "s 2", "s 3"])
  }

  @Test func `once taken it is empty, and begins at another time`() throws {
    var frame = EventFrame()
    var journal = Journal()
    journal.note(.sent, 1)
    frame.add(journal.journal, at: 1_000)
    #expect(!frame.isEmpty)
    _ = frame.take()
    #expect(frame.isEmpty && frame.eventCount == 0 && frame.room == EventFrame.limitEvents)
    frame.add(journal.journal, at: 900)
    #expect(try #require(FrameReader(frame.take())).startMilliseconds == 900)
  }

  @Test(arguments: [
    "a\"b\\c", "tab\tand\nbreak\u{0}", "<script>alert(1)</script>", "😀é\u{202e}", "\u{7f}\u{2028}",
  ])
  func `whatever a key is made of, the frame can be read`(key: String) throws {
    var journal = Journal(key: key)
    journal.note(.admitted(.wait), 1)
    journal.note(.rejected(.wait, .upstreamUnavailable), 0)
    var frame = EventFrame()
    frame.add(journal.journal, at: 0)
    let text = frame.take()
    #expect(!text.contains { $0 < 0x20 })
    #expect(try #require(FrameReader(text)).keys == [key, key])
  }

  @Test func `it takes so many events, and counts the others`() throws {
    var journal = Journal(limitEvents: EventFrame.limitEvents + 5)
    for generation in 1...UInt64(EventFrame.limitEvents + 7) { journal.note(.sent, generation) }
    let leftOutCount = journal.journal.leftOutCount
    #expect(leftOutCount == 2)
    var frame = EventFrame()
    frame.add(journal.journal, at: 1_000)
    #expect(frame.room == 0 && frame.mergedCount == 7)
    frame.add(journal.journal, at: 1_001)
    let read = try #require(FrameReader(frame.take()))
    #expect(read.events.count == EventFrame.limitEvents && read.events.last == "s \(EventFrame.limitEvents)")
    #expect(read.mergedCount == 7 + EventFrame.limitEvents + 7)
  }

  @Test func `a frame of the longest keys is one that a stream takes`() throws {
    // As long as the configuration allows, and each byte of it escaped.
    let key = String(repeating: "\u{1}", count: 4_096)
    var journal = Journal(key: key)
    for generation in 1...UInt64(EventFrame.limitEvents) { journal.note(.admitted(.wait), generation) }
    var frame = EventFrame()
    frame.add(journal.journal, at: 1_000)
    #expect(frame.room == 0)
    let count = frame.eventCount
    #expect(count > 1 && frame.mergedCount == UInt64(EventFrame.limitEvents - count))
    let read = try #require(FrameReader(frame.take()))
    #expect(read.events.count == count && read.keys.allSatisfy { $0 == key })
    #expect(read.byteCount >= EventFrame.limitBytes)
    #expect(read.byteCount < AdminOptions(.tcp(host: "127.0.0.1", port: 0)).streamBytes)
  }
}
