import GatewayCore
import JSONRPC
import TaskStore

/// Requests that editors repeat with every change, so that only the newest answer is of use.
enum EditorRoutes {
  /// Each method has its own keys: a hover does not supersede a completion of the same document. A request with the
  /// same params shares the answer that is on its way, until the document is edited.
  static let routes = documentRoutes + [symbols]

  private static let documentRoutes = methods.map { method in
    var route = Route(method: "textDocument/\(method)")
    route.key = document
    route.keyPrefix = Array("\(method):".utf8)
    route.policy = .cancel
    route.join = .identical
    return route
  }

  /// The route of the search for symbols in the whole workspace: one search box at a time uses it.
  private static var symbols: Route {
    var route = Route(method: "workspace/symbol")
    route.keyPrefix = Array("workspace/symbol".utf8)
    route.hasConstantKey = true
    route.policy = .cancel
    route.join = .identical
    return route
  }

  private static let document: JSONPointer? = try? JSONPointer("/textDocument/uri")

  /// The methods. Left out are those whose answers change the document, and those that are sent for several parts of it
  /// at once.
  private static let methods = [
    "completion", "signatureHelp", "hover", "documentHighlight", "documentSymbol", "semanticTokens/full",
    "semanticTokens/full/delta", "diagnostic",
    "foldingRange", "codeLens", "documentLink",
  ]
}
