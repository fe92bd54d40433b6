# frozen_string_literal: true

# A minimal client of lastword, to be required. Ruby 3.1 and newer alone; any thread may call.
#
#     gateway = Lastword.new("127.0.0.1", 5278)
#     gateway.call("search", { q: "swift" }, task: { key: "search:tab-1", policy: "cancel" })
#
# Under TLS, and to a gateway that asks who comes:
#
#     gateway = Lastword.new("gateway.example", 5280, tls: true, ca: "ca.pem")
#     gateway.authenticate(ENV.fetch("LASTWORD_TOKEN"))
require "json"
require "openssl"
require "resolv"
require "socket"

class Lastword
  # What came instead of a result.
  class RPCError < StandardError
    attr_reader :code, :data

    def initialize(error)
      super(error["message"])
      @code, @data = error.values_at("code", "data")
    end

    # Superseded or cancelled: nothing to show to anybody.
    def unwanted? = [-32_080, -32_800].include?(code)

    # The gateway says that upstream got the request, and may have done the work.
    def may_have_run? = data.is_a?(Hash) && %w[cancelSent mayHaveCompleted].include?(data["upstream"])
  end

  # With TLS the certificate has to be for that host, and from an authority in the file `ca`, or else one that the
  # system trusts; an OpenSSL::SSL::SSLError says that it is not.
  def initialize(host = "127.0.0.1", port = 5278, tls: false, ca: nil)
    @socket = TCPSocket.new(host, port)
    @socket = secured(host, ca) if tls
    @lock, @writing, @open, @last_id = Mutex.new, Mutex.new, {}, 0
    @listener = Thread.new { listen }
  end

  # Says who this is, before anything else; raises an RPCError if the gateway does not know the token.
  def authenticate(token) = call("lastword.authenticate", { token: })

  # The result; raises an RPCError, or an IOError when the connection ends. What ends the waiting thread, or its
  # Timeout, cancels upstream's work.
  def call(method, params = nil, task: nil)
    answer = Queue.new
    id = @lock.synchronize do
      raise IOError, "the connection to lastword has ended" if @open.nil?

      @open[@last_id += 1] = answer
      @last_id
    end
    tell({ id:, method:, params:, task: }.compact)
    message = answer.pop or raise IOError, "the connection to lastword has ended"
    raise RPCError, message["error"] if message["error"]

    message["result"]
  ensure
    tell({ method: "$/cancelRequest", params: { id: } }) if id && @lock.synchronize { @open&.delete(id) }
  end

  def close = @socket.close

  private

  def secured(host, authority)
    context = OpenSSL::SSL::SSLContext.new
    # The host is looked at below, whether it is a name or an address.
    context.set_params(ca_file: authority, verify_hostname: false)
    OpenSSL::SSL::SSLSocket.new(@socket, context).tap do |secure|
      secure.hostname = host unless host.match?(Resolv::AddressRegex)
      secure.sync_close = true
      secure.connect
      secure.post_connection_check(host)
    end
  end

  # While one thread writes, another has to read: this is not the lock of what is open. Whoever waits hears that the
  # connection is gone.
  def tell(message)
    line = "#{{ jsonrpc: "2.0", **message }.to_json}\n"
    @writing.synchronize { @socket.write(line) }
  rescue IOError, SystemCallError, OpenSSL::SSL::SSLError
    nil
  end

  def listen
    while (line = @socket.gets)
      message = JSON.parse(line)
      # Behind what is no message nothing is to be trusted.
      break unless message.is_a?(Hash)

      @lock.synchronize { @open.delete(message["id"]) }&.push(message)
    end
  rescue IOError, SystemCallError, OpenSSL::SSL::SSLError, JSON::ParserError
    nil
  ensure
    @socket.close
    abandoned = @lock.synchronize { @open.tap { @open = nil } }
    abandoned.each_value { |answer| answer.push(nil) }
  end
end
