/// The seven things a JSON value can be, told apart by its first byte.
@usableFromInline
package enum ValueKind: UInt8, Hashable, Sendable {
  case string, number, object, array, `true`, `false`, null

  /// The kind of a value that is known to be valid.
  @inlinable @inline(always)
  package init(firstByte: UInt8) {
    switch firstByte {
    case UInt8(ascii: "\""): self = .string
    case UInt8(ascii: "{"): self = .object
    case UInt8(ascii: "["): self = .array
    case UInt8(ascii: "t"): self = .true
    case UInt8(ascii: "f"): self = .false
    case UInt8(ascii: "n"): self = .null
    default: self = .number
    }
  }
}
