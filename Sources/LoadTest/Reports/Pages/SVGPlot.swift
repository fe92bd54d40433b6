/// Draws one plot: light rules, curves and areas, and a label at the end of each.
struct SVGPlot {
  struct Curve {
    var points: [(x: Double, y: Double)]
    /// Classes of the style sheet: a colour and a weight.
    var style: String
    /// Empty for none.
    var label: String
    /// For an area, the values on which it stands.
    var base: [Double]?
  }

  private static let (width, height) = (560.0, 300.0)
  private static let (left, right, top, bottom) = (62.0, 98.0, 10.0, 30.0)
  /// Labels stand at least so far apart.
  private static let labelDistance = 16.0

  let id: String
  let title: String
  let description: String
  let x: PlotAxis
  let y: PlotAxis
  let curves: [Curve]

  var svg: String {
    """
    <svg viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" aria-labelledby="\(id)-title \(id)-desc">
    <title id="\(id)-title">\(HTMLText.escaped(title))</title>
    <desc id="\(id)-desc">\(HTMLText.escaped(description))</desc>
    \((yTicks + xTicks + [base] + curves.map(path) + labels).joined(separator: "\n"))
    </svg>
    """
  }

  private var yTicks: [String] {
    y.ticks.map { tick in
      let place = Self.text(yPlace(tick.value))
      return "<path class=\"rule\" d=\"M\(Int(Self.left)) \(place)H\(Int(Self.width - Self.right))\"/>"
        + "<text x=\"\(Int(Self.left - 8))\" y=\"\(place)\" dy=\".35em\" class=\"tick end\">\(tick.label)</text>"
    }
  }

  private var base: String {
    "<path class=\"rule\" d=\"M\(Int(Self.left)) \(Int(Self.height - Self.bottom))H\(Int(Self.width - Self.right))\"/>"
  }

  private var xTicks: [String] {
    let bottom = Self.height - Self.bottom
    return x.ticks.map { tick in
      let place = Self.text(xPlace(tick.value))
      return "<path class=\"rule\" d=\"M\(place) \(Int(bottom))v5\"/>"
        + "<text x=\"\(place)\" y=\"\(Int(bottom + 20))\" class=\"tick middle\">\(tick.label)</text>"
    }
  }

  private func path(_ curve: Curve) -> String {
    let there = curve.points.map { place($0.x, $0.y) }.joined(separator: "L")
    guard let base = curve.base else { return "<path class=\"curve \(curve.style)\" d=\"M\(there)\"/>" }
    let back = zip(curve.points, base).reversed().map { place($0.x, $1) }.joined(separator: "L")
    return "<path class=\"area \(curve.style)\" d=\"M\(there)L\(back)Z\"/>"
  }

  /// At the right end of each curve, moved apart where they would cover each other.
  private var labels: [String] {
    let wanted = curves.enumerated().filter { !$1.label.isEmpty }.compactMap { index, curve in
      curve.points.last.map { (index: index, place: yPlace(labelled(curve, at: $0.y))) }
    }
    let places = Self.spread(wanted.sorted { $0.place < $1.place })
    return places.map { index, place in
      "<text x=\"\(Int(Self.width - Self.right + 8))\" y=\"\(Self.text(place))\" dy=\".35em\" "
        + "class=\"label \(curves[index].style)\">\(HTMLText.escaped(curves[index].label))</text>"
    }
  }

  /// An area is named in its middle.
  private func labelled(_ curve: Curve, at value: Double) -> Double {
    curve.base?.last.map { ($0 + value) / 2 } ?? value
  }

  /// Pushes what overlaps downwards, and back up what would leave the plot.
  private static func spread(_ wanted: [(index: Int, place: Double)]) -> [(index: Int, place: Double)] {
    var places = wanted
    for next in places.indices.dropFirst() {
      places[next].place = max(places[next].place, places[next - 1].place + labelDistance)
    }
    var lowest = height - bottom
    for index in places.indices.reversed() {
      places[index].place = min(places[index].place, lowest)
      lowest = places[index].place - labelDistance
    }
    return places
  }

  private func xPlace(_ value: Double) -> Double {
    Self.left + x.part(value) * (Self.width - Self.left - Self.right)
  }

  private func yPlace(_ value: Double) -> Double {
    Self.height - Self.bottom - y.part(value) * (Self.height - Self.top - Self.bottom)
  }

  private func place(_ x: Double, _ y: Double) -> String { "\(Self.text(xPlace(x))) \(Self.text(yPlace(y)))" }

  private static func text(_ place: Double) -> String {
    let text = "\((place * 10).rounded() / 10)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
