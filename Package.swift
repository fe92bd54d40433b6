// swift-tools-version: 6.2
import PackageDescription

let language: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Every module but the two that lay memory out by hand (`LibUV`, `HotData`) marks each unsafe expression.
let strict: [SwiftSetting] =
  language + [
    .strictMemorySafety(),
    .treatWarning("StrictMemorySafety", as: .error),
  ]

let package = Package(
  name: "lastword",
  products: [
    .executable(name: "lastword", targets: ["lastword"]),
    .library(name: "LastwordKit", targets: ["LastwordKit"]),
  ],
  traits: [
    .trait(name: "HTTPUpstreams", description: "Upstreams that are asked by HTTP; needs libcurl."),
    .trait(name: "TLS", description: "TLS, and who a client is by token or certificate; needs OpenSSL."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLibUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    .systemLibrary(name: "CLibCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CLibSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .target(
      name: "TLS", dependencies: [.target(name: "CLibSSL", condition: .when(traits: ["TLS"]))],
      swiftSettings: strict),
    .target(name: "TLSStreams", dependencies: ["LibUV", "TLS"], swiftSettings: strict),
    .target(name: "Addresses", swiftSettings: strict),
    .target(name: "LibUV", dependencies: ["Addresses", "CLibUV"], swiftSettings: language),
    .target(
      name: "Secrets", dependencies: [.target(name: "CLibSSL", condition: .when(traits: ["TLS"]))],
      swiftSettings: strict),
    .target(name: "HTTP1", swiftSettings: strict),
    .target(name: "WebSocket", dependencies: ["HTTP1", "HotData"], swiftSettings: strict),
    .systemLibrary(name: "CBlocks"),
    .systemLibrary(name: "CPages"),
    .target(name: "JSONRPC", dependencies: ["CBlocks", "HTTP1", "HotData"], swiftSettings: strict),
    .target(name: "TOML", swiftSettings: strict),
    .target(name: "TaskStore", dependencies: ["HotData"], swiftSettings: strict),
    .target(name: "HotData", dependencies: ["CPages"], swiftSettings: language),
    .target(name: "Identity", dependencies: ["JSONRPC", "Secrets", "TaskStore"], swiftSettings: strict),
    .target(
      name: "GatewayCore", dependencies: ["HotData", "Identity", "JSONRPC", "Secrets", "TaskStore"],
      swiftSettings: strict),
    .target(
      name: "Upstreams",
      dependencies: [
        "Addresses", .target(name: "CLibCurl", condition: .when(traits: ["HTTPUpstreams"])), "GatewayCore",
        "HTTP1", "HotData", "JSONRPC", "LibUV", "TLS", "TLSStreams", "TaskStore",
      ], swiftSettings: strict),
    .target(
      name: "Gateway",
      // What changes in the layout of HotData changes the core's, which is part of the server's.
      dependencies: [
        "Addresses", "Fleet", "GatewayCore", "HTTP1", "HotData", "Identity", "JSONRPC", "LibUV", "Secrets",
        "TLS",
        "TLSStreams", "TaskStore", "Upstreams", "WebSocket",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .target(
      name: "Admin",
      dependencies: [
        "Addresses", "CAdminPage", "Gateway", "GatewayCore", "HTTP1", "HotData", "JSONRPC", "LibUV",
        "Secrets", "TaskStore",
      ],
      exclude: ["Page"], swiftSettings: strict),
    .target(name: "CBuildInformation"),
    .target(name: "CAdminPage", path: "Sources/Admin/Page", exclude: ["Parts"]),
    .target(
      name: "Configuration",
      dependencies: [
        "Addresses", "GatewayCore", "HTTP1", "Identity", "JSONRPC", "Secrets", "TOML", "TaskStore",
      ],
      swiftSettings: strict),
    .target(
      name: "Client", dependencies: ["Addresses", "JSONRPC", "LibUV", "TLS", "TLSStreams"],
      swiftSettings: strict),
    .target(name: "Fleet", dependencies: ["HTTP1", "HotData", "JSONRPC", "Secrets"], swiftSettings: strict),
    .target(
      name: "Simulation",
      dependencies: [
        "Fleet", "GatewayCore", "HotData", "Identity", "JSONRPC", "Secrets", "TLS", "TaskStore",
      ],
      swiftSettings: strict),
    .target(name: "CDemoPage", path: "Sources/Demo/Page", exclude: ["Parts"]),
    .target(
      name: "Demo", dependencies: ["CDemoPage", "JSONRPC", "Upstreams"], exclude: ["Page"],
      swiftSettings: strict),
    .target(
      name: "LoadTest",
      dependencies: [
        "Addresses", "Client", "HTTP1", "HotData", "JSONRPC", "LibUV", "Secrets", "TaskStore", "WebSocket",
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ], swiftSettings: strict),
    .executableTarget(
      name: "lastword",
      dependencies: [
        "Addresses", "Admin", "CBuildInformation", "Client", "Configuration", "Demo", "Gateway",
        "GatewayCore", "HTTP1", "HotData", "Identity", "JSONRPC", "LibUV", "LoadTest", "Secrets",
        "Simulation", "TLS", "TLSStreams",
        "TaskStore", "Upstreams",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "DemoTests", dependencies: ["Demo", "JSONRPC", "Upstreams"], swiftSettings: strict),
    .target(
      name: "LastwordKit",
      dependencies: [
        "Addresses", "Gateway", "GatewayCore", "HTTP1", "HotData", "Identity", "JSONRPC", "LibUV",
        "TaskStore", "Upstreams", .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "LastwordKitTests",
      dependencies: ["LastwordKit", "TestSupport", .product(name: "Logging", package: "swift-log")],
      swiftSettings: language),
    .target(
      name: "TestSupport", dependencies: ["Addresses", "LibUV"], path: "Tests/TestSupport",
      swiftSettings: language),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Fleet", "GatewayCore", "HTTP1", "HotData", "LoadTest", "Secrets", "TaskStore", "TestSupport",
        "lastword",
      ],
      exclude: ["fixtures"],
      swiftSettings: language),
    .testTarget(
      name: "TranscriptTests", dependencies: ["GatewayCore", "TaskStore", "TestSupport", "lastword"],
      swiftSettings: language),
    .testTarget(
      name: "AdminTests",
      dependencies: [
        "Addresses", "Admin", "Gateway", "GatewayCore", "HTTP1", "Identity", "LibUV", "Secrets", "TaskStore",
        "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: language),
    .testTarget(
      name: "ConfigurationTests",
      dependencies: [
        "Addresses", "Configuration", "GatewayCore", "Identity", "JSONRPC", "LibUV", "TOML", "TaskStore",
      ],
      swiftSettings: language),
    .testTarget(
      name: "GatewayCoreTests",
      dependencies: ["GatewayCore", "HotData", "Identity", "JSONRPC", "Secrets", "TaskStore", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "GatewayTests",
      dependencies: [
        "Addresses", "Configuration", "Fleet", "Gateway", "GatewayCore", "HTTP1", "HotData", "LibUV",
        "TaskStore", "TestSupport", "Upstreams", .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: language),
    .testTarget(name: "FleetTests", dependencies: ["Fleet", "HTTP1", "Simulation"], swiftSettings: strict),
    .testTarget(name: "HTTP1Tests", dependencies: ["HTTP1"], swiftSettings: strict),
    .testTarget(name: "HotDataTests", dependencies: ["HotData"], swiftSettings: language),
    .testTarget(
      name: "IdentityTests", dependencies: ["Identity", "Secrets", "TaskStore", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "JSONRPCTests", dependencies: ["HotData", "JSONRPC"], swiftSettings: strict),
    .testTarget(
      name: "LoadReportTests",
      dependencies: ["LoadTest", .product(name: "Histogram", package: "hdrhistogram-swift")],
      swiftSettings: strict),
    .testTarget(name: "SecretsTests", dependencies: ["Secrets", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "SimulationTests", dependencies: ["GatewayCore", "HotData", "Simulation", "TaskStore"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "TOMLTests", dependencies: ["TOML", "TestSupport"], exclude: ["judge.py"],
      swiftSettings: language),
    .testTarget(
      name: "TLSTests",
      dependencies: [
        "Addresses", .target(name: "CLibSSL", condition: .when(traits: ["TLS"])), "LibUV", "TLS",
        "TLSStreams", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(name: "TaskStoreTests", dependencies: ["HotData", "TaskStore"], swiftSettings: strict),
    .testTarget(
      name: "UpstreamsTests",
      dependencies: [
        "Addresses", "Client", "GatewayCore", "JSONRPC", "LibUV", "TaskStore", "TestSupport", "Upstreams",
      ], swiftSettings: strict),
    .testTarget(
      name: "WebSocketTests", dependencies: ["HTTP1", "HotData", "WebSocket"], swiftSettings: strict),
    .target(
      name: "FuzzTargets",
      dependencies: [
        .target(name: "CLibSSL", condition: .when(traits: ["TLS"])), "Configuration", "Fleet", "GatewayCore",
        "HTTP1",
        "Identity", "JSONRPC", "Secrets", "TLS", "TOML", "TaskStore", "WebSocket",
      ],
      path: "Tests/Fuzz/Targets", swiftSettings: strict),
    .testTarget(
      name: "FuzzTests", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Replay", swiftSettings: language),
    .testTarget(
      name: "LoadTestTests", dependencies: ["Addresses", "HTTP1", "LibUV", "LoadTest", "TaskStore"],
      swiftSettings: strict),
    .testTarget(name: "AddressesTests", dependencies: ["Addresses"], swiftSettings: strict),
    .testTarget(
      name: "LibUVTests", dependencies: ["Addresses", "LibUV", "TestSupport"], swiftSettings: language),
  ]
)

// Fuzzers need the compiler's fuzzing runtime, and one of them another JSON library: scripts/fuzz asks for them.
if Context.environment["LASTWORD_FUZZ"] != nil {
  package.targets += [
    .target(name: "JSONOracle", path: "Tests/Fuzz/Oracle", linkerSettings: [.linkedLibrary("simdjson")]),
    .executableTarget(
      name: "Fuzz", dependencies: ["FuzzTargets", "JSONOracle", "JSONRPC"], path: "Tests/Fuzz/Driver",
      swiftSettings: language),
  ]
}

// The container is built from the sources alone, so that no change of a test makes it anew.
if Context.environment["LASTWORD_WITHOUT_TESTS"] != nil {
  package.targets.removeAll { $0.isTest || $0.path?.hasPrefix("Tests/") == true }
}

// Some of the tests, by the names of their targets: less to build after a change that everything depends on.
if let wanted = Context.environment["LASTWORD_TESTS"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll { $0.isTest && !wanted.contains($0.name) }
}
