"""OpenSSL itself, for what Python's `ssl` has no words for."""
import ctypes
import functools

TLS_1_2, TLS_1_3 = 0x0303, 0x0304
SET_LOWEST, SET_HIGHEST, UPDATE_REQUESTED = 123, 124, 1
POINTER, NUMBER = ctypes.c_void_p, ctypes.c_int
KINDS = {"TLS_client_method": (POINTER, []), "SSL_CTX_new": (POINTER, [POINTER]), "SSL_new": (POINTER, [POINTER]),
         "SSL_CTX_ctrl": (ctypes.c_long, [POINTER, NUMBER, ctypes.c_long, POINTER]),
         "SSL_CTX_free": (None, [POINTER]), "SSL_free": (None, [POINTER]), "SSL_set_fd": (NUMBER, [POINTER, NUMBER]),
         "SSL_connect": (NUMBER, [POINTER]), "SSL_do_handshake": (NUMBER, [POINTER]),
         "SSL_renegotiate": (NUMBER, [POINTER]), "SSL_key_update": (NUMBER, [POINTER, NUMBER])}


@functools.cache
def library():
    """Version 3, or an older one that has the same functions."""
    for name in ("libssl.so.3", "libssl.so", "libssl.so.1.1"):
        try:
            loaded = ctypes.CDLL(name)
        except OSError:
            continue
        for function, (result, arguments) in KINDS.items():
            found = getattr(loaded, function)
            found.restype, found.argtypes = result, arguments
        return loaded
    raise OSError("there is no libssl to attack with")


class Session:
    """A client's side of TLS over a connected socket that waits. Nobody's certificate is looked at."""

    def __init__(self, client, version):
        self.client, self.ssl = client, library()
        # The library waits by itself; a socket with a timeout would not.
        client.setblocking(True)
        self.terms = self.ssl.SSL_CTX_new(self.ssl.TLS_client_method())
        for bound in (SET_LOWEST, SET_HIGHEST):
            self.ssl.SSL_CTX_ctrl(self.terms, bound, version, None)
        self.session = self.ssl.SSL_new(self.terms)
        self.ssl.SSL_set_fd(self.session, client.fileno())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ssl.SSL_free(self.session)
        self.ssl.SSL_CTX_free(self.terms)
        self.client.close()

    def connect(self):
        return self.ssl.SSL_connect(self.session) == 1

    def renegotiate(self):
        """Whether the other side went along."""
        return self.ssl.SSL_renegotiate(self.session) == 1 and self.ssl.SSL_do_handshake(self.session) == 1

    def update_key(self):
        """Changes its own key and asks the other side to do so; whether that could be sent."""
        return (self.ssl.SSL_key_update(self.session, UPDATE_REQUESTED) == 1
                and self.ssl.SSL_do_handshake(self.session) == 1)
