#!/usr/bin/env ruby
# frozen_string_literal: true

# A typeahead on lastword: the newest query has the last word. Standard library only.
#
#     ruby typeahead.rb HOST:PORT KEY
#     LASTWORD_TOKEN=… LASTWORD_CA=ca.pem ruby typeahead.rb tls:HOST:PORT KEY
require "json"
require "openssl"
require "resolv"
require "socket"
require "timeout"

SUPERSEDED = -32_080
SHUTTING_DOWN = -32_085
UNAUTHENTICATED = -32_087
NOT_ALLOWED_STATUS = 77
CANCELLED = -32_800

# A connection that comes back, and a block for each request that is open on it. A thread of its own listens; what it
# hears goes into a queue, and all the rest happens on the thread that takes it from there.
class Gateway
  FIRST_PAUSE_SECONDS = 0.05
  LAST_PAUSE_SECONDS = 2
  CONNECT_SECONDS = 5
  LINE_LIMIT_BYTES = 4 << 20
  READ_BYTES = 1 << 16

  def initialize(address, events)
    @secure = address.start_with?("tls:")
    @host, _, @port = address.delete_prefix("tls:").rpartition(":")
    @token = ENV.fetch("LASTWORD_TOKEN", "")
    @events = events
    @open = {}
    @last_id = 0
    Thread.new { stay_connected }
  end

  def online(socket) = @socket = socket

  # Whatever is open was not answered, and will not be.
  def offline
    @socket&.to_io&.shutdown
  rescue SystemCallError, IOError
    # It is closed already.
  ensure
    @socket = nil
    @open.clear
  end

  def online? = !@socket.nil?

  # The block gets the result, or nil and what the error says; it is not called if the connection is lost.
  def call(method, params, task, &answered)
    @last_id += 1
    @open[@last_id] = answered
    send_message(id: @last_id, method:, params:, task:)
    @last_id
  end

  def cancel(id)
    send_message(method: "$/cancelRequest", params: { id: }) if @open.delete(id)
  end

  def hear(message)
    code, text = failure(message["error"])
    return offline if code == SHUTTING_DOWN

    @open.delete(message["id"])&.call(message["result"], code, text)
  end

  private

  # Its code and message, or nothing without an error; what the error lacks is 0, or empty.
  def failure(error)
    return if error.nil?

    code, text = error.values_at("code", "message") if error.is_a?(Hash)
    [code.is_a?(Integer) ? code : 0, text.is_a?(String) ? text : ""]
  end

  def send_message(message)
    write(@socket, message) if @socket
  rescue SystemCallError, IOError, OpenSSL::SSL::SSLError
    # Lost: the thread that listens hears so, too.
  end

  def write(socket, message) = socket.write("#{JSON.generate({ jsonrpc: '2.0', **message })}\n")

  def stay_connected
    @pause = FIRST_PAUSE_SECONDS
    loop do
      Socket.tcp(@host, @port, connect_timeout: CONNECT_SECONDS) do |socket|
        socket.setsockopt(:TCP, :NODELAY, true)
        known = Timeout.timeout(CONNECT_SECONDS) { greeted(@secure ? secured(socket) : socket) }
        listen(known) if known
      end
    rescue SystemCallError, SocketError, IOError, OpenSSL::SSL::SSLError, JSON::ParserError, Timeout::Error
      # Nobody there yet.
    ensure
      sleep(@pause * rand(0.5..1.0))
      @pause = [2 * @pause, LAST_PAUSE_SECONDS].min
    end
  end

  # The certificate has to be for that host, and from an authority in LASTWORD_CA, or else one that the system trusts.
  def secured(socket)
    context = OpenSSL::SSL::SSLContext.new
    # The host is looked at below, whether it is a name or an address.
    context.set_params(ca_file: ENV["LASTWORD_CA"], verify_hostname: false)
    OpenSSL::SSL::SSLSocket.new(socket, context).tap do |secure|
      secure.hostname = @host unless @host.match?(Resolv::AddressRegex)
      secure.connect
    rescue OpenSSL::SSL::SSLError => e
      refused("certificate: #{e.message}") unless secure.verify_result == OpenSSL::X509::V_OK
      raise
    else
      matches = OpenSSL::SSL.verify_certificate_identity(secure.peer_cert, @host)
      refused("certificate: it is not for #{@host}") unless matches
    end
  end

  # Says who this is, and nothing else before that is answered. Nothing if the gateway has no time for it.
  def greeted(socket)
    return socket if @token.empty?

    write(socket, id: 0, method: "lastword.authenticate", params: { token: @token })
    code, text = failure(JSON.parse(socket.gets.to_s)["error"])
    refused("#{code} #{text}") if code == UNAUTHENTICATED
    socket unless code
  end

  # Whoever answers is not to be trusted, or does not know who this is: trying again is of no use.
  def refused(why)
    @events << [:refused, why]
    sleep
  end

  def listen(socket)
    @events << [:online, socket]
    rest = +""
    while rest.bytesize < LINE_LIMIT_BYTES
      *lines, rest = (rest + socket.readpartial(READ_BYTES)).split("\n", -1)
      messages = lines.map { |line| JSON.parse(line) }
      messages.take_while { |message| message.is_a?(Hash) }.each { |message| @events << [:message, message] }
      break unless messages.all?(Hash)

      @pause = FIRST_PAUSE_SECONDS if messages.any?
    end
  rescue SystemCallError, IOError, OpenSSL::SSL::SSLError, JSON::ParserError
    # Nothing behind this is to be trusted.
  ensure
    @events << [:offline]
  end
end

# The search box: what it shows is the answer to what stands in it.
class Box
  def initialize(gateway, key)
    @gateway = gateway
    @task = { key:, policy: "cancel" }
  end

  def open? = !@query.nil?

  # The older request is left alone: the gateway supersedes it.
  def type(text)
    puts "spinner on" unless open?
    @query = text
    ask
  end

  # Sends what is open, for the first time or again.
  def ask
    return unless open? && @gateway.online?

    params = { ms: 1000 - (50 * @query.length), q: @query }
    newest = @newest = @gateway.call("sleep", params, @task) do |*answer|
      answered(*answer) if newest == @newest
    end
  end

  def clear
    return unless open?

    @gateway.cancel(@newest)
    settle
  end

  private

  def answered(result, code, text)
    settle
    if code.nil?
      puts "shown #{result['q'] if result.is_a?(Hash)}"
    elsif ![SUPERSEDED, CANCELLED].include?(code)
      puts "failed #{code} #{text}"
    end
  end

  def settle
    @query = @newest = nil
    puts "spinner off"
  end
end

$stdout.sync = true
$stdin.set_encoding("UTF-8")
events = Queue.new
gateway = Gateway.new(ARGV.fetch(0), events)
box = Box.new(gateway, ARGV.fetch(1))
proceed = Queue.new
Thread.new do
  while (line = $stdin.gets(chomp: true))
    events << [:command, *line.split(" ", 2)]
    proceed.pop if line == "wait"
  end
  events << [:command, "quit"]
end

waiting = false
loop do
  case events.pop
  in [:online, socket]
    puts "online"
    gateway.online(socket)
    box.ask
  in [:offline]
    puts "offline"
    gateway.offline
  in [:refused, why]
    puts "refused #{why}"
    exit!(NOT_ALLOWED_STATUS)
  in [:message, message] then gateway.hear(message)
  in [:command, "type", *text] then box.type(text.join)
  in [:command, "clear"] then box.clear
  in [:command, "wait"] then waiting = true
  in [:command, "quit"] then break
  in _ # Nothing that is meant for this program.
  end
  next if !waiting || box.open?

  puts "idle"
  waiting = false
  proceed << true
end
box.clear
