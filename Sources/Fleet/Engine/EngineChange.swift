/// A record has been written, or deleted: then there is none any more. A watch tells of these in the order of revisions.
package struct EngineChange: Sendable {
  package let key: EngineKey
  package let record: EngineRecord?
  package let revision: Int64

  package init(_ key: EngineKey, _ record: EngineRecord?, revision: Int64) {
    self.key = key
    self.record = record
    self.revision = revision
  }
}
