/// A piece of JSON text that writes itself, the same to every sink: it is counted first where a header needs that.
package protocol JSONPart {
  func write<Sink: ByteSink & ~Copyable>(into sink: inout Sink)
}

extension StaticString: JSONPart {
  package func write<Sink: ByteSink & ~Copyable>(into sink: inout Sink) { sink.append(self) }
}
