# frozen_string_literal: true

# Drives examples/clients/ruby/lastword.rb as Tests/Clients/minimal.py says.
#
#     ruby driver.rb DIRECTORY HOST PORT
require "#{File.expand_path(ARGV[0])}/lastword"

def outcome
  "result #{yield["q"]}"
rescue Lastword::RPCError => e
  "error #{e.code}#{" unwanted" if e.unwanted?}#{" may-have-run" if e.may_have_run?}"
rescue IOError
  "lost"
end

$stdout.sync = true
ca, token = ENV.values_at("LASTWORD_CA", "LASTWORD_TOKEN")
begin
  gateway = Lastword.new(ARGV[1], Integer(ARGV[2]), tls: !ca.nil?, ca:)
  gateway.authenticate(token) unless token.to_s.empty?
rescue OpenSSL::SSL::SSLError, Lastword::RPCError => e
  abort "error: #{e.code if e.is_a?(Lastword::RPCError)} #{e.message}"
end
calls = {}
while (line = $stdin.gets&.chomp)
  command, name, *rest = line.split(" ", 5)
  case command
  when "ask"
    calls[name] = Thread.new(*rest) do |key, ms, q|
      outcome { gateway.call("sleep", { ms: Integer(ms), q: }, task: { key: }) }
    end
  when "call" then calls[name] = Thread.new(*rest) { |method| outcome { gateway.call(method) } }
  when "cancel" then calls[name].kill
  when "wait" then puts "#{name} #{calls[name].value}"
  end
end
gateway.close
