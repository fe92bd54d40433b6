#pragma once
#include <sys/socket.h>
#include <uv.h>

/// The C library shows it only to those who define a feature macro before every other header.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

/// Room for either kind of connection, so that one Swift type can own both.
typedef union {
  uv_handle_t handle;
  uv_stream_t stream;
  uv_tcp_t tcp;
  uv_pipe_t pipe;
} clibuv_connection_t;
