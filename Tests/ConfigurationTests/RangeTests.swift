import Addresses
import GatewayCore
import JSONRPC
import LibUV
import TaskStore
import Testing

@testable import Configuration

/// Every setting of every block, by the list that everything else goes by.
@Suite struct RangeTests {
  /// Of a file that gives one setting: what is said about that setting.
  private func said<Values>(of setting: Setting<Values>, _ value: String, _: Values.Type) -> [String] {
    let name = Values.blockName
    let isRepeated = ["listen", "principal", "upstream", "route"].contains(name)
    let header = name.isEmpty ? "" : isRepeated ? "[[\(name)]]\n" : "[\(name)]\n"
    return complaints("\(header)\(setting.name) = \(value)").filter {
      $0.contains("'\(setting.name)' must be ")
    }
  }

  private func checkRanges<Values>(_ values: Values.Type) -> Int where Values: SettingValues {
    var count = 0
    for setting in Values.settings {
      guard case .integer(let range, _) = setting.form else { continue }
      count += 1
      for inside in [range.lowerBound, range.upperBound] {
        #expect(said(of: setting, "\(inside)", values).isEmpty, "\(setting.name) = \(inside)")
      }
      for outside in [range.lowerBound - 1, range.upperBound + 1, .min, .max] {
        #expect(said(of: setting, "\(outside)", values).count == 1, "\(setting.name) = \(outside)")
      }
    }
    return count
  }

  @Test func `what is read in a turn is bounded as the loop has it`() throws {
    let setting = try #require(BoundSettings.settings.first { $0.name == "turnBytes" })
    guard case .integer(let range, _) = setting.form else {
      Issue.record("it is no number")
      return
    }
    #expect(range == EventLoop.turnBytesRange)
    #expect(BoundSettings().number("turnBytes") == EventLoop.defaultTurnBytes)
  }

  @Test func `both ends of every range are taken, and nothing beyond`() {
    #expect(checkRanges(ProcessSettings.self) == 2)
    #expect(checkRanges(AdminSettings.self) == 3)
    #expect(checkRanges(BoundSettings.self) == BoundSettings.settings.count)
    #expect(checkRanges(UpstreamSettings.self) == 10)
    #expect(checkRanges(RouteSettings.self) == 12)
  }

  private func checkNames<Values>(_ values: Values.Type) -> Int where Values: SettingValues {
    var count = 0
    for setting in Values.settings {
      guard case .choice(let names) = setting.form else { continue }
      count += 1
      for name in names { #expect(said(of: setting, "'\(name)'", values).isEmpty) }
      #expect(said(of: setting, "'no such name'", values).count == 1)
    }
    return count
  }

  @Test func `every name that is listed is taken, and no other`() {
    #expect(checkNames(ProcessSettings.self) == 1)
    #expect(checkNames(LogSettings.self) == 2)
    #expect(checkNames(AdminSettings.self) == 1)
    #expect(checkNames(ListenerSettings.self) == 6)
    #expect(checkNames(UpstreamSettings.self) == 2)
    #expect(checkNames(RouteSettings.self) == 4)
  }

  private func checkWords<Values>(_: Values.Type) where Values: SettingValues {
    #expect(Set(Values.settings.map(\.name)).count == Values.settings.count)
    for setting in Values.settings {
      #expect(setting.meaning.hasSuffix("."), "\(setting.name)")
      #expect(setting.standard != nil || setting.sample != nil, "\(setting.name)")
      guard case .integer(let range, let unit) = setting.form else { continue }
      if let standard = setting.standard, case .integer(let number) = standard {
        #expect(range.contains(number), "\(setting.name)")
      }
      #expect(unit == self.unit(inName: setting.name), "\(setting.name)")
    }
  }

  private func unit(inName name: String) -> SettingUnit {
    let units: [(String, SettingUnit)] = [
      ("Bytes", .bytes), ("Ms", .milliseconds), ("Us", .microseconds),
    ]
    return units.first { name.hasSuffix($0.0) }?.1 ?? .none
  }

  @Test func `every setting has a sentence, a value to show, and its unit in its name`() {
    checkWords(ProcessSettings.self)
    checkWords(LogSettings.self)
    checkWords(AdminSettings.self)
    checkWords(BoundSettings.self)
    checkWords(ListenerSettings.self)
    checkWords(PrincipalSettings.self)
    checkWords(UpstreamSettings.self)
    checkWords(RouteSettings.self)
  }

  @Test func `texts that are right are taken`() throws {
    let text = """
      [[listen]]
      address = "[::1]:0"
      [[upstream]]
      name = "A-b_c.9"
      address = "unix:/run/x.sock"
      [[upstream]]
      name = "b"
      address = "tcp:[::1]:9000"
      [[route]]
      method = "textDocument/*"
      key = "/a~1b/m~0n//0"
      policies = ["keepLatest", "wait"]
      policy = "keepLatest"
      join = "identical"
      upstream = "b"
      [[route]]
      method = "*"
      """
    let read = try configuration(text)
    #expect(read.listeners[0].address.description == "[::1]:0")
    #expect(
      read.upstreams.map(\.values.endpoints) == [
        [.socket(.unix(path: "/run/x.sock"))], [.socket(.tcp(host: "::1", port: 9000))],
      ])
    #expect(read.routes[0].core.key?.text == "/a~1b/m~0n//0")
    #expect(read.routes[0].values.method.literal == "textDocument/" && read.routes[0].values.method.isPrefix)
    #expect(read.routes[0].core.allowedPolicies == [.keepLatest, .wait])
    #expect(read.routes[0].values.method.isMoreSpecific(than: read.routes[1].values.method))
    #expect(read.routes[1].values.method.literal.isEmpty)
  }
}
