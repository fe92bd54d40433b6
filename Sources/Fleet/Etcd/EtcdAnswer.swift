import HTTP1
import JSONRPC

/// What etcd answers with status 200. What is written in another way is no answer.
package enum EtcdAnswer {
  /// Of a transaction, or of a read of one record; nil: it is no such answer.
  package static func read(
    _ text: [UInt8], to body: EngineRequest.Body, _ names: EtcdNames
  ) -> (answer: EngineAnswer, header: EngineHeader)? {
    guard let object = EtcdObject(text), let header = header(of: object) else { return nil }
    switch body {
    case .transaction:
      return (object.isTrue("succeeded") ? .applied(header.revision) : .refused, header)
    case .read:
      guard let found = object.objects("kvs").first else { return (.record(nil), header) }
      return record(in: found, names).map { (.record($0.record), header) }
    }
  }

  /// All records, and the revision behind which the watch goes on; nil: it is no such answer.
  package static func readAll(
    _ text: [UInt8], _ names: EtcdNames
  ) -> (records: [(key: EngineKey, record: EngineRecord)], header: EngineHeader)? {
    guard let object = EtcdObject(text), let header = header(of: object) else { return nil }
    return (object.objects("kvs").compactMap { record(in: $0, names) }, header)
  }

  /// What an authentication has given; nil: it has given nothing.
  package static func readToken(_ text: [UInt8]) -> String? { EtcdObject(text)?.string("token") }

  /// Whether an error means that the request had no valid token: it had none, or one that does not count any more.
  package static func wantsUser(_ text: [UInt8]) -> Bool {
    guard let object = EtcdObject(text),
      let message = object.string("message") ?? object.string("error")
    else { return false }
    return [
      "user name is empty", "invalid auth token",
      // Users have changed since it was said.
      "revision of auth store is old", "revision in header is old",
    ].contains { message.hasSuffix($0) }
  }

  package enum Watched {
    case changes([EngineChange], EngineHeader)
    /// It has forgotten what is asked for, or ends for another reason: all has to be read again.
    case ended
  }

  /// One message of a watch, which is a line; nil: it is none.
  package static func readWatched(_ line: [UInt8], _ names: EtcdNames) -> Watched? {
    guard let object = EtcdObject(line)?.object("result") else { return nil }
    if object.isTrue("canceled") { return .ended }
    guard let header = header(of: object) else { return nil }
    let changes = object.objects("events").compactMap { change(in: $0, names) }
    return .changes(changes, header)
  }

  private static func header(of object: EtcdObject) -> EngineHeader? {
    guard let header = object.object("header"), let cluster = header.number("cluster_id"),
      let revision = header.number("revision").flatMap(Int64.init(exactly:))
    else { return nil }
    return EngineHeader(cluster: cluster, revision: revision)
  }

  private static func key(in object: EtcdObject, _ names: EtcdNames) -> (key: EngineKey, revision: Int64)? {
    guard let name = object.bytes("key").flatMap(Base64.bytes), let key = names.key(named: name),
      let revision = object.number("mod_revision").flatMap(Int64.init(exactly:))
    else { return nil }
    return (key, revision)
  }

  private static func record(
    in object: EtcdObject, _ names: EtcdNames
  ) -> (key: EngineKey, record: EngineRecord)? {
    guard let (key, revision) = key(in: object, names),
      let value = object.bytes("value").flatMap(Base64.bytes).flatMap({ names.value(of: key, in: $0) })
    else { return nil }
    return (key, EngineRecord(value, revision: revision))
  }

  private static func change(in object: EtcdObject, _ names: EtcdNames) -> EngineChange? {
    guard let found = object.object("kv") else { return nil }
    if object.string("type") == "DELETE" {
      return key(in: found, names).map { EngineChange($0.key, nil, revision: $0.revision) }
    }
    return record(in: found, names).map { EngineChange($0.key, $0.record, revision: $0.record.revision) }
  }
}
