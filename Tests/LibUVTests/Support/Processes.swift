import Glibc

/// The letter that says what a process is doing; nil when there is no such process.
func state(ofProcess number: some StringProtocol) -> Character? {
  guard let file = fopen("/proc/\(number)/stat", "r") else { return nil }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  guard fgets(&line, Int32(line.count), file) != nil else { return nil }
  let text = String(decoding: line.map(UInt8.init(bitPattern:)), as: UTF8.self)
  // The name before it is in brackets and may hold anything.
  return text[text.lastIndex(of: ")")!...].dropFirst(2).first
}
