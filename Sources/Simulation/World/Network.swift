import GatewayCore
import TaskStore

/// The sockets: takes what the core writes, as far as there is room for it, and keeps what else the core wishes.
struct Network: GatewaySink {
  /// What a client was sent and has not been looked at.
  struct Inbox {
    var bytes: [UInt8] = []
    private var plainRoom = 0
    /// What is between it and the gateway; nil: it is not under TLS.
    var channel: SecureChannel?
    var isOpen = false
    /// The last write took less than it was given.
    var isClogged = false
    var isPaused = false
    var isDirty = false
    /// Something was taken in this turn.
    var hasTaken = false
    /// It was not read from for a moment of this turn at least.
    var wasPaused = false

    init(room: Int = 0, channel: SecureChannel? = nil, isOpen: Bool = false) {
      plainRoom = room
      self.channel = channel
      self.isOpen = isOpen
    }

    /// How many more bytes it takes before it reads again.
    var room: Int {
      get { channel?.wire.room ?? plainRoom }
      set { if let channel { channel.wire.room = newValue } else { plainRoom = newValue } }
    }
  }

  /// What went over a connection to an upstream and has not been looked at.
  struct Pipe {
    var bytes: [UInt8] = []
    var room = Action.everything
    /// The last write took less than it was given.
    var isClogged = false
    var isOpen = false
    var isPaused = false
    /// It was told that nothing more comes.
    fileprivate(set) var hasEnded = false
    fileprivate(set) var isWanted = false
    var exchanges: [ExchangeWish] = []
  }

  enum ExchangeWish {
    case begin(Exchange, [UInt8])
    case abort(TaskID)
  }

  /// What else the core wishes, in order.
  enum Wish {
    case connect(slot: Int, UpstreamEndpoint)
    /// What it was sent at last goes before.
    case disconnect(slot: Int, [UInt8])
    case end(slot: Int)
  }

  /// By the client's number.
  var inboxes: [Inbox] = []
  /// Which client has a slot; -1: none.
  private(set) var clientOfSlot: [Int] = []
  private(set) var dirtyClients: [Int] = []
  private(set) var closedClients: [Int] = []
  /// Connections in their handshakes, the oldest first, and connections that had to give way during one.
  private(set) var arriving: [Int] = []
  private(set) var turnedBack: [Int] = []

  /// By the core's number for the connection.
  var pipes: [Pipe] = []
  private(set) var wishes: [Wish] = []
  private(set) var writeCount = 0
  /// All that was ever taken.
  private(set) var bytesToClients: UInt64 = 0
  private(set) var bytesToUpstreams: UInt64 = 0
  /// In this turn.
  private(set) var gaveMemoryBack = false
  /// What the core did against its contract.
  private(set) var complaint: String?

  mutating func open(_ client: Int, at id: ClientID, room: Int) {
    while inboxes.count <= client { inboxes.append(Inbox()) }
    while clientOfSlot.count <= id.slot { clientOfSlot.append(-1) }
    inboxes[client] = Inbox(room: room, channel: inboxes[client].channel, isOpen: true)
    if clientOfSlot[id.slot] >= 0 { complaint = "a client got the slot of another that is still there" }
    clientOfSlot[id.slot] = client
  }

  mutating func greet(_ client: Int, over channel: SecureChannel) {
    while inboxes.count <= client { inboxes.append(Inbox()) }
    inboxes[client].channel = channel
    arriving.append(client)
  }

  /// Its handshake is over, one way or another.
  mutating func hasArrived(_ client: Int) { arriving.removeAll { $0 == client } }

  /// The client is gone: nothing may be written to it any more.
  private mutating func forget(_ client: Int, at id: ClientID) {
    inboxes[client].isOpen = false
    clientOfSlot[id.slot] = -1
  }

  /// The client resets its connection: what it was sent in this turn is lost.
  mutating func reset(_ client: Int, at id: ClientID) {
    forget(client, at: id)
    dirtyClients.removeAll { $0 == client }
    inboxes[client].bytes = []
    inboxes[client].channel = nil
  }

  mutating func startOver() {
    for client in dirtyClients {
      inboxes[client].isDirty = false
      inboxes[client].hasTaken = false
      inboxes[client].wasPaused = inboxes[client].isPaused
    }
    dirtyClients.removeAll(keepingCapacity: true)
    closedClients.removeAll(keepingCapacity: true)
    turnedBack.removeAll(keepingCapacity: true)
    wishes.removeAll(keepingCapacity: true)
    gaveMemoryBack = false
  }

  // MARK: GatewaySink

  var arrivingByteCount: Int { arriving.count * SecureChannel.handshakeMemoryBytes }

  mutating func makeRoom(arrivingBytes: Int) {
    while arrivingByteCount > arrivingBytes { turnedBack.append(arriving.removeFirst()) }
  }

  mutating func giveBackMemory() { gaveMemoryBack = true }

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to id: ClientID) -> Int {
    guard let client = client(at: id) else {
      complaint = Oracle.writtenBehindTheEnd
      return 0
    }
    markDirty(client)
    writeCount += 1
    let channel = inboxes[client].channel
    let room = unsafe channel?.write(chunks) ?? inboxes[client].room
    let (taken, isClogged) = unsafe Self.take(chunks, room: room, into: &inboxes[client].bytes)
    bytesToClients += UInt64(taken)
    if channel == nil { inboxes[client].room -= taken }
    inboxes[client].hasTaken = inboxes[client].hasTaken || taken > 0
    inboxes[client].isClogged = isClogged
    return taken
  }

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to upstream: UpstreamID) -> Int {
    guard isOpen(upstream) else {
      complaint = "bytes were written to an upstream that is not connected"
      return 0
    }
    writeCount += 1
    let slot = upstream.slot
    if pipes[slot].hasEnded { complaint = "bytes were written to an upstream behind the end" }
    let (taken, isClogged) = unsafe Self.take(chunks, room: pipes[slot].room, into: &pipes[slot].bytes)
    bytesToUpstreams += UInt64(taken)
    pipes[slot].room -= taken
    pipes[slot].isClogged = isClogged
    return taken
  }

  private func isOpen(_ upstream: UpstreamID) -> Bool {
    upstream.slot < pipes.count && pipes[upstream.slot].isOpen
  }

  mutating func setReading(_ isReading: Bool, from id: ClientID) {
    guard let client = client(at: id) else { return }
    inboxes[client].isPaused = !isReading
    inboxes[client].wasPaused = inboxes[client].wasPaused || !isReading
    markDirty(client)
  }

  mutating func setReading(_ isReading: Bool, from upstream: UpstreamID) {
    guard isOpen(upstream) else { return complaint = "an upstream is read from that is not connected" }
    pipes[upstream.slot].isPaused = !isReading
  }

  mutating func close(_ id: ClientID) {
    guard let client = client(at: id) else {
      complaint = "a connection was closed twice"
      return
    }
    markDirty(client)
    closedClients.append(client)
    forget(client, at: id)
  }

  mutating func connect(_ upstream: UpstreamID, to endpoint: UpstreamEndpoint) {
    let slot = upstream.slot
    while pipes.count <= slot { pipes.append(Pipe()) }
    if pipes[slot].isWanted { complaint = "an upstream was connected twice" }
    pipes[slot].isWanted = true
    wishes.append(.connect(slot: slot, endpoint))
  }

  mutating func disconnect(_ upstream: UpstreamID) {
    let isWanted = upstream.slot < pipes.count && pipes[upstream.slot].isWanted
    if !isWanted { complaint = "an upstream connection was closed that there is not" }
    if !takesBackConnect(upstream.slot) {
      wishes.append(.disconnect(slot: upstream.slot, isWanted ? pipes[upstream.slot].bytes : []))
    }
    closePipe(upstream.slot)
  }

  /// A client that makes room takes the connections with it that were wished for it in the same turn.
  private mutating func takesBackConnect(_ slot: Int) -> Bool {
    let place = wishes.lastIndex {
      if case .connect(slot, _) = $0 { return true }
      return false
    }
    guard let place else { return false }
    wishes.remove(at: place)
    return true
  }

  mutating func end(_ upstream: UpstreamID) {
    guard isOpen(upstream) else { return complaint = "an upstream that is not connected was told the end" }
    if pipes[upstream.slot].hasEnded { complaint = "an upstream was told the end twice" }
    pipes[upstream.slot].hasEnded = true
    wishes.append(.end(slot: upstream.slot))
  }

  mutating func begin(_ exchange: Exchange, over upstream: UpstreamID, _ message: [UInt8]) {
    guard isOpen(upstream) else { return complaint = "an exchange began without a connection" }
    bytesToUpstreams += UInt64(message.count)
    pipes[upstream.slot].exchanges.append(.begin(exchange, message))
  }

  mutating func abort(_ task: TaskID, over upstream: UpstreamID) {
    guard isOpen(upstream) else { return complaint = "an exchange was aborted without a connection" }
    pipes[upstream.slot].exchanges.append(.abort(task))
  }

  // MARK: Connections to upstreams

  mutating func openPipe(_ slot: Int, room: Int) {
    pipes[slot].isOpen = true
    pipes[slot].room = room
  }

  /// The connection, or the attempt at one, is gone.
  mutating func closePipe(_ slot: Int) {
    guard slot >= 0, slot < pipes.count else { return }
    pipes[slot] = Pipe()
  }

  // MARK: Bytes

  private func client(at id: ClientID) -> Int? {
    guard id.slot < clientOfSlot.count, clientOfSlot[id.slot] >= 0 else { return nil }
    return clientOfSlot[id.slot]
  }

  private mutating func markDirty(_ client: Int) {
    guard !inboxes[client].isDirty else { return }
    inboxes[client].isDirty = true
    dirtyClients.append(client)
  }

  private static func take(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, room: Int, into bytes: inout [UInt8]
  ) -> (taken: Int, isClogged: Bool) {
    var left = room
    var isClogged = false
    // The chunks are the core's and stay in place until `write` returns.
    for index in chunks.indices {
      let part = unsafe chunks[index].prefix(left)
      unsafe bytes.append(contentsOf: part)
      isClogged = unsafe isClogged || part.count < chunks[index].count
      left -= unsafe part.count
    }
    return (room - left, isClogged)
  }
}
