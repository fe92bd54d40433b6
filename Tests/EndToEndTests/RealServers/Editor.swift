import Foundation
import TestSupport

/// An editor that asks for completions behind each letter that is typed.
final class Editor {
  let peer: Peer
  let document: TypedDocument
  private(set) var version = 0

  init(_ socket: LineSocket, _ document: TypedDocument) {
    peer = Peer(socket, .contentLength)
    self.document = document
  }

  /// The handshake; the document is open then.
  func begin(in directory: String) throws -> Message {
    let capabilities: [String: Any] = [
      "window": ["workDoneProgress": true],
      "workspace": ["didChangeWatchedFiles": ["dynamicRegistration": true]],
    ]
    let welcome = try peer.call(
      "initialize",
      ["processId": NSNull(), "rootUri": "file://" + directory, "capabilities": capabilities])
    try peer.notify("initialized")
    try peer.notify("textDocument/didOpen", document.opened(with: ""))
    return welcome
  }

  /// All letters of a line, without waiting for an answer, in one go; the ids of the requests.
  func type(_ line: String) throws -> [Int] {
    var texts: [String] = []
    var ids: [Int] = []
    for length in 1...line.count {
      let (id, messages) = try keystroke(String(line.prefix(length)))
      ids.append(id)
      texts += messages
    }
    try peer.send(texts)
    return ids
  }

  /// The names that are offered behind this line.
  func completion(behind line: String) throws -> Message {
    let (id, texts) = try keystroke(line)
    try peer.send(texts)
    return try peer.reply(to: id)
  }

  /// Asks again until the name is offered: a server that has not read everything yet offers less, and says nothing of it.
  func awaitOffer(of name: String, behind line: String) throws {
    try eventually("\(name) is offered behind \(line)") {
      try completion(behind: line).labels.contains(name) ? () : nil
    }
  }

  private func keystroke(_ line: String) throws -> (Int, [String]) {
    version += 1
    let change = try Message.text([
      "method": "textDocument/didChange", "params": document.changed(to: line, version: version),
    ])
    let (id, request) = try peer.request("textDocument/completion", document.completion(behind: line))
    return (id, [change, request])
  }

  /// What editors say when they go.
  func leave() throws -> Message {
    let goodbye = try peer.call("shutdown", nil)
    try peer.send([Message.text(["method": "exit"])])
    return goodbye
  }
}
