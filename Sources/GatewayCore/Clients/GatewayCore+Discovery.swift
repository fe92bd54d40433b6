import HotData
import JSONRPC

extension GatewayCore {
  /// `rpc.discover`: the document of our own methods.
  mutating func discover(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    answerAtLength(envelope, in: bytes, of: sender) { _ in OpenRPCDocument.bytes }
  }

  /// Answers with what is hundreds of times as long as what asks for it: a client that does not read is not given
  /// that again and again.
  mutating func answerAtLength(
    _ envelope: Envelope, in bytes: Span<UInt8>, of sender: Sender,
    _ result: (borrowing GatewayCore) -> [UInt8]
  ) {
    let unread = clients[sender.client].output.byteCount + clients[sender.client].batchBytes
    guard unread <= configuration.clientOutputSoftBytes else {
      let error = RPCError.overloaded.with(message: "too much unread output for so long an answer")
      return refuseMessage(error, of: envelope, in: bytes, from: sender)
    }
    let result = result(self)
    share.spend(outputBytes: result.count)
    answer(result, to: envelope, in: bytes, of: sender)
  }
}
