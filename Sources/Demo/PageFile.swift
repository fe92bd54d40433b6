import CDemoPage

/// A file of the demo's page, as it is built in.
package struct PageFile: Hashable, Sendable {
  /// Where the page asks for it.
  package let path: String
  package let type: String
  package let bytes: [UInt8]

  package static let all = [
    unsafe PageFile("/", "text/html; charset=utf-8", lastword_demo_page()),
    unsafe PageFile("/page.css", "text/css; charset=utf-8", lastword_demo_style()),
    unsafe PageFile("/page.js", "text/javascript; charset=utf-8", lastword_demo_script()),
    unsafe PageFile("/lastword.js", "text/javascript; charset=utf-8", lastword_demo_client()),
  ]

  private init(_ path: String, _ type: String, _ file: lastword_demo_file) {
    self.path = path
    self.type = type
    // The bytes are the program's own, and stay where they are.
    bytes = unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }
}
