import JSONRPC

/// The keys and values of a fleet's records in etcd: below `/lastword/NAME/` are members by their names, and partitions
/// by their numbers, each a JSON object.
package struct EtcdNames: Sendable {
  package let prefix: [UInt8]

  /// - Parameter fleet: letters, digits and `-_.`, which the configuration sees to.
  package init(fleet: String) { prefix = Array("/lastword/\(fleet)/".utf8) }

  /// Behind all that begin with the prefix: its last byte, a slash, and one more.
  var end: [UInt8] { prefix.dropLast() + [UInt8(ascii: "/") + 1] }

  private static let members = "members/"
  private static let partitions = "partitions/"

  package func name(of key: EngineKey) -> [UInt8] {
    switch key {
    case .member(let id): prefix + Array((Self.members + id.text).utf8)
    case .partition(let number): prefix + Array("\(Self.partitions)\(number)".utf8)
    }
  }

  /// Nil: it is nothing of a fleet's that this version knows.
  package func key(named name: [UInt8]) -> EngineKey? {
    guard name.starts(with: prefix) else { return nil }
    let rest = String(decoding: name.dropFirst(prefix.count), as: UTF8.self)
    if rest.hasPrefix(Self.members) {
      return MemberID(text: String(rest.dropFirst(Self.members.count))).map { .member($0) }
    }
    guard rest.hasPrefix(Self.partitions), let number = Int(rest.dropFirst(Self.partitions.count)),
      rest == "\(Self.partitions)\(number)", number >= 0
    else { return nil }
    return .partition(number)
  }

  // MARK: Values

  package func text(of value: EngineValue) -> [UInt8] {
    var json = JSONBuilder()
    json.object {
      switch value {
      case .member(let record):
        $0.member("address", record.address)
        $0.member("beat", record.beat)
        $0.member("leaving", record.isLeaving ? 1 : 0)
      case .partition(let record):
        $0.member("owner", record.owner.text)
        $0.member("epoch", record.epoch)
        $0.member("settled", record.isExclusive ? 1 : 0)
      }
    }
    return json.bytes
  }

  /// Nil: it is none that this version knows.
  package func value(of key: EngineKey, in text: [UInt8]) -> EngineValue? {
    guard let object = EtcdObject(text) else { return nil }
    switch key {
    case .member:
      guard let address = object.string("address"), let beat = object.number("beat") else { return nil }
      let isLeaving = object.number("leaving") == 1
      return .member(MemberRecord(address: address, beat: beat, isLeaving: isLeaving))
    case .partition:
      guard let owner = object.string("owner").flatMap(MemberID.init(text:)),
        let epoch = object.number("epoch").flatMap(UInt32.init(exactly:))
      else { return nil }
      return .partition(
        PartitionRecord(owner: owner, epoch: epoch, isExclusive: object.number("settled") == 1))
    }
  }
}
