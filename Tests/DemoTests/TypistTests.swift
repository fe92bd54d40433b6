import Testing

@testable import Demo

@Suite struct TypistTests {
  @Test func `the same seed types the same, another one otherwise`() {
    #expect(Typist(seed: 1).keystrokes == Typist(seed: 1).keystrokes)
    #expect(Typist(seed: 1).keystrokes != Typist(seed: 2).keystrokes)
  }

  @Test func `each keystroke has what stands in the box, mistakes taken back`() {
    let keystrokes = Typist(["rax\u{8}d", "so"], seed: 3).keystrokes
    #expect(keystrokes.map(\.text) == ["r", "ra", "rax", "ra", "rad", "s", "so"])
    #expect(keystrokes.map(\.isFirst) == [true, false, false, false, false, true, false])
  }

  @Test func `everything can be taken back`() {
    #expect(Typist(["a\u{8}\u{8}b"], seed: 1).keystrokes.map(\.text) == ["a", "", "", "b"])
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `letters come at a human's pace, and after a query there is time to read`(seed: UInt64) {
    let keystrokes = Typist(seed: seed).keystrokes
    #expect(keystrokes.first?.atMilliseconds == 0)
    for (previous, next) in zip(keystrokes, keystrokes.dropFirst()) {
      let gap = next.atMilliseconds - previous.atMilliseconds
      if next.isFirst { #expect((900...1300).contains(gap)) } else { #expect((70...400).contains(gap)) }
    }
  }

  @Test func `every built-in query is one that can be asked, and ends as it was meant`() {
    let meant = ["readdir", "socket", "permission denied", "strtol", "timeout", "include <std"]
    let typed = Typist(seed: 1).keystrokes
    let ends = zip(typed, typed.dropFirst()).filter(\.1.isFirst).map(\.0) + [typed.last!]
    #expect(ends.map(\.text) == meant)
    for keystroke in typed { #expect(Query(keystroke.text) != nil) }
  }
}
