import GatewayCore
import Logging

extension GatewayServer {
  /// A line for each task that was superseded, which explains it without any other.
  func log(_ journal: borrowing TaskJournal) {
  }
}
