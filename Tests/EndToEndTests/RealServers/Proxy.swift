import Foundation
import TestSupport

/// A running proxy of HTTP in front of a gateway, as its pages tell operators to set it up.
final class Proxy {
  enum Kind: String, CaseIterable { case nginx, haproxy }

  private let program: RunningProgram
  private let directory: TemporaryDirectory
  let address: String

  init(_ kind: Kind, before gateway: String) throws {
    let directory = try TemporaryDirectory()
    self.directory = directory
    let path = directory.path + "/proxy.conf"
    (program, address) = try RealServers.onFreePorts(1, kind.rawValue) { ports in
      let text =
        switch kind {
        case .nginx: Self.nginx(ports[0], gateway, directory.path)
        case .haproxy: Self.haproxy(ports[0], gateway)
        }
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      let words =
        switch kind {
        case .nginx: ["nginx", "-e", "stderr", "-c", path]
        case .haproxy: ["haproxy", "-db", "-f", path]
        }
      let program = try RunningProgram("/usr/bin/env", [RealServers.search] + words)
      let address = "127.0.0.1:\(ports[0])"
      return try RealServers.isListening(program, at: address) ? (program, address) : nil
    }
  }

  private static func nginx(_ port: UInt16, _ gateway: String, _ directory: String) -> String {
    """
    daemon off;
    master_process off;
    error_log stderr warn;
    pid \(directory)/nginx.pid;
    events {}
    http {
      access_log off;
      client_body_temp_path \(directory)/body;
      proxy_temp_path \(directory)/proxied;
      map $http_upgrade $wish { default upgrade; '' ''; }
      upstream gateway { server \(gateway); keepalive 8; }
      server {
        listen 127.0.0.1:\(port);
        location / {
          proxy_pass http://gateway;
          proxy_http_version 1.1;
          proxy_set_header Host $host;
          proxy_set_header Upgrade $http_upgrade;
          proxy_set_header Connection $wish;
        }
      }
    }

    """
  }

  private static func haproxy(_ port: UInt16, _ gateway: String) -> String {
    """
    defaults
      mode http
      option abortonclose
      http-reuse always
      timeout connect 60s
      timeout client 1h
      timeout server 1h
      timeout tunnel 1h
    listen gateway
      bind 127.0.0.1:\(port)
      server gateway \(gateway)

    """
  }
}
