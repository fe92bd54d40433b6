// Public, so that the compiler can fold the writers into what they write to.
public import HotData
public import JSONRPC

extension OutputQueue: ByteSink {}
extension OutputCursor: ByteSink {}
