import Foundation
import Testing

@Suite struct UpstreamRecordTests {
  @Test func `what a killed upstream was writing is left out, and nothing of what others wrote`() {
    let record = Data("\u{1e}{\"a\":1}\n\u{1e}{\"b\"\u{1e}{\"c\":3}\n\u{1e}{\"d".utf8)
    #expect(UpstreamRecord.whole(record) == [Data("{\"a\":1}\n".utf8), Data("{\"c\":3}\n".utf8)])
  }
}
