import Configuration
import Identity
import Testing

/// The token of the admin pages, of which the file has the digest.
@Suite struct TokenDigestTests {
  private static let digest = "sha256:" + String(repeating: "0f", count: 32)

  #if TLS
  @Test func `a digest is taken in small and large letters`() throws {
    for text in [Self.digest, "sha256:" + String(repeating: "0F", count: 32)] {
      let read = try configuration("[admin]\ntoken = '\(text)'")
      #expect(read.admin.token?.bytes == Array(repeating: 0x0f, count: 32))
      #expect(SettingList.text(of: read, showsOrigins: false).contains("token = \"\(Self.digest)\""))
      // What comes with requests is as secret as a file's own secrets.
      #expect(read.hidesMemory)
    }
    let variable = ConfigurationSources(environment: ["LASTWORD_ADMIN_TOKEN": Self.digest])
    #expect(try FileConfiguration(variable).admin.token != nil)
    #expect(try configuration("").admin.token == nil)
  }

  @Test(arguments: [
    "", "lw_secret", String(digest.dropFirst(7)), digest.dropLast(1) + "", digest.dropLast(2) + "",
    digest + "00", digest.dropLast() + "g",
  ])
  func `what is no digest may be the token itself, and is not repeated`(text: String) {
    #expect(
      complaints("[admin]\ntoken = '\(text)'") == [
        "lw.toml:2:9: error: 'token' must be sha256: and 64 hexadecimal digits, as lastword token prints them"
      ])
  }

  @Test func `with a token the pages may face a network unwarned, and a reload brings another`() throws {
    let pages = "[admin]\naddress = '0.0.0.0:1'\naudience = 'network'\n"
    let read = try configuration(pages + "token = '\(Self.digest)'")
    #expect(read.warnings.isEmpty)
    #expect(read.lastingChanges(since: try configuration(pages)).isEmpty)
  }
  #else
  @Test func `a build that cannot check tokens takes none`() {
    #expect(
      complaints("[admin]\ntoken = '\(Self.digest)'") == [
        "lw.toml:2:9: error: 'token' must not be given: this build cannot check tokens (build with --traits TLS)"
      ])
  }
  #endif
}
