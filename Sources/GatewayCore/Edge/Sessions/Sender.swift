import HotData

/// The sender of a request, and thereby where its answer goes.
struct Sender {
  @Compact var client: Int
  /// The batch that it came in, or -1.
  @Compact var batch = -1

  static var nobody: Sender { Sender(client: -1) }

  init(client: Int, batch: Int = -1) {
    self.client = client
    self.batch = batch
  }
}
