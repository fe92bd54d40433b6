/// What POSTs of one session have in common: the session's name, their listener and their principal.
struct SessionIdentity: Hashable {
  let text: String
  let listener: Int
  let principal: Int?
}
