import TOML
import Testing

/// What each kind of value means.
@Suite struct ValueTests {
  @Test(arguments: [
    ("0", "i0"), ("-0", "i0"), ("+17", "i17"), ("1_000", "i1000"), ("0x_f", nil),
    ("0xDEAD_beef", "i3735928559"),
    ("0o17", "i15"), ("0b101", "i5"), ("-0x1", nil), ("0X1", nil), ("01", nil), ("1__0", nil), ("_1", nil),
    ("1_", nil), ("9223372036854775807", "i9223372036854775807"),
    ("-9223372036854775808", "i-9223372036854775808"), ("9223372036854775808", nil),
    ("0x7fffffffffffffff", "i9223372036854775807"), ("0x8000000000000000", nil), ("+", nil), ("1 2", nil),
    ("0o8", nil), ("0b2", nil), ("0x", nil), ("1a", nil),
  ])
  func `integers`(text: String, value: String?) { check(text, value) }

  @Test(arguments: [
    ("1.5", 1.5), ("-0.0", -0.0), ("1e3", 1_000), ("1E+0_3", 1_000), ("6.626e-34", 6.626e-34),
    ("1_0.0_1", 10.01),
    ("inf", .infinity), ("-inf", -.infinity), ("+inf", .infinity), ("1e999", .infinity), ("1.", nil),
    (".5", nil), ("1.e3", nil), ("1e", nil), ("01.5", nil), ("1._5", nil), ("1.5.6", nil), ("1e1.5", nil),
    ("Inf", nil), ("infinity", nil), ("0x1p3", nil), ("1e_3", nil),
  ])
  func `floats`(text: String, value: Double?) {
    check(text, value.map { "f" + String($0.bitPattern, radix: 16) })
  }

  @Test func `no number is one, with any sign`() {
    for text in ["nan", "+nan", "-nan"] { check(text, "fnan") }
  }

  @Test(arguments: [
    ("true", "b1"), ("false", "b0"), ("True", nil), ("yes", nil), ("1979-05-27", "date 1979-05-27"),
    ("07:32:00", "time 07:32:00"), ("07:32:00.999", "time 07:32:00.999000"), ("07:32", nil),
    ("1979-05-27T07:32:00", "date-time 1979-05-27T07:32:00"),
    ("1979-05-27 07:32:00z", "date-time 1979-05-27T07:32:00+00:00"),
    ("1979-05-27t00:32:00.5-07:00", "date-time 1979-05-27T00:32:00.500000-07:00"),
    ("2024-02-29", "date 2024-02-29"), ("2023-02-29", nil), ("1900-02-29", nil),
    ("2000-02-29", "date 2000-02-29"),
    ("1979-04-31", nil), ("1979-13-01", nil), ("1979-00-01", nil), ("1979-05-27T24:00:00", nil),
    ("1979-05-27T23:60:00", nil), ("1990-12-31T23:59:60Z", "date-time 1990-12-31T23:59:60+00:00"),
    ("07:32:61", nil), ("07:32:00Z", nil), ("1979-05-27T", nil), ("1979-05-27 7:32:00", nil),
    ("07:32:00.", nil),
    ("1979-05-27T07:32:00+24:00", nil), ("79-05-27", nil), ("1979-05-27  07:32:00", nil),
  ])
  func `yes or no, and dates`(text: String, value: String?) { check(text, value) }

  private func check(_ text: String, _ value: String?) {
    let read = try? said("a = " + text)
    #expect(read == value.map { "{61=\($0),}" })
    // Wherever it stands, it is the same.
    #expect((try? said("a=[" + text + "]")) == value.map { "{61=[\($0),],}" })
    #expect((try? said("a={b=" + text + "}#")) == value.map { "{61={62=\($0),},}" })
  }

  @Test(arguments: [
    (#""""#, ""), ("''", ""), (#""a\b\t\n\f\r\"\\""#, "a\u{8}\t\n\u{c}\r\"\\"),
    (#""\u00E9\U0001F600""#, "é😀"),
    (#"'a\b"'"#, #"a\b""#), (#""""\#na\#r\#nb""""#, "a\nb"), (#""""a"b""c""""#, #"a"b""c"#),
    (#""""a""""""#, #"a"""#), ("'''''a'''''", "''a''"), ("'''\na'b''c\\n\n'''", "a'b''c\\n\n"),
    ("\"\"\"a\\\n  \n\t b\\  \n\n c\"\"\"", "abc"), ("\"\t\"", "\t"), ("'é\u{2028}'", "é\u{2028}"),
  ])
  func `strings`(text: String, value: String) throws {
    let entry = try TOMLReader.read(Array("a = \(text)".utf8))
    guard case .table(let members) = entry.content, case .text(let read) = members[0].entry.content else {
      Issue.record("no string")
      return
    }
    #expect(read.unicodeScalars.elementsEqual(value.unicodeScalars))
  }

  @Test(arguments: [
    ("", "{}"), ("# a\r\n\r\n#\n", "{}"), ("a.b = 1\na.c = 2", "{61={62=i1,63=i2,},}"),
    ("\"\" = 1", "{=i1,}"), ("a = [ [ ], { }, [ 1, ] ]", "{61=[[],{},[i1,],],}"),
    ("a = { b.c = 1, b.d = [\n2] }", "{61={62={63=i1,64=[i2,],},},}"),
    ("[a]\n[a.b]\nc=1\n[d]", "{61={62={63=i1,},},64={},}"),
    ("[[a]]\nb=1\n[[a]]\n[a.c]", "{61=[{62=i1,},{63={},},],}"),
    ("true = true\n1.2 = 3", "{31={32=i3,},74727565=b1,}"),
  ])
  func `tables and arrays`(text: String, value: String) throws { #expect(try said(text) == value) }

  @Test func `keys that only look alike are two`() throws {
    #expect(try said("\"\u{e9}\" = 1\n\"e\u{301}\" = 2") == "{65cc81=i2,c3a9=i1,}")
  }
}
