/// The live page as it is built in; a module of its own, because a compiler takes seconds for it.
package enum LivePageFile {
  package static var bytes: [UInt8] { PackageResources.index_html }
}
