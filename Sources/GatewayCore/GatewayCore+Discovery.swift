import HotData
import JSONRPC

extension GatewayCore {
  /// `rpc.discover`: the document of our own methods. It is hundreds of times as long as what asks for it, so that
  /// a client that does not read is not given it again and again.
  mutating func discover(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    let unread = clients[sender.client].output.byteCount + clients[sender.client].batchBytes
    guard unread <= configuration.clientOutputSoftBytes else {
      let error = RPCError.overloaded.with(message: "too much unread output for a document")
      return refuseMessage(error, of: envelope, in: bytes, from: sender)
    }
    answer(OpenRPCDocument.bytes, to: envelope, in: bytes, of: sender)
  }
}
