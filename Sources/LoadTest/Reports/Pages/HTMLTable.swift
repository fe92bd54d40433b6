/// Writes a table whose first column names its rows.
enum HTMLTable {
  static func text(head: [String], rows: [[String]]) -> String {
    let heads = head.map { "<th scope=\"col\">\(HTMLText.escaped($0))</th>" }.joined()
    return "<div class=\"scroll\"><table>\n<thead><tr><td></td>\(heads)</tr></thead>\n<tbody>\n"
      + rows.map(row).joined(separator: "\n") + "\n</tbody>\n</table></div>"
  }

  private static func row(_ cells: [String]) -> String {
    let cells = cells.map(HTMLText.escaped)
    let values = cells.dropFirst().map { "<td>\($0)</td>" }.joined()
    return "<tr><th scope=\"row\">\(cells.first ?? "")</th>\(values)</tr>"
  }
}
