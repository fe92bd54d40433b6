import Foundation

/// What a running program costs, as the kernel counts it.
extension RunningProgram {
  /// The most memory that it ever had.
  package func peakResidentBytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
    guard let peak = status.firstMatch(of: /VmHWM:\s*(\d+) kB/), let kilobytes = Int(peak.1) else {
      throw LineSocket.Failure(description: "no VmHWM in \(status)")
    }
    return kilobytes * 1024
  }

  /// The processor time that it has used.
  package func processorMilliseconds() throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
    // The program's name, in parentheses, may hold spaces.
    let fields = text[text.lastIndex(of: ")")!...].split(separator: " ")
    let ticks = Int(fields[12])! + Int(fields[13])!
    return ticks * 1000 / sysconf(Int32(_SC_CLK_TCK))
  }
}
