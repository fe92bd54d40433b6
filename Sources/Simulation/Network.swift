import GatewayCore
import TaskStore

/// The sockets: takes what the core writes, as far as there is room for it, and keeps what else the core wishes.
struct Network: GatewaySink {
  /// What a client was sent and has not been looked at.
  struct Inbox {
    var bytes: [UInt8] = []
    var room = 0
    var isOpen = false
    /// The last write took less than it was given.
    var isClogged = false
    var isPaused = false
    var isDirty = false
    /// Something was taken in this turn.
    var hasTaken = false
  }

  /// What an upstream was sent and has not been looked at, and what else the core wishes of it.
  struct Pipe {
    var bytes: [UInt8] = []
    var room = Action.everything
    var isClogged = false
    var isOpen = false
    fileprivate(set) var wantsConnection = false
    fileprivate(set) var wantsNoConnection = false
  }

  /// By the client's number.
  var inboxes: [Inbox] = []
  /// Which client has a slot; -1: none.
  private(set) var clientOfSlot: [Int] = []
  private(set) var dirtyClients: [Int] = []
  private(set) var closedClients: [Int] = []

  /// By the upstream's place in the configuration.
  var pipes: [Pipe]
  /// What the core did that no gateway may do.
  private(set) var complaint: String?

  init(upstreams: Int) { pipes = (0..<upstreams).map { _ in Pipe() } }

  mutating func open(_ client: Int, at id: ClientID, room: Int) {
    while inboxes.count <= client { inboxes.append(Inbox()) }
    while clientOfSlot.count <= id.slot { clientOfSlot.append(-1) }
    inboxes[client] = Inbox(room: room, isOpen: true)
    if clientOfSlot[id.slot] >= 0 { complaint = "a client got the slot of another that is still there" }
    clientOfSlot[id.slot] = client
  }

  /// The client is gone: nothing may be written to it any more.
  mutating func forget(_ client: Int, at id: ClientID) {
    inboxes[client].isOpen = false
    clientOfSlot[id.slot] = -1
  }

  mutating func startOver() {
    for client in dirtyClients {
      inboxes[client].isDirty = false
      inboxes[client].hasTaken = false
    }
    dirtyClients.removeAll(keepingCapacity: true)
    closedClients.removeAll(keepingCapacity: true)
    for index in pipes.indices {
      pipes[index].wantsConnection = false
      pipes[index].wantsNoConnection = false
    }
  }

  // MARK: GatewaySink

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to id: ClientID) -> Int {
    guard let client = client(at: id) else {
      complaint = "invariant 1: bytes were written to a closed connection"
      return 0
    }
    markDirty(client)
    let (taken, isClogged) = unsafe Self.take(
      chunks, room: inboxes[client].room, into: &inboxes[client].bytes)
    inboxes[client].room -= taken
    inboxes[client].hasTaken = taken > 0
    inboxes[client].isClogged = isClogged
    return taken
  }

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to upstream: UpstreamID) -> Int {
    let index = upstream.slot
    if !pipes[index].isOpen { complaint = "bytes were written to an upstream that is not connected" }
    let (taken, isClogged) = unsafe Self.take(
      chunks, room: pipes[index].room, into: &pipes[index].bytes)
    pipes[index].room -= taken
    pipes[index].isClogged = isClogged
    return taken
  }

  mutating func setReading(_ isReading: Bool, from id: ClientID) {
    guard let client = client(at: id) else { return }
    inboxes[client].isPaused = !isReading
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
    let pipe = pipes[upstream.slot]
    if pipe.wantsConnection || pipe.isOpen { complaint = "an upstream was connected twice" }
    pipes[upstream.slot].wantsConnection = true
  }

  mutating func disconnect(_ upstream: UpstreamID) {
    pipes[upstream.slot].wantsNoConnection = true
    pipes[upstream.slot].isOpen = false
  }

  mutating func begin(_ exchange: Exchange, over upstream: UpstreamID, _ message: [UInt8]) {
    complaint = "an exchange began at an upstream that takes none"
  }

  mutating func abort(_ task: TaskID, over upstream: UpstreamID) {
    complaint = "an exchange was aborted at an upstream that takes none"
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
