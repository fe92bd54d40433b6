import Testing

@testable import Demo

@Suite struct TimelineTests {
  /// "re" is overtaken by "rea" without a gateway, and superseded through lastword.
  static func scene() -> DemoScene {
    var scene = DemoScene()
    let answer = SearchAnswer(files: 7, matches: 9, best: "include/x.h:3 int read(void);")
    for side in DemoScene.Side.allCases {
      scene.apply(.sent("re", isFirst: true), to: 0, on: side, atMilliseconds: 0)
      scene.apply(.sent("rea", isFirst: false), to: 1, on: side, atMilliseconds: 500)
      scene.apply(.answered(answer), to: 1, on: side, atMilliseconds: 600)
    }
    scene.apply(.superseded, to: 0, on: .gateway, atMilliseconds: 500)
    scene.apply(.upstreamAnswered, to: 0, on: .gateway, atMilliseconds: 1000)
    scene.apply(.answered(answer), to: 0, on: .direct, atMilliseconds: 1000)
    scene.typed = "rea"
    scene.nowMilliseconds = 1200
    return scene
  }

  @Test func `a scene looks like this in a plain terminal of 80 columns`() {
    let frame = Timeline(columns: 80, lines: 16, style: TextStyle()).frame(Self.scene())
    #expect(
      frame.map(\.trimmedEnd) == [
        "without a gateway                      | through lastword",
        "-------------------------------------- | --------------------------------------",
        "re        ###########     STALE        | re        ######.....     dropped late",
        "rea            ##         delivered    | rea            ##         delivered",
        "                                       |",
        "                                       |",
        "                                       |",
        "                                       |",
        "                                       |",
        "-------------------------------------- | --------------------------------------",
        "search:  rea_                          | search:  rea_",
        "shown:   re: 7 files, 9 times          | shown:   rea: 7 files, 9 times",
        "         include/x.h:3 int read(void); |          include/x.h:3 int read(void);",
        "         STALE: over a newer answer    |",
        "stale: 1   superseded: 0               | stale: 0   superseded: 1",
      ])
  }

  @Test(arguments: [60, 80, 81, 132, 200], [12, 24, 50])
  func `every frame has the same size, and fits`(columns: Int, lines: Int) {
    let timeline = Timeline(columns: columns, lines: lines, style: TextStyle(hasUnicode: true))
    var scene = DemoScene()
    let empty = timeline.frame(scene)
    #expect(empty.count < lines)
    for number in 0..<100 {
      for side in DemoScene.Side.allCases {
        scene.apply(
          .sent("query \(number) é\u{1b}[31m", isFirst: number % 9 == 0), to: number, on: side,
          atMilliseconds: number * 100)
      }
      let frame = timeline.frame(scene)
      #expect(frame.count == empty.count)
      #expect(frame.allSatisfy { $0.count == frame[0].count && $0.count <= columns })
    }
  }

  @Test func `nothing that a file says is obeyed by the terminal`() {
    var scene = Self.scene()
    scene.apply(.sent("x", isFirst: true), to: 2, on: .direct, atMilliseconds: 2000)
    let answer = SearchAnswer(files: 1, matches: 1, best: "bad:1 \u{1b}]0;title\u{7}\u{9b}2J\r\n\u{202e}漢")
    scene.apply(.answered(answer), to: 2, on: .direct, atMilliseconds: 2100)
    let text = Timeline(columns: 120, lines: 24, style: TextStyle(hasUnicode: true)).frame(scene).joined()
    let harmful: [ClosedRange<UInt32>] = [0...0x1f, 0x7f...0x9f, 0x202a...0x202e]
    #expect(!text.unicodeScalars.contains { scalar in harmful.contains { $0.contains(scalar.value) } })
  }

  @Test func `colours frame text and change none of it`() {
    let plain = Timeline(columns: 80, lines: 24, style: TextStyle()).frame(Self.scene())
    let coloured = Timeline(columns: 80, lines: 24, style: TextStyle(hasColours: true)).frame(Self.scene())
    #expect(coloured.contains { $0.contains("\u{1b}[31mSTALE") })
    #expect(coloured.map { $0.replacing(/\u{1b}\[\d*m/, with: "") } == plain)
  }

  @Test func `a picture is drawn over the last one`() {
    #expect(Redraw.text(["a", "b"], over: 0) == "a\u{1b}[K\nb\u{1b}[K\n\u{1b}[J")
    #expect(Redraw.text(["a"], over: 2).hasPrefix("\u{1b}[2A\ra"))
  }
}

extension String {
  var trimmedEnd: String { replacing(/[ ]+$/, with: "") }
}
