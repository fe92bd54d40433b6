import Foundation
import GatewayCore
import TaskStore
import TestSupport
import Testing

/// The specification, the schemas, `rpc.discover` and the code say the same.
@Suite struct ContractTests {
  @Test func `the binary gives the document that the contract holds`() throws {
    let gateway = try RunningGateway()
    let answer = try gateway.connect().call(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#)
    let given = try Contract.object(answer)["result"] as? NSDictionary
    #expect(try given == Contract.json("proto/openrpc.json"))
  }

  @Test func `what is made from the schemas is up to date`() throws {
    let check = try RunningProgram(Programs.repository + "/scripts/openrpc", ["--check"])
    #expect(check.outputLine() == nil)
    #expect(check.exitStatus() == 0)
  }

  @Test func `the own methods are those of the code`() throws {
    let methods = try Contract.value("openrpc.json", "methods", as: [NSDictionary].self)
    let names = methods.compactMap { $0["name"] as? String }
    #expect(names == OwnMethod.names.map { "\($0.name)" })
    let reserved = try Contract.value("schemas/method.json", "anyOf", as: [NSDictionary].self)
    #expect(reserved.first?["enum"] as? [String] == names)
    let table = try Contract.section("## Own methods", of: "spec.md")
    #expect(Contract.captures(/\n\| `([^`]+)` \|/, in: table) == names)
  }

  @Test func `the policies are those of the code`() throws {
    let policies = DuplicatePolicy.allCases.map(\.name)
    #expect(try Contract.value("schemas/policy.json", "enum", as: [String].self) == policies)
    let table = try Contract.section("## The policies", of: "policies.md")
    #expect(Contract.captures(/\n\| `([^`]+)` \|/, in: table) == policies)
  }

  @Test func `the members of task are those that the code reads`() throws {
    let members = Set(TaskMembers.names.map { "\($0.name)" })
    let schema = try Contract.value("schemas/task.json", "properties", as: [String: NSDictionary].self)
    #expect(Set(schema.keys) == members)
    let table = try Contract.section("### The members of `task`", of: "spec.md")
    #expect(Set(Contract.captures(/\n\| `(\w+)` \|/, in: table)) == members)
  }

  @Test func `the error codes are those of the code`() throws {
    let source = try Contract.text("Sources/JSONRPC/Writing/RPCError.swift")
    let errors = source.matches(of: /RPCError\(code: (-\d+), message: "(.+)"\)/)
    let messages = Dictionary(uniqueKeysWithValues: errors.map { (Int($0.1) ?? 0, String($0.2)) })
    #expect(messages.count > 5)
    let described = try Contract.value(
      "openrpc.json", "components", "errors", as: [String: NSDictionary].self)
    for error in described.values {
      let code = try #require(error["code"] as? Int)
      #expect(messages[code] == error["message"] as? String)
    }
    #expect(described.count == messages.count)
    let schema = try Contract.value(
      "schemas/gateway-error.json", "properties", "code", "enum", as: [Int].self)
    #expect(Set(schema) == Set(messages.keys))
    let table = try Contract.section("## Errors", of: "spec.md")
    let codes = Contract.captures(/\n\| (-\d+) \|/, in: table).compactMap { Int($0) }
    #expect(Set(codes) == Set(messages.keys))
  }

  @Test func `the bounds are those of the configuration, with the same defaults`() throws {
    let example = try Contract.text("examples/lastword.toml")
    let start = try #require(example.range(of: "\n[bounds]\n"))
    let end = try #require(example.range(of: "\n[fleet]\n"))
    let settings = example[start.upperBound..<end.lowerBound].matches(of: /\n(\w+) = ([\d_]+)/)
    let table = try Contract.section("## Bounds", of: "spec.md")
    let rows = table.matches(of: /\n\| `(\w+)` \| ([\d_]+)/)
    #expect(!settings.isEmpty)
    #expect(
      Dictionary(uniqueKeysWithValues: rows.map { (String($0.1), String($0.2)) })
        == Dictionary(uniqueKeysWithValues: settings.map { (String($0.1), String($0.2)) }))
  }
}
