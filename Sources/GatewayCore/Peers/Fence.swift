import HotData
import JSONRPC
import TaskStore

/// Lets an upstream of a fleet refuse a late request of a former owner of the key: its partition and generation. A
/// generation contains its owner's epoch, and a later owner's is higher.
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
