package import GatewayCore

/// A JSON-RPC server behind the gateway.
package struct UpstreamSettings: SettingValues {
  package static let most = 64

  package var name = UpstreamName(description: "main")
  package var address = UpstreamAddress.demo
  package var cancel = CancelDialect.lsp
  /// Those that are nil are as `BoundSettings` says.
  package var connectMilliseconds: Int?
  package var outputSoftBytes: Int?
  package var outputHardBytes: Int?

  package init() {}

  private static let bounds = BoundSettings()
  package static let blockName = "upstream"
  package static let blockMeaning = [
    "A JSON-RPC server behind the gateway; requests that no route matches go to the first one."
  ]
  package static let settings: [Setting<Self>] = [
    .text("name", \.name, "What routes call it.").required(),
    .text("address", \.address, "Where it is; demo is a handler of echo, sleep and search inside.")
      .required(),
    .choice(
      "cancel", \.cancel,
      "How it is told that an answer is not wanted: $/cancelRequest, notifications/cancelled, not at all."),
    .integer(
      "connectMs", \.connectMilliseconds, 0...SettingLimit.milliseconds, .milliseconds,
      sample: bounds.connectMilliseconds, "As in [bounds], for this upstream."),
    .integer(
      "outputSoftBytes", \.outputSoftBytes, 1024...SettingLimit.bytes, .bytes,
      sample: bounds.upstreamOutputSoftBytes, "As upstreamOutputSoftBytes in [bounds], for this upstream."),
    .integer(
      "outputHardBytes", \.outputHardBytes, 1024...SettingLimit.bytes, .bytes,
      sample: bounds.upstreamOutputHardBytes, "As upstreamOutputHardBytes in [bounds], for this upstream."),
  ]
}
