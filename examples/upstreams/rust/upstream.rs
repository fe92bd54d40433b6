//! A JSON-RPC upstream handler that honours cancellation. Standard library only.
//!
//!     rustc --edition 2021 -O upstream.rs && ./upstream [--port PORT] [--unix PATH]
//!
//! It prints the address it listens on. What it answers, and when, is said in examples/upstreams/README.md. To make it
//! your own, replace what `method` finds.

mod json;

use json::Json;
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::io::{AsRawFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::time::Duration;
use std::{env, fs, process, thread};

const LINE_LIMIT_BYTES: u64 = 1 << 20;
/// Requests of one connection that are worked on at once, each in a thread.
const OPEN_LIMIT: usize = 1000;
/// What is open at the end has this long; then it is cancelled.
const GRACE: Duration = Duration::from_secs(5);
const FLUSH: Duration = Duration::from_secs(1);
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
const SLEEP_LIMIT_MS: i64 = 3_600_000;
const PRIMES_LIMIT: i64 = 100_000_000;
/// How many are looked at in one go: not more than a few milliseconds.
const PIECE_NUMBERS: i64 = 100;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;
const CANCELLED: i64 = -32800;
const REFUSED: i64 = -32000;

static STARTED: AtomicU64 = AtomicU64::new(0);
static FINISHED: AtomicU64 = AtomicU64::new(0);
static WAS_CANCELLED: AtomicU64 = AtomicU64::new(0);
static PIECES: AtomicU64 = AtomicU64::new(0);

/// What a request is answered with instead of a result; the message is JSON, with its quotes.
struct Failure {
    code: i64,
    message: String,
}

impl Failure {
    /// From words that need no escapes.
    fn new(code: i64, words: &str) -> Failure {
        let message = format!("\"{words}\"");
        Failure { code, message }
    }
}

/// Says that a request is not wanted any more, to work that asks, and to work that waits.
#[derive(Default)]
struct Token {
    is_cancelled: Mutex<bool>,
    changed: Condvar,
}

impl Token {
    fn cancel(&self) {
        *self.is_cancelled.lock().unwrap() = true;
        self.changed.notify_all();
    }

    fn check(&self) -> Result<(), Failure> {
        self.wait(Duration::ZERO)
    }

    fn wait(&self, time: Duration) -> Result<(), Failure> {
        let is_cancelled = self.is_cancelled.lock().unwrap();
        let (is_cancelled, _) = self
            .changed
            .wait_timeout_while(is_cancelled, time, |is_cancelled| !*is_cancelled)
            .unwrap();
        if *is_cancelled {
            return Err(Failure::new(CANCELLED, "Request cancelled"));
        }
        Ok(())
    }
}

/// Gives the result as JSON. Where the token's error is passed on, cancelling ends it.
type Work = fn(&Json, &Token) -> Result<String, Failure>;

/// What is done for requests.
fn method(name: &str) -> Option<Work> {
    Some(match name {
        "echo" => |params, _| Ok(params.raw().to_string()),
        "sleep" => sleep,
        "primes" => primes,
        "fail" => fail,
        "crash" => |_, _| panic!("a mistake that nobody thought of"),
        "abandon" => abandon,
        "stats" => stats,
        _ => return None,
    })
}

fn sleep(params: &Json, token: &Token) -> Result<String, Failure> {
    let milliseconds = whole_number(params, "ms", SLEEP_LIMIT_MS)?;
    token.wait(Duration::from_millis(milliseconds as u64))?;
    Ok(params.raw().to_string())
}

/// Counts them the long way, piece by piece.
fn primes(params: &Json, token: &Token) -> Result<String, Failure> {
    let below = whole_number(params, "below", PRIMES_LIMIT)?;
    let mut count = 0;
    for first in (0..below).step_by(PIECE_NUMBERS as usize) {
        token.check()?;
        let piece = first..below.min(first + PIECE_NUMBERS);
        count += piece.filter(|number| is_prime(*number)).count();
        PIECES.fetch_add(1, SeqCst);
    }
    Ok(format!(r#"{{"primes":{count}}}"#))
}

fn is_prime(number: i64) -> bool {
    let mut divisors = (2..).take_while(|divisor| divisor * divisor <= number);
    number > 1 && divisors.all(|divisor| number % divisor != 0)
}

fn fail(params: &Json, _: &Token) -> Result<String, Failure> {
    let code = params.get("code").and_then(|code| code.integer());
    let message = params.get("message").filter(|text| text.begins_with("\""));
    Err(match (code, message) {
        (Some(code), Some(message)) => Failure {
            code,
            message: message.raw().to_string(),
        },
        _ => Failure::new(INVALID_PARAMS, "fail wants a whole number and a text"),
    })
}

fn abandon(_: &Json, _: &Token) -> Result<String, Failure> {
    let part = Token::default();
    part.cancel();
    part.check()?;
    Ok("null".to_string())
}

fn stats(_: &Json, _: &Token) -> Result<String, Failure> {
    // What has ended was started before.
    let [finished, cancelled, pieces, started] =
        [&FINISHED, &WAS_CANCELLED, &PIECES, &STARTED].map(|counter| counter.load(SeqCst));
    let open = started - finished - cancelled;
    Ok(format!(
        r#"{{"started":{started},"finished":{finished},"cancelled":{cancelled},"open":{open},"pieces":{pieces}}}"#
    ))
}

fn whole_number(params: &Json, name: &str, most: i64) -> Result<i64, Failure> {
    let number = params.get(name).and_then(|value| value.integer());
    number
        .filter(|number| (0..=most).contains(number))
        .ok_or_else(|| {
            let words = format!("{name} has to be a whole number from 0 to {most}");
            Failure::new(INVALID_PARAMS, &words)
        })
}

/// What came in a line; an id is kept as it was written, and there is none in a notification.
struct Request {
    id: Option<Json>,
    method: String,
    params: Option<Json>,
}

/// Nothing at all for an answer, which nobody asked for here; an error with the id that it belongs to.
fn parse(line: &[u8]) -> Result<Option<Request>, (Option<Json>, Failure)> {
    let message = std::str::from_utf8(line).ok().and_then(Json::parse);
    let message = message.ok_or((None, Failure::new(PARSE_ERROR, "Parse error")))?;
    let invalid = |id, words| Err((id, Failure::new(INVALID_REQUEST, words)));
    let (id, method) = (message.get("id"), message.get("method"));
    if !message.begins_with("{") {
        return invalid(None, "A message is one object");
    }
    if method.is_none() && (message.get("result").is_some() || message.get("error").is_some()) {
        return Ok(None);
    }
    if id.iter().any(|id| id.begins_with("[{tf")) {
        return invalid(None, "An id is a text or a number");
    }
    let version = message.get("jsonrpc").and_then(|version| version.text());
    let method = match method.and_then(|method| method.text()) {
        Some(method) if version.as_deref() == Some("2.0") => method,
        _ => return invalid(id, "A request says jsonrpc 2.0 and has a method"),
    };
    let params = message.get("params");
    if params.iter().any(|params| !params.begins_with("[{n")) {
        return invalid(id, "Params are an object or an array");
    }
    Ok(Some(Request { id, method, params }))
}

/// What all connections share.
#[derive(Default)]
struct Server {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What was begun and is not answered yet.
    open: usize,
    is_stopping: bool,
    connections: Vec<Weak<Connection>>,
}

impl Server {
    fn begin(&self) -> Result<(), Failure> {
        let mut state = self.state.lock().unwrap();
        if state.is_stopping {
            return Err(Failure::new(REFUSED, "Shutting down"));
        }
        state.open += 1;
        Ok(())
    }

    fn end(&self) {
        self.state.lock().unwrap().open -= 1;
        self.changed.notify_all();
    }

    fn wait(&self, time: Duration) {
        let state = self.state.lock().unwrap();
        drop(
            self.changed
                .wait_timeout_while(state, time, |state| state.open > 0)
                .unwrap(),
        );
    }

    /// Lets what is open end, cancels what takes too long; whoever is still connected is left then.
    fn finish(&self) {
        self.wait(GRACE);
        let connections = self.state.lock().unwrap().connections.clone();
        connections
            .iter()
            .filter_map(Weak::upgrade)
            .for_each(|connection| connection.cancel_all());
        self.wait(FLUSH);
    }

    fn serve(self: &Arc<Self>, stream: UnixStream) -> io::Result<()> {
        let connection = Arc::new(Connection {
            server: self.clone(),
            writer: Mutex::new(stream.try_clone()?),
            open: Mutex::default(),
        });
        let connections = &mut self.state.lock().unwrap().connections;
        connections.retain(|other| other.strong_count() > 0);
        connections.push(Arc::downgrade(&connection));
        thread::Builder::new().spawn(move || {
            connection.listen(&stream);
            let _ = stream.shutdown(Shutdown::Both);
            connection.cancel_all();
        })?;
        Ok(())
    }
}

/// What is open on one connection: the token of each request, by its id as it was written.
struct Connection {
    server: Arc<Server>,
    writer: Mutex<UnixStream>,
    open: Mutex<HashMap<String, Arc<Token>>>,
}

impl Connection {
    /// Ends with the connection, or at a line that is too long.
    fn listen(self: &Arc<Self>, stream: &UnixStream) {
        let mut reader = BufReader::new(stream);
        loop {
            let mut line = Vec::new();
            let limited = reader.by_ref().take(LINE_LIMIT_BYTES + 1);
            if { limited }.read_until(b'\n', &mut line).is_err() || line.pop() != Some(b'\n') {
                return;
            }
            // Who does not read answers is not listened to: the answers would pile up here.
            drop(self.writer.lock().unwrap());
            if !line.iter().all(u8::is_ascii_whitespace) {
                self.hear(&line);
            }
        }
    }

    fn hear(self: &Arc<Self>, line: &[u8]) {
        match parse(line) {
            Err((id, failure)) => self.answer(id.as_ref(), Err(failure)),
            Ok(None) => {}
            Ok(Some(request)) if request.id.is_none() && request.method == "$/cancelRequest" => {
                let id = request.params.and_then(|params| params.get("id"));
                let open = self.open.lock().unwrap();
                if let Some(token) = id.and_then(|id| open.get(id.raw())) {
                    token.cancel();
                }
            }
            Ok(Some(request)) => {
                let id = request.id.clone();
                if let (Err(failure), Some(id)) = (self.begin(request), id) {
                    self.answer(Some(&id), Err(failure));
                }
            }
        }
    }

    fn begin(self: &Arc<Self>, request: Request) -> Result<(), Failure> {
        let work = method(&request.method)
            .ok_or_else(|| Failure::new(METHOD_NOT_FOUND, "Method not found"))?;
        let token = Arc::new(Token::default());
        let key = match &request.id {
            Some(id) => id.raw().to_string(),
            None => format!("notification {:p}", token),
        };
        {
            let mut open = self.open.lock().unwrap();
            if open.contains_key(&key) {
                let words = "A request with this id is open";
                return Err(Failure::new(INVALID_REQUEST, words));
            }
            if open.len() >= OPEN_LIMIT {
                return Err(Failure::new(REFUSED, "Too many open requests"));
            }
            self.server.begin()?;
            open.insert(key.clone(), token.clone());
        }
        STARTED.fetch_add(1, SeqCst);
        let (connection, name) = (self.clone(), key.clone());
        let thread = thread::Builder::new().spawn(move || {
            let params = request.params.or_else(|| Json::parse("null")).unwrap();
            let outcome = run(work, &params, &token);
            connection.end(&name, &outcome);
            if request.id.is_some() {
                connection.answer(request.id.as_ref(), outcome);
            }
            connection.server.end();
        });
        thread.map(drop).map_err(|_| {
            let failure = Failure::new(REFUSED, "No thread for another request");
            let outcome = Err(failure);
            self.end(&key, &outcome);
            self.server.end();
            outcome.unwrap_err()
        })
    }

    fn end(&self, key: &str, outcome: &Result<String, Failure>) {
        self.open.lock().unwrap().remove(key);
        let counter = match outcome {
            Err(failure) if failure.code == CANCELLED => &WAS_CANCELLED,
            _ => &FINISHED,
        };
        counter.fetch_add(1, SeqCst);
    }

    /// Waits while the other end does not read.
    fn answer(&self, id: Option<&Json>, outcome: Result<String, Failure>) {
        let id = id.map_or("null", Json::raw);
        let members = match outcome {
            Ok(result) => format!(r#""result":{result}"#),
            Err(Failure { code, message }) => {
                format!(r#""error":{{"code":{code},"message":{message}}}"#)
            }
        };
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{members}}}\n");
        // Where writing fails reading does, too, and is heard of.
        let _ = self.writer.lock().unwrap().write_all(line.as_bytes());
    }

    fn cancel_all(&self) {
        self.open
            .lock()
            .unwrap()
            .values()
            .for_each(|token| token.cancel());
    }
}

/// Does the work, unless it was cancelled before it began; whatever happens there, this program goes on.
fn run(work: Work, params: &Json, token: &Token) -> Result<String, Failure> {
    token.check()?;
    let internal = || Failure::new(INTERNAL_ERROR, "Internal error");
    let outcome =
        catch_unwind(AssertUnwindSafe(|| work(params, token))).unwrap_or_else(|_| Err(internal()));
    outcome.map_err(|failure| {
        if failure.code != CANCELLED || token.check().is_err() {
            return failure;
        }
        eprintln!("a part of a request was cancelled, but not by its caller");
        internal()
    })
}

/// Gives the next connection. One over TCP is passed off as one over a Unix socket: it is only read, written and shut
/// down, and the system does that to both alike.
type Accept = Box<dyn FnMut() -> io::Result<UnixStream> + Send>;

/// What accepts, and the address as the gateway's --upstream takes it.
fn listen(options: &Options) -> io::Result<(Accept, String)> {
    if let Some(path) = &options.unix {
        // It takes the place of a socket that was left behind.
        if fs::symlink_metadata(path).map_or(false, |file| file.file_type().is_socket()) {
            fs::remove_file(path)?;
        }
        let listener = UnixListener::bind(path)?;
        let accept = move || Ok(listener.accept()?.0);
        return Ok((Box::new(accept), format!("unix:{path}")));
    }
    let listener = TcpListener::bind(("127.0.0.1", options.port))?;
    let address = format!("tcp:{}", listener.local_addr()?);
    let accept = move || {
        let (stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        Ok(OwnedFd::from(stream).into())
    };
    Ok((Box::new(accept), address))
}

/// Ends, and closes the listener, at the first connection after the server was told to stop.
fn accept_all(mut accept: Accept, server: Arc<Server>) {
    loop {
        let stream = accept();
        if server.state.lock().unwrap().is_stopping {
            return;
        }
        if let Err(error) = stream.and_then(|stream| server.serve(stream)) {
            eprintln!("no connection was made: {error}");
            thread::sleep(ACCEPT_PAUSE);
        }
    }
}

/// What a signal handler writes to: it may do little else.
static WAKE: AtomicI32 = AtomicI32::new(-1);

extern "C" {
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
    fn write(descriptor: i32, bytes: *const u8, count: usize) -> isize;
}

extern "C" fn wake(_: i32) {
    // Safe: one byte of a constant, to a descriptor that is never closed.
    unsafe { write(WAKE.load(SeqCst), b"x".as_ptr(), 1) };
}

/// A stream that something comes from when this program is told to stop.
fn stop_signals() -> io::Result<UnixStream> {
    const INTERRUPT: i32 = 2;
    const TERMINATE: i32 = 15;
    let (reader, writer) = UnixStream::pair()?;
    WAKE.store(writer.as_raw_fd(), SeqCst);
    std::mem::forget(writer);
    for number in [INTERRUPT, TERMINATE] {
        // Safe: the handler only writes.
        unsafe { signal(number, wake) };
    }
    Ok(reader)
}

struct Options {
    port: u16,
    unix: Option<String>,
}

fn options() -> Option<Options> {
    let (mut port, mut unix) = (0, None);
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--port" => port = words.next()?.parse().ok()?,
            "--unix" => unix = Some(words.next()?),
            _ => return None,
        }
    }
    Some(Options { port, unix })
}

/// What tells a file from others.
fn file(path: &str) -> Option<(u64, u64)> {
    let found = fs::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

fn serve(options: &Options) -> io::Result<()> {
    let mut signals = stop_signals()?;
    let (accept, address) = listen(options)?;
    let own = options.unix.as_ref().and_then(|path| file(path));
    println!("{address}");
    let server = Arc::new(Server::default());
    let acceptor = server.clone();
    thread::spawn(move || accept_all(accept, acceptor));
    signals.read_exact(&mut [0])?;
    server.state.lock().unwrap().is_stopping = true;
    // Waiting for a connection ends with one; where none can be made, nobody else makes one either. A socket that
    // another has put in the place of this one's is left alone.
    let _ = match &options.unix {
        Some(path) if file(path) != own => Ok(()),
        Some(path) => UnixStream::connect(path)
            .map(drop)
            .and(fs::remove_file(path)),
        None => TcpStream::connect(address.trim_start_matches("tcp:")).map(drop),
    };
    server.finish();
    Ok(())
}

fn main() {
    let options = options().unwrap_or_else(|| {
        eprintln!("usage: upstream [--port PORT] [--unix PATH]");
        process::exit(64)
    });
    if let Err(error) = serve(&options) {
        eprintln!("error: {error}");
        process::exit(1)
    }
}
