import Fleet
import Foundation
import GatewayCore
import Testing

@testable import Gateway

/// How members of a fleet know each other.
@Suite struct PeerGreetingTests {
  private let greeting = PeerGreeting(secret: Array(repeating: 1, count: 32), fleet: "search")
  private let hello = PeerGreeting.Hello(
    from: MemberID(high: 1, low: 2), loop: 3, to: MemberID(high: 4, low: 5), digest: 6,
    nonce: Array(repeating: 7, count: 32))
  private let nonce = [UInt8](repeating: 8, count: 32)

  private func said(_ greeting: PeerGreeting) -> [UInt8] {
    var wire = WireWriter()
    greeting.write(hello, answering: nonce, into: &wire)
    return wire.bytes
  }

  @Test func `who knows the secret is believed, and knows who answers`() throws {
    let bytes = said(greeting)
    let read = try #require(greeting.read(bytes, answering: nonce))
    #expect(read.from == hello.from && read.to == hello.to && read.loop == 3 && read.digest == 6)
    let welcome = greeting.welcome(to: read, answering: nonce)
    #expect(welcome == greeting.welcome(to: hello, answering: nonce))
    // Neither side's word can be said again as the other's.
    #expect(!said(greeting).suffix(32).elementsEqual(welcome))
  }

  @Test func `another secret, fleet or challenge, and a bent byte are not`() {
    let bytes = said(greeting)
    let other = PeerGreeting(secret: Array(repeating: 2, count: 32), fleet: "search")
    #expect(other.read(bytes, answering: nonce) == nil)
    let elsewhere = PeerGreeting(secret: Array(repeating: 1, count: 32), fleet: "other")
    #expect(elsewhere.read(bytes, answering: nonce) == nil)
    #expect(greeting.read(bytes, answering: [UInt8](repeating: 9, count: 32)) == nil)
    for index in bytes.indices {
      var bent = bytes
      bent[index] ^= 1
      #expect(greeting.read(bent, answering: nonce) == nil, "byte \(index)")
      #expect(greeting.read(Array(bytes[..<index]), answering: nonce) == nil)
    }
  }
}
