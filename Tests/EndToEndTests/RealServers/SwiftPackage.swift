import Foundation

/// A package of two files, one of which uses the other's type.
struct SwiftPackage {
  let directory: String

  /// In a new directory at this path.
  init(at path: String) throws {
    directory = path
    try write(
      "Package.swift",
      """
      // swift-tools-version: 5.9
      import PackageDescription

      let package = Package(name: "Shop", targets: [.target(name: "Shop")])
      """)
    try write(
      "Sources/Shop/Basket.swift",
      """
      /// What somebody is about to buy.
      struct Basket {
        var appleCount = 0
        var apricotCount = 0
        var bananaCount = 0
      }
      """)
    try write("Sources/Shop/Counting.swift", counting.text(with: ""))
  }

  var counting: TypedDocument {
    TypedDocument(
      path: directory + "/Sources/Shop/Counting.swift", language: "swift",
      before: "func count(_ basket: Basket) -> Int {\n", after: "}\n")
  }

  private func write(_ name: String, _ text: String) throws {
    let file = URL(fileURLWithPath: directory + "/" + name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }
}
