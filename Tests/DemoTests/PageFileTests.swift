import Demo
import Testing

struct PageFileTests {
  private func text(_ path: String) throws -> String {
    String(decoding: try #require(PageFile.all.first { $0.path == path }).bytes, as: UTF8.self)
  }

  @Test func `the page has its style, its script and the client for pages, whole`() throws {
    #expect(PageFile.all.map(\.path) == ["/", "/page.css", "/page.js", "/lastword.js"])
    #expect(try text("/").hasSuffix("</html>\n"))
    #expect(try text("/page.css").contains("prefers-color-scheme: dark"))
    #expect(try text("/page.js").hasSuffix("listen();\n"))
    #expect(try text("/lastword.js").contains("export function connect("))
  }

  @Test func `the page has no script or style of its own that its policy would refuse`() throws {
    let page = try text("/")
    for word in ["<style", " style=", "onclick", "http://", "https://", "//cdn"] {
      #expect(!page.contains(word), "\(word)")
    }
  }
}
