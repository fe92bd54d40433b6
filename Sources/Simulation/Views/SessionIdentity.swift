/// What makes POSTs belong together: what they call their session, and where and for whom that is.
struct SessionIdentity: Hashable {
  let text: String
  let listener: Int
  let principal: Int?
}
