import ArgumentParser
import Configuration
import JSONRPC

/// A framing by its name in the configuration.
struct FramingFlag: ExpressibleByArgument {
  let framing: Framing

  init?(argument: String) {
    guard let framing = Framing.allCases.first(where: { $0.name == argument }) else { return nil }
    self.framing = framing
  }

  static var allValueStrings: [String] { Framing.allCases.map(\.name) }
}
