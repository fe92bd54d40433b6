import TOML
import Testing

/// What a text may at most cost.
@Suite struct LimitTests {
  private static let limits = TOMLLimits()
  private static let levels = limits.nestingLevels
  private static let tooDeep = "nested more than \(levels) levels deep"

  private func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

  @Test func `a text of the largest size is read, and one byte more refused`() {
    let text = "#" + times(Self.limits.textBytes - 1, "x")
    #expect(fault(text) == nil)
    #expect(fault(text + "x") == "1:1 the file is larger than \(Self.limits.textBytes) bytes")
  }

  @Test func `tables and arrays may be nested so deep, and no deeper`() {
    let most = Self.levels - 1
    #expect(fault("a = " + times(most, "[") + "1" + times(most, "]")) == nil)
    #expect(
      fault("a = " + times(most + 1, "[") + "1" + times(most + 1, "]"))?.hasSuffix(Self.tooDeep) == true)
    #expect(fault("a = " + times(most, "{a = ") + "1" + times(most, "}")) == nil)
    #expect(
      fault("a = " + times(most + 1, "{a = ") + "1" + times(most + 1, "}"))?.hasSuffix(Self.tooDeep) == true)
    #expect(fault(times(most, "a.") + "a = 1") == nil)
    #expect(fault(times(most + 1, "a.") + "a = 1") == "1:\(2 * most + 3) \(Self.tooDeep)")
    #expect(fault("[" + times(most, "a.") + "a]") == nil)
    #expect(fault("[" + times(most, "a.") + "a]\nb = 1") == "2:1 \(Self.tooDeep)")
    #expect(fault("[" + times(most + 1, "a.") + "a]") == "1:\(2 * most + 4) \(Self.tooDeep)")
  }

  @Test func `arrays of tables count twice, as table and as element`() {
    let headers = (1...Self.levels / 2).map { "[[" + times($0 - 1, "a.") + "a]]\n" }.joined()
    #expect(fault(headers) == nil)
    #expect(fault(headers + "b = 1")?.hasSuffix(Self.tooDeep) == true)
    #expect(fault(headers + "[[" + times(Self.levels / 2, "a.") + "a]]")?.hasSuffix(Self.tooDeep) == true)
  }

  @Test func `what is far too deep costs no stack`() {
    for text in ["[", "{a=", "[{a="] {
      #expect(fault("a = " + times(200_000, text))?.hasSuffix(Self.tooDeep) == true)
    }
    #expect(fault(times(200_000, "a.") + "a = 1")?.hasSuffix(Self.tooDeep) == true)
    #expect(fault("[[" + times(200_000, "a."))?.hasSuffix(Self.tooDeep) == true)
  }

  @Test func `there may be so many keys and items, and no more`() {
    let most = Self.limits.keysAndItems
    let message = "more than \(most) keys and items"
    let items = times(most - 1, "1,")
    #expect(fault("a = [\(items)]") == nil)
    #expect(fault("a = [\(items)\n1]") == "2:1 \(message)")
    let keys = (0..<most).map { "k\($0) = 1\n" }.joined()
    #expect(fault(keys) == nil)
    #expect(fault(keys + "k = 1") == "\(most + 1):1 \(message)")
    let headers = times(most / 2, "[[a.b]]\n")
    #expect(fault(headers) == nil)
    #expect(fault(headers + "[a.c]") == "\(most / 2 + 1):2 \(message)")
  }
}
