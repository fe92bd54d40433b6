import TOML

/// The whole configuration of `lastword serve`, checked, with the origin of each value.
package struct FileConfiguration: Sendable {
  /// The limits of the file.
  static let limits = TOMLLimits()
  package static let limitBytes = limits.textBytes

  package internal(set) var process = Section<ProcessSettings>()
  package internal(set) var log = Section<LogSettings>()
  package internal(set) var admin = Section<AdminSettings>()
  package internal(set) var bounds = Section<BoundSettings>()
  package internal(set) var fleet = Section<FleetSettings>()
  /// The listeners, at least one.
  package internal(set) var listeners = [Section<ListenerSettings>()]
  /// The upstreams, at least one: by default the demo handler.
  package internal(set) var upstreams = [Section<UpstreamSettings>()]
  package internal(set) var principals: [Section<PrincipalSettings>] = []
  package internal(set) var issuers: [Section<IssuerSettings>] = []
  package internal(set) var routes: [Section<RouteSettings>] = []
  /// Warnings about variables of the environment that look like settings but are none.
  private(set) var unknownVariables: [Complaint] = []
  /// The settings of the file's upstream that a flag has replaced.
  var replacedInUpstream: [(name: String, origin: Origin)] = []

  /// The names of the blocks, as the file has them.
  static let blockNames = [
    LogSettings.blockName, AdminSettings.blockName, BoundSettings.blockName, FleetSettings.blockName,
    ListenerSettings.blockName, PrincipalSettings.blockName, IssuerSettings.blockName,
    UpstreamSettings.blockName,
    RouteSettings.blockName,
  ]

  /// The defaults.
  package init() {}

  /// Flags win over the environment, the environment over the file, the file over the defaults; HOST and PORT over
  /// none but the default address.
  package init(_ sources: ConfigurationSources) throws(ConfigurationError) {
    var complaints: [Complaint] = []
    if let file = sources.file {
      let root = try FileText.read(file.bytes, file: file.name)
      complaints += read(root, of: file.name)
    }
    complaints += applyAll(of: sources)
    unknownVariables = EnvironmentNames.warnings(about: sources.environment)
    complaints += inconsistencies
    guard complaints.isEmpty else { throw ConfigurationError(complaints) }
  }

  private mutating func read(_ root: TOMLEntry, of file: String) -> [Complaint] {
    var reader = SectionReader(file: file)
    process = reader.top(root, blocks: Self.blockNames)
    log = reader.block(in: root)
    admin = reader.block(in: root)
    bounds = reader.block(in: root)
    fleet = reader.block(in: root)
    listeners = reader.blocks(in: root, most: ListenerSettings.most) ?? listeners
    principals = reader.blocks(in: root, most: PrincipalSettings.most) ?? principals
    issuers = reader.blocks(in: root, most: IssuerSettings.most) ?? issuers
    upstreams = reader.blocks(in: root, most: UpstreamSettings.most) ?? upstreams
    routes = reader.blocks(in: root, most: RouteSettings.most) ?? routes
    return reader.complaints
  }
}
