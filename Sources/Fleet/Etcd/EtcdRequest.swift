import HTTP1
import JSONRPC

/// A request to etcd's gateway for HTTP and JSON (etcd 3.4 and up): a POST of this body to this path.
package struct EtcdRequest: Hashable, Sendable {
  package let path: String
  package let body: [UInt8]

  package init(_ body: EngineRequest.Body, _ names: EtcdNames) {
    switch body {
    case .read(let key):
      self.init(path: "/v3/kv/range") { $0.member("key", Base64.text(of: names.name(of: key))) }
    case .transaction(let transaction):
      self.init(path: "/v3/kv/txn") {
        $0.array("compare", transaction.conditions) { Self.write($1, names, into: &$0) }
        $0.array("success", transaction.writes) { Self.write($1, names, into: &$0) }
      }
    }
  }

  /// All records of a fleet.
  package static func all(_ names: EtcdNames) -> EtcdRequest {
    EtcdRequest(path: "/v3/kv/range") { range(names, into: &$0) }
  }

  /// Every change of a record behind a revision, as it happens: the answer does not end.
  package static func watch(behind revision: Int64, _ names: EtcdNames) -> EtcdRequest {
    EtcdRequest(path: "/v3/watch") {
      $0.member("create_request") {
        range(names, into: &$0)
        $0.member("start_revision", "\(revision + 1)")
      }
    }
  }

  /// Authenticates a user; the answer has a token for later requests.
  package static func authentication(user: String, password: String) -> EtcdRequest {
    EtcdRequest(path: "/v3/auth/authenticate") {
      $0.member("name", user)
      $0.member("password", password)
    }
  }

  private init(path: String, _ members: (inout JSONBuilder) -> Void) {
    self.path = path
    var json = JSONBuilder()
    json.object(members)
    body = json.bytes
  }

  private static func range(_ names: EtcdNames, into json: inout JSONBuilder) {
    json.member("key", Base64.text(of: names.prefix))
    json.member("range_end", Base64.text(of: names.end))
  }

  private static func write(_ condition: EngineCondition, _ names: EtcdNames, into json: inout JSONBuilder) {
    switch condition {
    case .revision(let key, let revision):
      json.member("target", "MOD")
      json.member("result", "EQUAL")
      json.member("key", Base64.text(of: names.name(of: key)))
      json.member("mod_revision", "\(revision)")
    case .exists(let key):
      json.member("target", "VERSION")
      json.member("result", "GREATER")
      json.member("key", Base64.text(of: names.name(of: key)))
      json.member("version", "0")
    }
  }

  private static func write(_ write: EngineWrite, _ names: EtcdNames, into json: inout JSONBuilder) {
    switch write {
    case .put(let key, let value):
      json.member("requestPut") {
        $0.member("key", Base64.text(of: names.name(of: key)))
        $0.member("value", Base64.text(of: names.text(of: value)))
      }
    case .delete(let key):
      json.member("requestDeleteRange") { $0.member("key", Base64.text(of: names.name(of: key))) }
    }
  }
}
