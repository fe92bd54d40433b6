/// Why a row is not for a transport, as the page of transports says it.
enum Reason: String, Sendable {
  case headers = "it is about headers with `Content-Length`"
  case ends = "it is about where lines end"
  case firstBytes = "it is about first bytes that decide what is spoken"
  case beginning = "each message begins by itself, and none with a mark"
  case close = "a Close takes back what is under way"
  case commandLine = "`lastword call` speaks lines; the rows beside end other connections"
  case handshake = "who is not accepted cannot have asked for it"
  case log = "it is about the log, whoever is served"
  case pages = "it is about the admin pages"
  case nobody = "no client is in it"
  case pauses = "it is about the time between attempts, whoever asks"
  case idle = "each reply closes its connection"
  case makesRoom = "its connection makes room while it idles"
  case oneAtATime = "a connection has one request under way at a time"
  case ownUpstream = "it has no upstream of its own"
}
