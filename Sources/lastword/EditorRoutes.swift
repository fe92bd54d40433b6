import GatewayCore
import JSONRPC
import TaskStore

/// What editors ask again with every change, so that only the newest answer is of use.
enum EditorRoutes {
  /// Each method has its own keys: a hover does not supersede a completion of the same document.
  static let routes = methods.map { method in
    var route = Route(method: "textDocument/\(method)")
    route.key = document
    route.keyPrefix = Array("\(method):".utf8)
    route.policy = .cancel
    return route
  }

  private static let document: JSONPointer? = try? JSONPointer("/textDocument/uri")

  /// Not those whose answers go into the document, or that ask about several parts of it at once.
  private static let methods = [
    "completion", "signatureHelp", "hover", "documentHighlight", "documentSymbol", "semanticTokens/full",
    "foldingRange", "codeLens", "documentLink",
  ]
}
