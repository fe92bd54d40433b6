extension Setting {
  typealias Field<Value> = any WritableKeyPath<Values, Value> & Sendable

  // MARK: Numbers, yes or no

  static func integer<Number: FixedWidthInteger & SendableMetatype>(
    _ name: String, _ field: Field<Number>, _ range: ClosedRange<Int>, _ unit: SettingUnit, _ meaning: String
  ) -> Self {
    Self(
      name: name, meaning: meaning, form: .integer(range, unit),
      read: { .integer(Int(clamping: $0[keyPath: field])) },
      write: { value, values in
        if case .integer(let number) = value { values[keyPath: field] = Number(clamping: number) }
      })
  }

  /// An integer that may be left out, and then falls back to another setting.
  static func integer<Number: FixedWidthInteger & SendableMetatype>(
    _ name: String, _ field: Field<Number?>, _ range: ClosedRange<Int>, _ unit: SettingUnit, sample: Int,
    _ meaning: String
  ) -> Self {
    Self(
      name: name, meaning: meaning, form: .integer(range, unit), sample: .integer(sample),
      read: { $0[keyPath: field].map { .integer(Int(clamping: $0)) } },
      write: { value, values in
        if case .integer(let number) = value { values[keyPath: field] = Number(clamping: number) }
      })
  }

  static func boolean(_ name: String, _ field: Field<Bool>, _ meaning: String) -> Self {
    Self(
      name: name, meaning: meaning, form: .boolean,
      read: { .boolean($0[keyPath: field]) },
      write: { value, values in
        if case .boolean(let flag) = value { values[keyPath: field] = flag }
      })
  }

  static func boolean(_ name: String, _ field: Field<Bool?>, sample: Bool, _ meaning: String) -> Self {
    Self(
      name: name, meaning: meaning, form: .boolean, sample: .boolean(sample),
      read: { $0[keyPath: field].map { .boolean($0) } },
      write: { value, values in
        if case .boolean(let flag) = value { values[keyPath: field] = flag }
      })
  }

  // MARK: One or several of a few

  static func choice<Choice: SettingChoice>(
    _ name: String, _ field: Field<Choice>, _ meaning: String
  ) -> Self {
    Self(
      name: name, meaning: meaning, form: .choice(Choice.names),
      read: { .text($0[keyPath: field].name) },
      write: { value, values in
        if case .text(let text) = value, let choice = Choice(named: text) { values[keyPath: field] = choice }
      })
  }

  static func choice<Choice: SettingChoice>(
    _ name: String, _ field: Field<Choice?>, sample: Choice, _ meaning: String
  ) -> Self {
    Self(
      name: name, meaning: meaning, form: .choice(Choice.names), sample: .text(sample.name),
      read: { $0[keyPath: field].map { .text($0.name) } },
      write: { value, values in
        if case .text(let text) = value, let choice = Choice(named: text) { values[keyPath: field] = choice }
      })
  }

  static func choices<Choice: SettingChoice>(
    _ name: String, _ field: Field<[Choice]>, _ meaning: String
  ) -> Self {
    Self(
      name: name, meaning: meaning, form: .choices(Choice.names),
      read: { .list($0[keyPath: field].map(\.name)) },
      write: { value, values in
        if case .list(let items) = value { values[keyPath: field] = items.compactMap { Choice(named: $0) } }
      })
  }

  // MARK: Texts

  static func text<Text: SettingText>(_ name: String, _ field: Field<Text>, _ meaning: String) -> Self {
    Self(
      name: name, meaning: meaning, form: .text(Text.form),
      read: { .text($0[keyPath: field].settingText) },
      write: { (value, values) throws(Mistake) in
        if case .text(let text) = value { values[keyPath: field] = try Text(setting: text) }
      }, readShown: { .text($0[keyPath: field].shownText) })
  }

  static func text<Text: SettingText>(
    _ name: String, _ field: Field<Text?>, sample: String, _ meaning: String
  ) -> Self {
    Self(
      name: name, meaning: meaning, form: .text(Text.form), sample: .text(sample),
      read: { $0[keyPath: field].map { .text($0.settingText) } },
      write: { (value, values) throws(Mistake) in
        if case .text(let text) = value { values[keyPath: field] = try Text(setting: text) }
      }, readShown: { $0[keyPath: field].map { .text($0.shownText) } })
  }

  /// A list of texts; empty if it is left out.
  static func texts<Text: SettingText>(
    _ name: String, _ field: Field<[Text]>, most: Int, sample: [String], _ meaning: String
  ) -> Self {
    Self(
      name: name, meaning: meaning, form: .texts(Text.form, most: most), sample: .list(sample),
      read: { .texts($0[keyPath: field].map(\.settingText)) },
      write: { (value, values) throws(Mistake) in
        if case .list(let items) = value { values[keyPath: field] = try Text.list(items) }
      }, readShown: { .texts($0[keyPath: field].map(\.shownText)) })
  }

  /// The same, where a single one needs no brackets.
  static func oneOrMore<Text: SettingText>(
    _ name: String, _ field: Field<[Text]>, most: Int, sample: [String], _ meaning: String
  ) -> Self {
    var setting = texts(name, field, most: most, sample: sample, meaning)
    setting.form = .oneOrMore(Text.form, most: most)
    return setting
  }
}

extension SettingValue {
  /// Nil if there are none.
  fileprivate static func texts(_ items: [String]) -> SettingValue? { items.isEmpty ? nil : .list(items) }
}
