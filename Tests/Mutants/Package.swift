// swift-tools-version: 6.2
import PackageDescription

// The simulator and what it drives, and nothing else: built from a copy of the sources that has the faults in it.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "lastword",
  targets: [
    .target(name: "HTTP1", swiftSettings: settings),
    .systemLibrary(name: "CBlocks"),
    .systemLibrary(name: "CPages"),
    .target(name: "JSONRPC", dependencies: ["CBlocks", "HTTP1", "HotData"], swiftSettings: settings),
    .target(name: "TaskStore", dependencies: ["HotData"], swiftSettings: settings),
    .target(name: "HotData", dependencies: ["CPages"], swiftSettings: settings),
    .systemLibrary(name: "CLibSSL", pkgConfig: "openssl"),
    .target(name: "TLS", dependencies: ["CLibSSL"], swiftSettings: settings + [.define("TLS")]),
    .target(name: "Secrets", dependencies: ["CLibSSL"], swiftSettings: settings + [.define("TLS")]),
    .target(name: "Identity", dependencies: ["JSONRPC", "Secrets", "TaskStore"], swiftSettings: settings),
    .target(
      name: "GatewayCore", dependencies: ["HotData", "Identity", "JSONRPC", "Secrets", "TaskStore"],
      swiftSettings: settings),
    .target(
      name: "Fleet", dependencies: ["HTTP1", "HotData", "JSONRPC", "Secrets"], swiftSettings: settings),
    .target(
      name: "Simulation",
      dependencies: [
        "Fleet", "GatewayCore", "HotData", "Identity", "JSONRPC", "Secrets", "TLS", "TaskStore",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "mutants", dependencies: ["Simulation"], path: "Tests/Mutants", sources: ["main.swift"],
      swiftSettings: settings),
    .executableTarget(
      name: "histories", dependencies: ["GatewayCore", "HotData", "Simulation", "TaskStore"],
      path: "Tests/Histories", swiftSettings: settings),
  ]
)
