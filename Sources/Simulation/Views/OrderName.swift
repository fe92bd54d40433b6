/// A key of whoever may overtake themselves.
struct OrderName: Hashable {
  enum Sender: Hashable {
    case client(Int)
    case session(SessionIdentity)
  }

  let sender: Sender
  let key: Int8
  let isOwn: Bool
}
