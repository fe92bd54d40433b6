/// An error object of JSON-RPC 2.0 (section 5.1), without its `data`.
package struct RPCError: Error, Hashable, Sendable {
  package var code: Int
  package var message: String

  package init(code: Int, message: String) {
    self.code = code
    self.message = message
  }
}
