//! TLS for threads that read and write at once. It takes the crate native-tls (0.2), which has it from the system.
//!
//!     let stream = TcpStream::connect("gateway.example:5280")?;
//!     let (reader, writer, stream) = secure::over(stream, "gateway.example", Some("ca.pem".as_ref()))?;

use native_tls::{Certificate, HandshakeError, Protocol, TlsConnector, TlsStream};
use std::io::{self, ErrorKind, Read, Write};
use std::mem::take;
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// What has come for a session, and what it wants to send: whoever waits for the network has no lock on it meanwhile.
#[derive(Debug, Default)]
struct Wire {
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
    has_ended: bool,
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.incoming.is_empty() && !self.has_ended {
            return Err(ErrorKind::WouldBlock.into());
        }
        let count = buffer.len().min(self.incoming.len());
        buffer[..count].copy_from_slice(&self.incoming[..count]);
        self.incoming.drain(..count);
        Ok(count)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.outgoing.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Wire {
    fn receive(&mut self, bytes: &[u8]) {
        self.incoming.extend_from_slice(bytes);
        self.has_ended = bytes.is_empty();
    }
}

pub struct Reader {
    session: Arc<Mutex<TlsStream<Wire>>>,
    stream: TcpStream,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut bytes = [0; 1 << 14];
        loop {
            match self.session.lock().unwrap().read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                result => return result,
            }
            let count = self.stream.read(&mut bytes)?;
            self.session
                .lock()
                .unwrap()
                .get_mut()
                .receive(&bytes[..count]);
        }
    }
}

/// Only one thread writes at a time.
pub struct Writer {
    session: Arc<Mutex<TlsStream<Wire>>>,
    stream: TcpStream,
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut session = self.session.lock().unwrap();
        session.write_all(bytes)?;
        let outgoing = take(&mut session.get_mut().outgoing);
        drop(session);
        self.stream.write_all(&outgoing)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Both directions of a session over that stream, and the stream. The certificate has to be for that host, and from the
/// authority in the PEM file `ca`, or else one that the system trusts; an error of kind `PermissionDenied` says that it is
/// not.
pub fn over(
    mut stream: TcpStream,
    host: &str,
    ca: Option<&Path>,
) -> io::Result<(Reader, Writer, TcpStream)> {
    stream.set_nodelay(true)?;
    let mut session = greet(&mut stream, host, ca)?;
    stream.write_all(&take(&mut session.get_mut().outgoing))?;
    let session = Arc::new(Mutex::new(session));
    let reader = Reader {
        session: session.clone(),
        stream: stream.try_clone()?,
    };
    let writer = Writer {
        session,
        stream: stream.try_clone()?,
    };
    Ok((reader, writer, stream))
}

fn greet(stream: &mut TcpStream, host: &str, ca: Option<&Path>) -> io::Result<TlsStream<Wire>> {
    let mut attempt = connector(ca)?.connect(host, Wire::default());
    loop {
        let mut greeting = match attempt {
            Ok(session) => return Ok(session),
            Err(HandshakeError::Failure(error)) => {
                return Err(io::Error::new(ErrorKind::PermissionDenied, error))
            }
            Err(HandshakeError::WouldBlock(greeting)) => greeting,
        };
        stream.write_all(&take(&mut greeting.get_mut().outgoing))?;
        let mut bytes = [0; 1 << 14];
        let count = stream.read(&mut bytes)?;
        if count == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        greeting.get_mut().receive(&bytes[..count]);
        attempt = greeting.handshake();
    }
}

fn connector(ca: Option<&Path>) -> io::Result<TlsConnector> {
    let mut builder = TlsConnector::builder();
    builder.min_protocol_version(Some(Protocol::Tlsv12));
    if let Some(ca) = ca {
        let pem = std::fs::read(ca)?;
        builder.disable_built_in_roots(true);
        builder.add_root_certificate(Certificate::from_pem(&pem).map_err(invalid)?);
    }
    builder.build().map_err(invalid)
}

fn invalid(error: native_tls::Error) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, error)
}
