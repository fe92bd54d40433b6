/// Tells several runs apart by the settings in which they differ.
struct RunLegend {
  /// The settings that all runs share.
  let common: [LoadMeasurement.Setting]
  /// The names of the others, and of each the runs' values.
  let differing: [(name: String, values: [String])]

  init(_ measurements: [LoadMeasurement]) {
    let settings = measurements.map(\.reportedSettings)
    var names: [String] = []
    for name in settings.joined().map(\.name) where !names.contains(name) { names.append(name) }
    let rows = names.map { name in
      (name: name, values: settings.map { Self.value(of: name, in: $0) })
    }
    common = rows.filter { Set($0.values).count == 1 }.map { .init($0.name, $0.values[0]) }
    differing = rows.filter { Set($0.values).count > 1 }
  }

  /// What a run is called among the others.
  func label(_ index: Int) -> String {
    let values = differing.map { $0.values[index] }
    return values.isEmpty ? "run \(index + 1)" : values.joined(separator: ", ")
  }

  private static func value(of name: String, in settings: [LoadMeasurement.Setting]) -> String {
    settings.first { $0.name == name }?.value ?? Quantity.none
  }
}

extension LoadMeasurement {
  /// The settings, with the seed among them whoever set them.
  var reportedSettings: [Setting] {
    settings.contains { $0.name == "seed" } ? settings : settings + [Setting("seed", String(seed))]
  }
}
