import Fleet
import Testing

@testable import Gateway

@Suite struct LoopPulseTests {
  @Test func `a loop that does not answer is asked once`() {
    let pulse = LoopPulse()
    #expect(pulse.ask())
    for _ in 0..<100 { #expect(!pulse.ask()) }
    let other = MemberID(high: 1, low: 2)
    pulse.beat(linked: [other])
    #expect(pulse.linked == [other] && pulse.ask())
  }
}
