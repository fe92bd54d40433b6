/// Writes the example: every setting with its meaning, its allowed values and its default.
package struct ExampleFile {
  private var lines: [String] = []

  package static var text: String {
    var file = ExampleFile()
    file.lines = introduction
    file.add(ProcessSettings.self) { .process($0) }
    file.add(LogSettings.self, header: "[\(LogSettings.blockName)]") { .log($0) }
    file.add(AdminSettings.self, header: "[\(AdminSettings.blockName)]") { .admin($0) }
    file.add(BoundSettings.self, header: "[\(BoundSettings.blockName)]") { .bounds($0) }
    file.add(FleetSettings.self, header: "[\(FleetSettings.blockName)]") { .fleet($0) }
    file.add(ListenerSettings.self, header: "[[\(ListenerSettings.blockName)]]") {
      ["address": Override.Target.listen, "audience": .audience][$0]
    }
    file.add(PrincipalSettings.self, header: "[[\(PrincipalSettings.blockName)]]", isOff: true) { _ in nil }
    file.add(IssuerSettings.self, header: "[[\(IssuerSettings.blockName)]]", isOff: true) { _ in nil }
    file.add(UpstreamSettings.self, header: "[[\(UpstreamSettings.blockName)]]") { .upstream($0) }
    file.add(RouteSettings.self, header: "[[\(RouteSettings.blockName)]]", isOff: true) { _ in nil }
    return file.lines.joined(separator: "\n")
  }

  private static let introduction = [
    "# The configuration of lastword: every setting, with its default.",
    "#",
    "#   lastword config check lastword.toml",
    "#   lastword serve --config lastword.toml",
    "#",
    "# Flags win over the environment, the environment over this file, this file over the defaults;",
    "# lastword config show --origin says where each value comes from.",
    "# A variable that holds a list has commas between.",
    "# Settings after a # without a space have no default: the value is an example.",
  ]

  private mutating func add<Values: SettingValues>(
    _: Values.Type, header: String? = nil, isOff: Bool = false, target: (String) -> Override.Target?
  ) {
    if let header { lines += [""] + comment(Values.blockMeaning) + [(isOff ? "#" : "") + header] }
    let ofVariants = Set(Values.variants.flatMap(\.settings).map(\.name))
    for setting in Values.settings where !ofVariants.contains(setting.name) {
      add(setting, isOff: isOff, target: target(setting.name))
    }
    for variant in Values.variants { add(variant, header: header ?? "") }
  }

  private mutating func add<Values>(_ variant: BlockVariant<Values>, header: String) {
    lines += [""] + comment([variant.meaning]) + ["#" + header]
    lines += variant.given.map { "#\($0.name) = \($0.value.toml)" }
    for setting in variant.settings { add(setting, isOff: true, target: nil) }
  }

  private mutating func add<Values>(
    _ setting: Setting<Values>, isOff: Bool, target: Override.Target?
  ) {
    guard let value = setting.standard ?? setting.sample else { return }
    let environment = target?.environmentName.map { "; \($0)" } ?? ""
    lines += [""] + comment([setting.meaning, "(\(setting.form.description)\(environment))"])
    lines.append((isOff || setting.standard == nil ? "#" : "") + "\(setting.name) = \(value.toml)")
  }

  private func comment(_ lines: [String]) -> [String] {
    lines.flatMap { $0.split(separator: "\n") }.map { "# \($0)" }
  }
}
