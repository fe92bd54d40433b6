import GatewayCore
import JSONRPC
import Testing

@testable import Configuration

/// Who wins, and that it is told.
@Suite struct OriginTests {
  private let file: (name: String, bytes: [UInt8]) = (
    "lw.toml", Array("drainMs = 1\n[bounds]\n\ntasks = 2\n[[upstream]]\nname = 'a'\naddress = 'tcp:a:1'".utf8)
  )

  @Test func `flags win over the environment, that over the file, that over the defaults`() throws {
    var sources = ConfigurationSources()
    func drain() throws -> (Int, String) {
      let configuration = try FileConfiguration(sources)
      return (configuration.process.drainMilliseconds, "\(configuration.process.origin(of: "drainMs"))")
    }
    #expect(try drain() == (5_000, "default"))
    sources.file = file
    #expect(try drain() == (1, "lw.toml:1"))
    sources.environment = ["LASTWORD_DRAIN_MS": "3"]
    #expect(try drain() == (3, "environment LASTWORD_DRAIN_MS"))
    sources.flags = [.flag("--drain-ms", .process("drainMs"), ["4"])]
    #expect(try drain() == (4, "flag --drain-ms"))
  }

  @Test func `what is shown says where each value is from`() throws {
    let configuration = try FileConfiguration(
      ConfigurationSources(
        file: file, environment: ["LASTWORD_LISTEN": "127.0.0.1:1,unix:/a"],
        flags: [.flag("--cancel", .upstream("cancel"), ["none"])]))
    let lines = SettingList.text(of: configuration, showsOrigins: true).split(separator: "\n")
    #expect(lines.first == "drainMs = 1  # lw.toml:1")
    #expect(lines.contains("tasks = 2  # lw.toml:4"))
    #expect(lines.contains("level = \"info\"  # default"))
    #expect(lines.contains("address = \"127.0.0.1:1\"  # environment LASTWORD_LISTEN"))
    #expect(lines.contains("address = \"unix:/a\"  # environment LASTWORD_LISTEN"))
    #expect(lines.contains("address = \"tcp:a:1\"  # lw.toml:7"))
    #expect(lines.contains("cancel = \"none\"  # flag --cancel"))
  }

  @Test func `every setting that stands once has a variable of its own`() throws {
    let names = Override.Target.all.compactMap(\.environmentName)
    #expect(Set(names).count == names.count)
    #expect(
      names.count == ProcessSettings.settings.count + LogSettings.settings.count
        + AdminSettings.settings.count
        + BoundSettings.settings.count + FleetSettings.settings.count + 7)
    for setting in AdminSettings.settings {
      let name = try #require(Override.Target.admin(setting.name).environmentName)
      #expect(ExampleFile.text.contains("; \(name))"))
    }
    #expect(names.contains("LASTWORD_BOUNDS_CLIENT_OUTPUT_SOFT_BYTES"))
    for setting in BoundSettings.settings {
      guard case .integer(let range, _) = setting.form else { continue }
      let name = try #require(Override.Target.bounds(setting.name).environmentName)
      #expect(
        complaints(ConfigurationSources(environment: [name: "\(range.lowerBound - 1)"])).count == 1, "\(name)"
      )
      #expect(ExampleFile.text.contains("; \(name))"))
    }
  }

  @Test(arguments: [
    ("LASTWORD_BOUNDS_TASKS", "0", "must be 1 to 2_000_000, not 0"),
    ("LASTWORD_BOUNDS_TASKS", "1k", "must be an integer, not '1k'"),
    ("LASTWORD_LOG_LEVEL", "warn", "must be \(levels), not 'warn'; did you mean 'warning'?"),
    ("LASTWORD_LOG_FORMAT", "jsn", "must be 'auto', 'text' or 'json', not 'jsn'; did you mean 'json'?"),
    ("LASTWORD_LOG_LEVL", "info", "unknown variable; did you mean 'LASTWORD_LOG_LEVEL'?"),
    ("LASTWORD_ADMIN_X", "1", "unknown variable"),
    ("LASTWORD_AUTH", "required", "unknown variable; only the file says this, in [[listen]]"),
    ("LASTWORD_TLS_CERTIFICATE", "a.pem", "unknown variable; only the file says this, in [[listen]]"),
    ("LASTWORD_POLICY", "wait", "unknown variable; only the file says this, in [[route]]"),
    ("LASTWORD_ADMIN_HOSTS", "a,b:80", "must be \(HostName.form), not 'b:80'"),
    ("LASTWORD_ADMIN_HOSTS", "a,b,A", "names 'a' twice"),
    ("LASTWORD_BOUNDS_X", "1", "unknown variable"), ("LASTWORD_LISTEN", "", "must name at least one address"),
    ("LASTWORD_LISTEN", "a:1,b", "must be HOST:PORT or unix:PATH, not 'b'"),
    (
      "LASTWORD_LISTEN", "[::1]:1,[::1]:1",
      "'address' is \"[::1]:1\" a second time; the first is at \(listen)"
    ),
    ("LASTWORD_UPSTREAM", "ftp://a/", "must be \(UpstreamAddress.form), not 'ftp…'"),
    ("LASTWORD_CANCEL", "notification", "'cancel' must not be 'notification' without 'cancelMethod'"),
    ("LASTWORD_FRAMING", "content-length", "'framing' must be 'lines' with demo"),
    ("LASTWORD_TRUST_ANSWERS", "id", "must be true or false, not 'id'"),
    ("LASTWORD_PER_CONNECTION", "yes", "must be true or false, not 'yes'"),
    (
      "LASTWORD_BOUNDS_CLIENT_OUTPUT_HARD_BYTES", "1024",
      "'clientOutputSoftBytes' (1048576) must not be more than 'clientOutputHardBytes' (1024)"
    ),
  ])
  func `a mistake in the environment`(name: String, value: String, message: String) {
    #expect(
      complaints(ConfigurationSources(environment: [name: value])) == [
        "environment \(name): error: \(message)"
      ])
  }

  @Test(arguments: ["", ",", ",,,"]) func `a list without anything in it is a mistake`(value: String) throws {
    let lists = Override.Target.all.filter(\.isList).compactMap(\.environmentName)
    #expect(lists == ["LASTWORD_ADMIN_HOSTS", "LASTWORD_FLEET_ENGINE", "LASTWORD_LISTEN"])
    for name in lists {
      let found = complaints(ConfigurationSources(environment: [name: value]))
      let wanted = "environment \(name): error: must name at least one"
      #expect(found.count == 1 && found[0].hasPrefix(wanted), "\(found)")
    }
  }

  @Test func `no setting's variable brings it down by being empty`() {
    for name in Override.Target.all.compactMap(\.environmentName) {
      #expect(complaints(ConfigurationSources(environment: [name: ""])).count == 1, "\(name)")
    }
  }

  static let levels = "'trace', 'debug', 'info', 'notice', 'warning', 'error' or 'critical'"
  static let listen = "environment LASTWORD_LISTEN"

  @Test func `variables of others are no mistake`() {
    #expect(complaints(ConfigurationSources(environment: ["LASTWORD_BINARY": "x", "HOME": "/"])).isEmpty)
    // A service beside it in Kubernetes that is called lastword-admin.
    for name in [
      "LASTWORD_ADMIN_SERVICE_HOST", "LASTWORD_ADMIN_SERVICE_PORT", "LASTWORD_ADMIN_SERVICE_PORT_WEB",
      "LASTWORD_ADMIN_PORT", "LASTWORD_ADMIN_PORT_80_TCP_ADDR", "LASTWORD_UPSTREAM_PORT",
    ] {
      #expect(complaints(ConfigurationSources(environment: [name: "tcp://10.0.0.1:80"])).isEmpty, "\(name)")
    }
  }

  @Test func `a mistake in a flag`() {
    let flag = Override.flag("--drain-ms", .process("drainMs"), ["3600001"])
    #expect(
      complaints(ConfigurationSources(flags: [flag]))
        == ["flag --drain-ms: error: must be 0 to 3_600_000 milliseconds, not 3600001"])
  }

  @Test(arguments: ["auth = 'required'", "scope = 'connection'", "origins = ['https://a.example']"])
  func `an address from outside takes the place of a file's, unless those say who comes, or how`(
    said: String
  ) throws {
    let flag = Override.flag("--listen", .listen, ["127.0.0.1:2"])
    let listen = "[[listen]]\naddress = '0.0.0.0:1'\naudience = 'network'\n"
    let principal = "\n[[principal]]\nname = 'a'\nusers = ['1']"
    func sources(_ text: String) -> ConfigurationSources {
      ConfigurationSources(file: ("lw.toml", Array(text.utf8)), flags: [flag])
    }
    let plain = try FileConfiguration(sources(listen))
    #expect(plain.listeners.map(\.values.address.description) == ["127.0.0.1:2"])
    let name = said.prefix { $0 != " " }
    #expect(
      complaints(sources(listen + said + principal)) == [
        "flag --listen: error: takes the place of every [[listen]], and '\(name)' (lw.toml:4) would be lost: "
          + "change the 'address' there"
      ])
  }

  @Test func `the one upstream can be changed, and of several none`() throws {
    let flag = Override.flag("--upstream", .upstream("address"), ["tcp:b:2"])
    let one = try FileConfiguration(ConfigurationSources(file: file, flags: [flag]))
    #expect(one.upstreams.count == 1 && one.upstreams[0].values.name.description == "a")
    #expect(one.upstreams[0].endpoints.map(\.description) == ["tcp:b:2"])
    let text = "[[upstream]]\nname = 'a'\naddress = 'tcp:a:1'\n[[upstream]]\nname = 'b'\naddress = 'tcp:a:2'"
    #expect(
      complaints(ConfigurationSources(file: ("lw.toml", Array(text.utf8)), flags: [flag]))
        == [
          "flag --upstream: error: is for a file's only [[upstream]], and this one has 2: change them there"
        ])
  }

  @Test func `an address that a flag gives takes the place of all that the file has`() throws {
    let text = "[[upstream]]\nname = 'a'\naddresses = ['tcp:a:1', 'tcp:a:2']"
    let flag = Override.flag("--upstream", .upstream("address"), ["exec:server"])
    let read = try FileConfiguration(
      ConfigurationSources(file: ("lw.toml", Array(text.utf8)), flags: [flag]))
    #expect(read.upstreams[0].endpoints == [.command(["server"])])
    #expect(SettingList.text(of: read, showsOrigins: true).contains("\"exec:server\"  # flag --upstream"))
  }

  @Test func `the one upstream's framing, and whose it is, can be given from outside`() throws {
    let variables = ["LASTWORD_FRAMING": "content-length", "LASTWORD_PER_CONNECTION": "true"]
    let read = try FileConfiguration(ConfigurationSources(file: file, environment: variables))
    #expect(read.upstreams[0].framing == .contentLength && read.upstreams[0].isPerConnection)
    #expect("\(read.upstreams[0].origin(of: "perConnection"))" == "environment LASTWORD_PER_CONNECTION")
  }

  @Test func `the one upstream's answers can be trusted from outside, and not where they are no lines`()
    throws
  {
    var variables = ["LASTWORD_TRUST_ANSWERS": "true"]
    let read = try FileConfiguration(ConfigurationSources(file: file, environment: variables))
    #expect(read.upstreams[0].core.trustsAnswers && read.core.upstreams[0].trustsAnswers)
    variables["LASTWORD_FRAMING"] = "content-length"
    let found = complaints(ConfigurationSources(file: file, environment: variables))
    #expect(
      found.count == 1 && found[0].hasPrefix("environment LASTWORD_TRUST_ANSWERS: error: 'trustAnswers' must")
    )
  }

  @Test func `a method to compensate is added, or takes the place of the file's`() throws {
    let text = "[[route]]\nmethod = 'join'\ncompensate = 'quit'"
    let flags = ["join", "open"].map { Override.flag("--compensate", .compensation(of: $0), ["leave"]) }
    let read = try FileConfiguration(
      ConfigurationSources(file: ("lw.toml", Array(text.utf8)), flags: flags))
    #expect(read.routes.map(\.values.method.literal) == ["join", "open"])
    #expect(read.routes.map(\.compensation?.description) == ["leave", "leave"])
    #expect(
      read.routes.map { "\($0.origin(of: "compensate"))" } == ["flag --compensate", "flag --compensate"])
    #expect(
      complaints(ConfigurationSources(flags: [.flag("--compensate", .compensation(of: "a*b"), ["leave"])]))
        .count
        == 1)
  }

  @Test func `mistakes everywhere are all told, the file's first`() {
    let sources = ConfigurationSources(
      file: ("lw.toml", Array("a = 1".utf8)), environment: ["LASTWORD_DRAIN_MS": ""],
      flags: [.flag("--drain-ms", .process("drainMs"), ["-1"])])
    #expect(
      complaints(sources) == [
        "lw.toml:1:1: error: unknown key 'a'",
        "environment LASTWORD_DRAIN_MS: error: must be an integer, not ''",
        "flag --drain-ms: error: must be 0 to 3_600_000 milliseconds, not -1",
      ])
  }
}
