import Testing

@testable import Demo

@Suite struct LoadingTests {
  @Test func `what was loaded is said, and what was not`() throws {
    let tree = try FileTree()
    try tree.add("binary", [0])
    try tree.add("text", String(repeating: "text ", count: 1000))
    let lines = try FileSearch.load(tree.path).summary(of: "/some/where")
    #expect(lines.first == "/some/where: 2 files, 5 kB of text")
    #expect(lines.dropFirst().first == "1 look binary: searched by name only")
    // How long it takes is the machine's business.
    let estimate = /one or two letters have to read all of it: some \d+ ms on one core/
    #expect(lines.dropFirst(2).first?.wholeMatch(of: estimate) != nil)
    #expect(lines.last == "three and more go through an index of trigrams" && lines.count == 4)
  }

  @Test func `no more is loaded than can be scanned in time`() throws {
    let tree = try FileTree()
    let text = Array(repeatElement(Array("some words on a line\n".utf8), count: 40_000).joined())
    for number in 0..<8 { try tree.add("\(number)", text) }
    let search = try FileSearch.load(tree.path, scanMilliseconds: 1)
    #expect(search.corpus.isPartial)
    #expect(search.corpus.byteCount >= ScanRate.sampleBytes)
    #expect(search.corpus.files.count < 8)
  }
}
