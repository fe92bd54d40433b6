/// How ids, keys, questions and answers are spelt on the wire; odd spellings must pass byte for byte.
enum Spelling {
  /// The request's number is the last number in each of them. The last one says nothing: an id of null.
  static let ids: [Template] = [
    Template("~"), Template("-~"), Template(#""~""#), Template(#""\u0041-~""#), Template("1.0e~"),
    Template("900000000000000000000~"), Template(#""id \" é ~""#),
    Template("\"" + String(repeating: "x", count: 100) + "~\""), Template("null"),
  ]
  static let nullID = ids.count - 1
  /// Another spelling of an id that says the same.
  static let otherSpellings: [Int: Template] = [3: Template(#""A-~""#)]

  /// Each as it comes back in an error, and with escapes.
  static let keys: [(plain: String, escaped: String)] = [
    (#""a""#, #""\u0061""#), (#""b""#, #""b""#), ("\"\u{e9}\"", #""\u00e9""#),
    ("\"e\u{301}\"", #""e\u0301""#),
    (#""a key of many words, and a \" quote""#, #""a key\u0020of many words, and a \u0022 quote""#),
    (#""7""#, #""\u0037""#),
    (#""twin""#, #""t\u0077in""#),
  ]
  /// Of requests that share their id with another: nobody can tell which is which.
  static let twinKey = keys.count - 1

  /// What is asked: the method and, unless they are empty, the params.
  static let asks: [Ask] = [
    Ask("m~", "[~]"),
    Ask("m~", #"{"n":~,"x":1.0}"#),
    Ask(#"\u006d~"#, #"{"n":~,"e":1e400,"d":123456789012345678901234567890}"#),
    Ask("m~/a.b", #"[~, "\ud800", "\u0041\/", -0.0 ]"#),
    Ask("m~", "{ \"n\"\t: ~ , \"s\" : \"a  b\\n\" }"),
    Ask("m~", ""),
    Ask("m~", #"{"n":~,"a":1,"a":[[],{}]}"#),
    Ask("m~", "[~,\"" + String(repeating: "é", count: 150) + "\"]"),
    Ask("join", #"{"room":~}"#, stem: "join"),
    Ask(#"j\u006fin"#, "[~ , 1.0]", stem: "join"),
    Ask("m~", "{\r\n\"n\":~,\n\"s\":[ ]\r}"),
    Ask("d~", #"{"n":~,"k":"a"}"#, stem: "d", places: (.key(0), .nothing, .nothing)),
    Ask(
      #"\u0064/~"#, #"{"k":"\u0061","d":{"/u":"b"},"n":~}"#, stem: "d/", places: (.key(0), .key(1), .nothing)),
    Ask("d~", #"[~,"b"]"#, stem: "d", places: (.nothing, .nothing, .key(1))),
    Ask("d/x~", #"{"n":~,"k":null,"d":[]}"#, stem: "d/x"),
    Ask("d/x~", #"{"n":~,"k":[],"d":{"/u":""}}"#, stem: "d/x", places: (.unfit, .unfit, .nothing)),
    Ask("d~", "[~,7]", stem: "d", places: (.nothing, .nothing, .key(5))),
    Ask(
      "d/x~", #"{"n":~,"k":"é","k":"b","d":{"u":"a","/u":{}}}"#, stem: "d/x",
      places: (.key(2), .unfit, .nothing)),
  ]
  /// Where routes look for a key.
  static let pointers = ["/k", "/d/~1u", "/1"]
  /// Those in which they may find one.
  static let pointedForms = asks.indices.filter { asks[$0].stem.hasPrefix("d") }.map { UInt8($0) }
  /// As upstream sees it: a message is one line there.
  static let sentAsks = asks.map { (method: $0.method, params: $0.params.withoutLineBreaks) }
  /// Those with line breaks, which only a message with a Content-Length can have.
  static let brokenForms: [UInt8] = [10]
  /// The method that a route undoes, and the one that undoes it. These say what they ask in their params alone.
  static let undoable: StaticString = "join"
  static let undoing: StaticString = "leave"
  static let undoableForms: [UInt8] = [8, 9]

  static let groups = [#""screen""#, #""sc\u0072een""#, #""other""#]
  /// Which of them are the same.
  static let groupIdentities = [0, 0, 1]

  /// Params of null count as absent.
  static let absentParams = 5

  /// Each names its answer by the first number in it.
  static let results: [Template] = [
    Template("~"), Template(#"{"t":~}"#), Template("[~,1.0,1e400]"), Template(#""~\ud83d""#),
    Template("{ \"t\" :  ~ }"), Template("[~,\"" + String(repeating: "r", count: 300) + "\"]"),
  ]
  static let error = Template(#"{"code":4242,"message":"no","data":~}"#)
  static let upstreamErrorCode = 4242
}
