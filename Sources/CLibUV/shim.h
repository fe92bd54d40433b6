#pragma once
#include <arpa/inet.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <uv.h>

/// The C library shows these only to those who define a feature macro before every other header.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
extern int close_range(unsigned int first, unsigned int last, int flags);
extern char **environ;

/// The user at the other end of a Unix socket as it was when that connected; -1: nobody knows. The structure that the
/// kernel fills in is one of those.
static inline int64_t clibuv_peer_user(int descriptor) {
  struct { pid_t process; uid_t user; gid_t group; } peer;
  socklen_t length = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || length != sizeof peer) return -1;
  return peer.user == (uid_t)-1 ? -1 : (int64_t)peer.user;
}

/// Where the peer of a TCP socket is, as ADDRESS:PORT; returns its length, 0 of other sockets.
static inline size_t clibuv_peer_address(int descriptor, char *text, size_t capacity) {
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } peer;
  socklen_t length = sizeof peer;
  char host[INET6_ADDRSTRLEN];
  int count = 0;
  if (getpeername(descriptor, &peer.any, &length) != 0) return 0;
  if (peer.any.sa_family == AF_INET && inet_ntop(AF_INET, &peer.v4.sin_addr, host, sizeof host)) {
    count = snprintf(text, capacity, "%s:%u", host, (unsigned)ntohs(peer.v4.sin_port));
  } else if (peer.any.sa_family == AF_INET6 && inet_ntop(AF_INET6, &peer.v6.sin6_addr, host, sizeof host)) {
    count = snprintf(text, capacity, "[%s]:%u", host, (unsigned)ntohs(peer.v6.sin6_port));
  }
  return count > 0 && (size_t)count < capacity ? (size_t)count : 0;
}

/// How long ago the peer of a TCP socket last acknowledged something, where the kernel has sent something again since;
/// 0: it has not.
static inline uint32_t clibuv_unacknowledged_milliseconds(int descriptor) {
  struct tcp_info info;
  socklen_t length = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || length != sizeof info) return 0;
  return info.tcpi_retransmits > 0 ? info.tcpi_last_ack_recv : 0;
}

/// What `poll` calls it that the peer has sent its last byte.
enum { CLIBUV_POLL_PEER_ENDED = 0x2000 };

/// A variable that no language but C may share between threads; the process never changes it.
static inline char **clibuv_environment(void) { return environ; }

/// `prctl` is variadic, which Swift cannot call.
static inline int clibuv_set_dumpable(int is_dumpable) { return prctl(PR_SET_DUMPABLE, is_dumpable, 0, 0, 0); }
static inline int clibuv_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

/// Close at the next exec, not now.
enum { CLIBUV_CLOSE_RANGE_CLOEXEC = 1U << 2 };

/// Room for either kind of connection, so that one Swift type can own both.
typedef union {
  uv_handle_t handle;
  uv_stream_t stream;
  uv_tcp_t tcp;
  uv_pipe_t pipe;
} clibuv_connection_t;
