/// What is handled of one client, or of one upstream connection, before it is the others' turn.
struct TurnShare {
  /// Messages that are left, those in arrays counted; none once the share is spent.
  private(set) var messages = 0
  private var outputBytes = 0
  /// Its client must be known, and may not do everything; or other loops have some of its keys.
  var isLookedAt = false

  init() {}

  @inline(__always)
  init(_ configuration: GatewayConfiguration, isLookedAt: Bool) {
    self.isLookedAt = isLookedAt
    messages = configuration.turnMessages
    outputBytes = configuration.turnOutputBytes
  }

  init(messages: Int) {
    self.messages = messages
    outputBytes = .max
  }

  var isSpent: Bool { messages <= 0 }

  @inline(__always)
  mutating func spend(messages count: Int) { messages &-= count }

  /// Nothing more is handled of it in this turn.
  mutating func end() { messages = 0 }

  /// An answer of our own is as long as that.
  mutating func spend(outputBytes count: Int) {
    outputBytes -= count
    if outputBytes <= 0 { messages = 0 }
  }
}
