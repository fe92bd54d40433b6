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
    (#""7""#, #""\u0037""#), (#""p/a""#, #""\u0070/a""#), (#""p/b""#, #""p\/b""#),
    (#""p/é""#, #""p/\u00e9""#),
    (#""p/7""#, #""p/7""#),
    (#""twin""#, #""t\u0077in""#),
  ]
  /// The key of requests that share their id with another: nobody can tell them apart.
  static let twinKey = keys.count - 1
  /// The prefix that a route may put before a key, and the keys that follow from that.
  static let keyPrefix = "p/"
  static let prefixedKeys: [Int8: Int8] = [0: 6, 1: 7, 2: 8, 5: 9]

  /// What is asked: the method and, unless they are empty, the params.
  static let asks: [Ask] = [
    Ask("m~", "[~]"),
    Ask("m~", #"{"n":~,"x":1.0}"#),
    Ask(#"\u006d~"#, #"{"n":~,"e":1e400,"d":123456789012345678901234567890}"#),
    Ask("m~/a.b", #"[~, "\ud800", "\u0041\/", -0.0 ]"#),
    Ask("m~", "{ \"n\"\t: ~ , \"s\" : \"a  b\\n\" }"),
    Ask("m~", ""),
    Ask("m~", #"{"n":~,"a":["]}\"","\\"],"a":[[],{}]}"#),
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
    Ask("$/m~", "[~]", stem: "$/m"),
    Ask(#"\u0024\/m~"#, "[~]", stem: "$/m"),
    Ask("m~", #"{"n":[{}],"workDoneToken":~}"#, token: ("~", "~", "w")),
    Ask("m~", #"{"partialResultToken":"~\u0074"}"#, token: (#""~\u0074""#, #""~t""#, "p")),
    Ask("m~", #"{"_meta":{"progressToken":"~"},"x":{}}"#, token: (#""~""#, #""~""#, "m")),
    Ask("state", "[~]", stem: "state"),
    Ask(#"st\u0061te"#, #"{"n":~}"#, stem: "state"),
  ]
  /// The method of which requests follow each other: it has no number either.
  static let state: StaticString = "state"
  static let stateForms: [UInt8] = [23, 24]
  static let otherForms = asks.indices.map { UInt8($0) }.filter { !stateForms.contains($0) }
  /// Those of which upstream may report progress.
  static let tokenForms = asks.indices.filter { asks[$0].token != nil }.map { UInt8($0) }
  /// Where routes look for a key.
  static let pointers = ["/k", "/d/~1u", "/1"]
  /// Those in which they may find one.
  static let pointedForms = asks.indices.filter { asks[$0].stem.hasPrefix("d") }.map { UInt8($0) }
  /// The params as upstream sees them where a message is one line.
  static let flatParams = asks.map(\.params.withoutLineBreaks)
  /// Those with line breaks, which only a message with a Content-Length can have.
  static let brokenForms: [UInt8] = [10]
  /// The method that a route undoes, and the one that undoes it. These say what they ask in their params alone.
  static let undoable: StaticString = "join"
  static let undoing: StaticString = "leave"
  static let undoableForms: [UInt8] = [8, 9]
  /// One that asks much, and others.
  static let longForms: [UInt8] = [0, 5, 7]

  /// Whether two requests have the same method, byte for byte.
  static func haveSameMethod(_ request: Request, _ other: Request) -> Bool {
    request.ask == other.ask || request.form == other.form && !asks[Int(request.form)].method.hasNumber
  }

  static let groups = [#""screen""#, #""sc\u0072een""#, #""other""#]
  /// Which of them are the same.
  static let groupIdentities = [0, 0, 1]

  /// Params of null count as absent.
  static let absentParams = 5

  /// Each names its answer by the first number in it.
  static let results: [Template] = [
    Template("~"), Template(#"{"t":~}"#), Template("[~,1.0,1e400]"), Template(#""~\ud83d""#),
    Template("{ \"t\" :  ~ }"), Template("[~,\"" + String(repeating: "r", count: 300) + "\"]"),
    Template("[\r\n~ ,\n{ }]"),
  ]
  /// Only where a message is no line.
  static let brokenResults = [6]
  static let flatResults = results.map(\.withoutLineBreaks)
  static let error = Template(#"{"code":4242,"message":"no","data":~}"#)
  static let upstreamErrorCode = 4242

  // MARK: What upstreams ask

  /// Ids of their questions, which go back byte for byte.
  static let questionIDs: [Template] = [
    Template("~"), Template(#""~""#), Template("-~.5"), Template(#""\u0041-~""#), Template(#""~ \" é""#),
    Template("7000000000000000000000~"),
  ]
  static let questions: [(method: Template, params: Template)] = [
    (Template(#""ask~""#), Template("[~]")), (Template(#""tell~""#), Template("")),
    (Template(#""\u0061sk/~""#), Template("{ \"n\" : ~ , \"x\":1e400 }")),
    (Template(#""ask~""#), Template("{\r\n\"n\":~\n}")),
  ]
  static let flatQuestions = questions.map { (method: $0.method, params: $0.params.withoutLineBreaks) }
  /// It has no params.
  static let bareQuestion = 1
  static let brokenQuestions = [3]

  /// Texts by which requests are found again in traces.
  static let traces = [
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "01-00000000000000000000000000000001-0000000000000001-ff",
  ]
  /// How upstreams of a dialect of their own are told what is not wanted any more.
  static let stopMethod = #"job."stop""#
  static let stopMember = "job"
  /// The method as it goes over the wire.
  static let stop = #""job.\"stop\"""#
}
