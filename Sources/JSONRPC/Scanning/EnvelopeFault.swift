/// Why a JSON text is not a JSON-RPC message, in the order in which faults are looked for.
package enum EnvelopeFault: Hashable, Sendable {
  case notAnObject
  case duplicateMember
  case invalidID
  case idTooLong(limitBytes: Int)
  /// There is neither a method nor a result nor an error.
  case noMethod
  case missingVersion
  case wrongVersion
  case methodNotAString
  case methodTooLong(limitBytes: Int)
  case paramsNotStructured
  case taskNotAnObject
  case resultAndError
  case errorNotAnObject
  case responseWithoutID

  /// What the client is told.
  package var message: String {
    switch self {
    case .notAnObject: "a message must be an object"
    case .duplicateMember: "a member occurs twice"
    case .invalidID: "id must be a string, a number or null"
    case .idTooLong(let limitBytes): "id is longer than \(limitBytes) bytes"
    case .noMethod: "method is missing"
    case .missingVersion: "jsonrpc is missing"
    case .wrongVersion: "jsonrpc must be \"2.0\""
    case .methodNotAString: "method must be a string"
    case .methodTooLong(let limitBytes): "method is longer than \(limitBytes) bytes"
    case .paramsNotStructured: "params must be an array or an object"
    case .taskNotAnObject: "task must be an object"
    case .resultAndError: "a response has either a result or an error"
    case .errorNotAnObject: "error must be an object"
    case .responseWithoutID: "a response must have an id"
    }
  }

  /// The error to answer with: a wrong `task` is a wrong parameter, everything else an invalid request.
  package var error: RPCError {
    self == .taskNotAnObject ? .invalidParams.with(message: message) : .invalidRequest.with(message: message)
  }
}
