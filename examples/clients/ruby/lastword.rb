# frozen_string_literal: true

# A minimal client of lastword, to be required. Ruby 3.1 and newer alone; any thread may call.
#
#     gateway = Lastword.new("127.0.0.1", 5278)
#     gateway.call("search", { q: "swift" }, task: { key: "search:tab-1", policy: "cancel" })
require "json"
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
  end

  def initialize(host = "127.0.0.1", port = 5278)
    @socket = TCPSocket.new(host, port)
    @lock, @open, @last_id = Mutex.new, {}, 0
    @listener = Thread.new { listen }
  end

  # The result; raises an RPCError, or an IOError when the connection ends.
  def call(method, params = nil, task: nil)
    answer = Queue.new
    @lock.synchronize do
      raise IOError, "the connection to lastword has ended" if @open.nil?

      @open[@last_id += 1] = answer
      @socket.write("#{{ jsonrpc: "2.0", id: @last_id, method:, params:, task: }.compact.to_json}\n")
    end
    message = answer.pop or raise IOError, "the connection to lastword has ended"
    raise RPCError, message["error"] if message["error"]

    message["result"]
  end

  def close = @socket.close

  private

  def listen
    while (line = @socket.gets)
      message = JSON.parse(line)
      @lock.synchronize { @open.delete(message["id"]) }&.push(message)
    end
  rescue IOError, SystemCallError, JSON::ParserError
    nil
  ensure
    abandoned = @lock.synchronize { @open.tap { @open = nil } }
    abandoned.each_value { |answer| answer.push(nil) }
  end
end
