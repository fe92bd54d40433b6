/// A key of a sender whose requests may overtake each other.
struct OrderName: Hashable {
  enum Sender: Hashable {
    case client(Int)
    case session(SessionIdentity)
  }

  let sender: Sender
  let key: Int8
  let isOwn: Bool
}
