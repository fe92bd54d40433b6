import Testing

@testable import Demo

@Suite struct CorpusTests {
  let tree: FileTree

  init() throws { tree = try FileTree() }

  func load(_ bounds: CorpusBounds = CorpusBounds()) throws -> Corpus {
    var loader = CorpusLoader(bounds: bounds)
    try loader.load(tree.path)
    return loader.corpus
  }

  @Test func `files come in the order of their paths' bytes, with their texts`() throws {
    try tree.add("b.txt", "bee")
    try tree.add("a/z.txt", "zed\n")
    try tree.add("a/B.txt", "")
    try tree.add("Z.txt", "last letter, first byte")
    let corpus = try load()
    #expect(corpus.paths == ["Z.txt", "a/B.txt", "a/z.txt", "b.txt"])
    #expect(corpus.texts == ["last letter, first byte", "", "zed\n", "bee"])
    #expect(!corpus.isPartial)
  }

  @Test func `what looks binary is there by name only`() throws {
    try tree.add("image", [1, 2, 0, 3])
    try tree.add("manual.gz", [0x1f, 0x8b, 8, 8])
    try tree.add("text", "yes")
    let corpus = try load()
    #expect(corpus.paths == ["image", "manual.gz", "text"])
    #expect(corpus.texts == ["", "", "yes"])
    #expect(corpus.binaryFiles == 2)
  }

  @Test func `links are not followed and pipes not opened`() throws {
    try tree.add("real/file", "text")
    try tree.addLink("loop", to: ".")
    try tree.addLink("name", to: "real/file")
    try tree.addPipe("pipe")
    let corpus = try load()
    #expect(corpus.paths == ["real/file"])
    #expect(corpus.unreadable == 0)
  }

  @Test func `a long file is held up to the bound and counted`() throws {
    try tree.add("exact", "12345678")
    try tree.add("long", "123456789")
    var bounds = CorpusBounds()
    bounds.fileBytes = 8
    let corpus = try load(bounds)
    #expect(corpus.texts == ["12345678", "12345678"])
    #expect(corpus.cutFiles == 1)
  }

  @Test func `no more files than the bound are held`() throws {
    for name in ["1", "2", "3"] { try tree.add(name, "") }
    var bounds = CorpusBounds()
    bounds.files = 2
    let corpus = try load(bounds)
    #expect(corpus.paths == ["1", "2"])
    #expect(corpus.isPartial)
  }

  @Test func `no more bytes than the bound are held, but for the last file's name`() throws {
    for name in ["1", "2", "3"] { try tree.add(name, "0123456789") }
    var bounds = CorpusBounds()
    bounds.totalBytes = 20
    let corpus = try load(bounds)
    #expect(corpus.texts == ["0123456789", "0123456"])
    #expect(corpus.isPartial)
  }

  @Test func `directories below the bound are left out`() throws {
    try tree.add("one/two/deep", "")
    try tree.add("one/shallow", "")
    var bounds = CorpusBounds()
    bounds.depth = 1
    let corpus = try load(bounds)
    #expect(corpus.paths == ["one/shallow"])
    #expect(corpus.isPartial)
  }

  @Test func `a directory that is not there is named`() {
    var loader = CorpusLoader(bounds: CorpusBounds())
    #expect(throws: LoadError(directory: "/nowhere/at/all", code: 2)) { try loader.load("/nowhere/at/all") }
    #expect("\(LoadError(directory: "/nowhere", code: 2))" == "/nowhere: No such file or directory")
  }

  @Test func `the sample's rate bounds what is loaded`() throws {
    for name in ["1", "2", "3", "4"] { try tree.add(name, "0123456789") }
    let calibration = CorpusLoader.Calibration(sampleBytes: 20) { _ in 30 }
    var loader = CorpusLoader(bounds: CorpusBounds(), calibration: calibration)
    try loader.load(tree.path)
    #expect(loader.corpus.paths == ["1", "2", "3"])
  }
}

extension Corpus {
  var paths: [String] { files.map { String(decoding: bytes[$0.path], as: UTF8.self) } }
  var texts: [String] { files.map { String(decoding: bytes[$0.text], as: UTF8.self) } }

  init(_ files: KeyValuePairs<String, String>) {
    self.init()
    for (path, text) in files { append(path: Array(path.utf8), content: Array(text.utf8), isCut: false) }
  }
}
