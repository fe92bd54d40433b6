// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "in-process",
  dependencies: [.package(name: "lastword", path: "../..")],
  targets: [
    .executableTarget(
      name: "WordSearch", dependencies: [.product(name: "LastwordKit", package: "lastword")])
  ]
)
