/// The example's upstreams besides the one with all settings.
extension UpstreamSettings {
  package static let variants: [BlockVariant<Self>] = [
    BlockVariant(
      meaning: "Several that do the same work, and hear of cancelling by a notification of their own.",
      given: [("name", .text("pool")), ("cancel", .text("notification"))],
      settings: [addressesSetting] + cancelSettings),
    BlockVariant(
      meaning: "A program that is started here, and speaks over its standard input and output.",
      given: [
        ("name", .text("child")), ("address", .text("exec:pylsp --verbose")),
        ("framing", .text("content-length")),
      ], settings: commandSettings),
    BlockVariant(
      meaning: "One that is asked by HTTP.",
      given: [("name", .text("web")), ("address", .text("https://example.com/rpc"))],
      settings: urlSettings + exchangeSettings),
    BlockVariant(
      meaning:
        "A server of the Model Context Protocol over HTTP: each client has a session of its own there.",
      given: [("name", .text("tools")), ("address", .text("mcp+https://example.com/mcp"))],
      settings: []),
    BlockVariant(
      meaning: "One behind TLS, which is always verified.",
      given: [("name", .text("vault")), ("address", .text("tls:search.example:5280"))],
      settings: tlsSettings),
  ]
}
