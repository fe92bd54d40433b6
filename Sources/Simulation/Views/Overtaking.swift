/// Whether a newer request has overtaken one.
enum Overtaking {
  case no, perhaps, surely
}
