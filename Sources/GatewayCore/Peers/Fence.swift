import HotData
import JSONRPC
import TaskStore

/// By which an upstream tells what one member of a fleet decided from what came of a later owner of the key: the
/// partition, and the task's generation, which has the owner's epoch in it.
struct Fence {
  let partition: Int
  let generation: UInt64

  /// The member `fence` of a request, with the comma before it.
  func write<Sink: ByteSink & ~Copyable>(into sink: inout Sink) {
    sink.append(",\"fence\":{\"partition\":")
    sink.append(decimal: UInt64(partition))
    sink.append(",\"epoch\":")
    sink.append(decimal: UInt64(TaskStore.epoch(of: generation)))
    sink.append(",\"generation\":")
    sink.append(decimal: generation)
    sink.append("}")
  }
}
