struct Hit: Encodable {
  let word: String
  /// Letters to change, add or take away.
  let distance: Int
}

/// Every word of a list followed by every other: sunflower, moonbridge, breadwind.
struct CompoundWords {
  static let longestQuery = 32
  private static let hitCount = 5

  private let parts = list.split(whereSeparator: \.isWhitespace).map { Array($0.utf8) }

  var count: Int { parts.count * parts.count }

  /// The words that are spelled most like `text`, the closest first. It looks at all of them, unless it is cancelled.
  func closest(to text: String) throws -> [Hit] {
    let text = Array(text.utf8)
    var hits: [Hit] = []
    for first in parts {
      // A newer search has begun: nobody wants this one any more.
      try Task.checkCancellation()
      for second in parts {
        let word = first + second
        let hit = Hit(word: String(decoding: word, as: UTF8.self), distance: distance(text, word))
        let place = hits.firstIndex { hit.distance < $0.distance } ?? hits.count
        guard place < Self.hitCount else { continue }
        hits.insert(hit, at: place)
        hits = Array(hits.prefix(Self.hitCount))
      }
    }
    return hits
  }

  /// How many letters have to be changed, added or taken away to get from one to the other.
  private func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in other.indices {
        let change = diagonal + (letter == other[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(change, diagonal + 1, row[column] + 1)
      }
    }
    return row[other.count]
  }

  private static let list = """
    air apple arm ash autumn back ball bank bark barn basket beach bean bear bed bee bell berry bird board boat body
    bone book boot bottle bow box bread breeze brick bridge broom brush bucket butter button cake candle card cart
    cat chain chair chalk cheese cherry church clay clock cloth cloud coal coat coin comb cook copper corn cotton
    cow cream crow crown cup curtain day deer desk dog door dragon dream drum duck dust ear earth egg eye face farm
    feather fence field finger fire fish flag flame flower fly foot forest fork fox frog frost fruit garden gate
    glass glove goat gold grain grape grass ground hair hammer hand harbour hat hay head heart hedge hill honey hook
    horn horse house ice ink iron island jar keel kettle key king kitchen kite knee knife knot ladder lake lamb lamp
    land leaf leather lemon letter light lily lion lip lock log loom man map market mask meadow milk mill mint
    mirror moon moss mountain mouse mouth nail neck needle nest net night nose nut oak oar oil onion orchard oven
    owl paper path pear pen pepper pin pine pipe plate plough plum pocket pond pot rabbit rail rain reed rice ring
    river road robin rock roof room root rope rose sack sail salt sand scarf school sea seed shadow sheep shell ship
    shirt shoe shop silk silver sky sleeve smoke snail snow soap sock song spade spider spoon spring stable star
    steam stone storm stove straw stream string sugar summer sun swan table tail tea thorn thread thunder tile
    tower town tree trout valley vine violin wagon wall water wave wax way wheat wheel whistle wind window wine wing
    winter wolf wood wool yard
    """
}
