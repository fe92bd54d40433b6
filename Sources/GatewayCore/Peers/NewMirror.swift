/// A mirror that the shell has to lead to its client.
package struct NewMirror: Sendable {
  package let mirror: ClientID
  package let name: MirrorName
  package let client: RemoteClient
}
