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
    let read = try greeting.read(bytes, answering: nonce)
    #expect(read.from == hello.from && read.to == hello.to && read.loop == 3 && read.digest == 6)
    let welcome = greeting.welcome(to: read, answering: nonce)
    #expect(welcome == greeting.welcome(to: hello, answering: nonce))
    // Neither side's word can be said again as the other's.
    #expect(!said(greeting).suffix(32).elementsEqual(welcome))
  }

  /// Why it is not believed; nil: it is.
  private func fault(
    _ bytes: [UInt8], _ greeting: PeerGreeting, answering nonce: [UInt8]
  ) -> PeerGreeting.Fault? {
    do throws(PeerGreeting.Fault) {
      _ = try greeting.read(bytes, answering: nonce)
      return nil
    } catch {
      return error
    }
  }

  @Test func `another secret, fleet, version or challenge, and a bent byte are not, and it is said which`() {
    var bytes = said(greeting)
    let other = PeerGreeting(secret: Array(repeating: 2, count: 32), fleet: "search")
    #expect(fault(bytes, other, answering: nonce) == .otherSecret)
    let elsewhere = PeerGreeting(secret: Array(repeating: 1, count: 32), fleet: "other")
    #expect(fault(bytes, elsewhere, answering: nonce) == .otherFleet)
    #expect(fault(bytes, greeting, answering: [UInt8](repeating: 9, count: 32)) == .otherSecret)
    for index in bytes.indices {
      var bent = bytes
      bent[index] ^= 1
      #expect(fault(bent, greeting, answering: nonce) != nil, "byte \(index)")
      #expect(fault(Array(bytes[..<index]), greeting, answering: nonce) != nil)
    }
    #expect(fault(Array(bytes.dropLast(40)), greeting, answering: nonce) == .unreadable)
    bytes[0] += 1
    #expect(fault(bytes, greeting, answering: nonce) == .otherVersion)
  }
}
