import Synchronization

/// A field that keeps the struct around it where it is: the compiler copies the whole of a large struct for each
/// call of a method that leaves it unchanged, unless it has a part that cannot be moved bit by bit.
public struct StaysInPlace: ~Copyable {
  private let anchor = Atomic<UInt8>(0)

  public init() {}
}
