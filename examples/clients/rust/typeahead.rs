//! A typeahead on lastword: the newest query has the last word. Standard library only.
//!
//!     rustc --edition 2021 typeahead.rs && ./typeahead HOST:PORT KEY
//!
//! Built by cargo with a feature tls and the crate native-tls, it speaks TLS, too:
//!
//!     LASTWORD_TOKEN=… LASTWORD_CA=ca.pem ./typeahead tls:HOST:PORT KEY

mod json;
#[cfg(feature = "tls")]
mod secure;

use json::{quoted, Json};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread;
use std::time::Duration;

const SUPERSEDED: i64 = -32080;
const SHUTTING_DOWN: i64 = -32085;
const UNAUTHENTICATED: i64 = -32087;
const NOT_ALLOWED_STATUS: i32 = 77;
const CANCELLED: i64 = -32800;
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LAST_PAUSE: Duration = Duration::from_secs(2);
/// For one address of the gateway, and for each part of what is sent.
const PATIENCE: Duration = Duration::from_secs(5);
const LINE_LIMIT_BYTES: u64 = 4 << 20;

/// A connection. Whatever carries the bytes, ending the stream ends it.
struct Link {
    reader: BufReader<Box<dyn Read + Send>>,
    writer: Box<dyn Write + Send>,
    stream: TcpStream,
}

/// What the threads that listen tell the one that has the box.
enum Event {
    Online(Box<dyn Write + Send>, TcpStream),
    Message(Json),
    Offline,
    Command(String),
    End,
}

/// Connects, listens, and does so again when the connection is lost, as long as somebody wants to know.
fn stay_connected(address: String, events: Sender<Event>) {
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(link) = connect(&address) {
            if listen(link, &events, &mut pause).is_none() || events.send(Event::Offline).is_err() {
                return;
            }
        }
        thread::sleep(pause.mul_f64(0.5 + random_fraction() / 2.0));
        pause = (2 * pause).min(LAST_PAUSE);
    }
}

/// To the first of a name's addresses where somebody answers, who then knows who this is.
fn connect(address: &str) -> Option<Link> {
    let (secure, address) = match address.strip_prefix("tls:") {
        Some(address) => (true, address),
        None => (false, address),
    };
    let stream = address
        .to_socket_addrs()
        .ok()?
        .find_map(|address| TcpStream::connect_timeout(&address, PATIENCE).ok())?;
    stream.set_nodelay(true).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut link = match secure {
        true => secured(stream, address.rsplit_once(':')?.0)?,
        false => Link {
            reader: BufReader::new(Box::new(stream.try_clone().ok()?)),
            writer: Box::new(stream.try_clone().ok()?),
            stream,
        },
    };
    match std::env::var("LASTWORD_TOKEN") {
        Ok(token) if !token.is_empty() => link.greet(&token)?,
        _ => {}
    }
    link.stream.set_read_timeout(None).ok()?;
    Some(link)
}

/// If LASTWORD_CA names no authority, those count whom the system trusts.
#[cfg(feature = "tls")]
fn secured(stream: TcpStream, host: &str) -> Option<Link> {
    let ca = std::env::var_os("LASTWORD_CA");
    match secure::over(stream, host, ca.as_ref().map(|ca| ca.as_ref())) {
        Ok((reader, writer, stream)) => Some(Link {
            reader: BufReader::new(Box::new(reader)),
            writer: Box::new(writer),
            stream,
        }),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            refused(&format!("certificate: {error}"))
        }
        Err(_) => None,
    }
}

#[cfg(not(feature = "tls"))]
fn secured(_: TcpStream, _: &str) -> Option<Link> {
    refused("certificate: this was built without TLS")
}

/// Whoever answers is not to be trusted, or does not know who this is: trying again is of no use. It is the last that is
/// said: the lock is held to the end.
fn refused(why: &str) -> ! {
    let mut output = io::stdout().lock();
    let _ = writeln!(output, "refused {why}");
    std::process::exit(NOT_ALLOWED_STATUS)
}

impl Link {
    /// Says who this is, and nothing else before that is answered.
    fn greet(&mut self, token: &str) -> Option<()> {
        let params = format!(r#"{{"token":{}}}"#, quoted(token));
        let members = format!(r#""id":0,"method":"lastword.authenticate","params":{params}"#);
        let line = format!("{{\"jsonrpc\":\"2.0\",{members}}}\n");
        self.writer.write_all(line.as_bytes()).ok()?;
        let answer = message(&read_line(&mut self.reader)?)?;
        let error = match answer.get("error") {
            None => return Some(()),
            Some(error) => error,
        };
        if error.get("code").and_then(Json::integer) == Some(UNAUTHENTICATED) {
            let text = error.get("message").and_then(Json::text).unwrap_or("");
            refused(&format!("{UNAUTHENTICATED} {text}"));
        }
        None
    }
}

/// Passes on what comes, until the connection is lost; nothing when nobody wants it any more.
fn listen(link: Link, events: &Sender<Event>, pause: &mut Duration) -> Option<()> {
    let mut reader = link.reader;
    events.send(Event::Online(link.writer, link.stream)).ok()?;
    // Behind what is no message nothing is to be trusted.
    while let Some(message) = read_line(&mut reader).as_deref().and_then(message) {
        *pause = FIRST_PAUSE;
        events.send(Event::Message(message)).ok()?;
    }
    Some(())
}

fn message(line: &str) -> Option<Json> {
    Json::parse(line).filter(|message| matches!(message, Json::Object(_)))
}

fn read_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    reader.take(LINE_LIMIT_BYTES).read_line(&mut line).ok()?;
    line.ends_with('\n').then_some(line)
}

/// Each new state of the standard hash has keys of its own.
fn random_fraction() -> f64 {
    RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64
}

/// The search box: what it shows is the answer to what stands in it.
struct SearchBox {
    key: String,
    /// What is written to, and what ends it.
    stream: Option<(Box<dyn Write + Send>, TcpStream)>,
    /// What is open, if anything is.
    query: Option<String>,
    /// Its id, if it was sent on this stream.
    newest: Option<i64>,
    last_id: i64,
}

impl SearchBox {
    fn send(&mut self, members: String) {
        if let Some((writer, stream)) = &mut self.stream {
            let line = format!("{{\"jsonrpc\":\"2.0\",{members}}}\n");
            if writer.write_all(line.as_bytes()).is_err() {
                // Half a line is worse than none. The thread that listens says when it is over.
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }

    /// The older request is left alone: the gateway supersedes it.
    fn type_text(&mut self, text: &str) {
        if self.query.replace(text.to_string()).is_none() {
            println!("spinner on");
        }
        self.ask();
    }

    /// Sends what is open, for the first time or again.
    fn ask(&mut self) {
        let query = match (&self.query, &self.stream) {
            (Some(query), Some(_)) => query,
            _ => return,
        };
        self.last_id += 1;
        self.newest = Some(self.last_id);
        let milliseconds = 1000 - 50 * query.chars().count() as i64;
        let params = format!(r#"{{"ms":{milliseconds},"q":{}}}"#, quoted(query));
        let task = format!(r#"{{"key":{},"policy":"cancel"}}"#, quoted(&self.key));
        self.send(format!(
            r#""id":{},"method":"sleep","params":{params},"task":{task}"#,
            self.last_id
        ));
    }

    fn clear(&mut self) {
        if let Some(id) = self.newest {
            self.send(format!(
                r#""method":"$/cancelRequest","params":{{"id":{id}}}"#
            ));
        }
        if self.query.is_some() {
            self.settle();
        }
    }

    fn settle(&mut self) {
        self.query = None;
        self.newest = None;
        println!("spinner off");
    }

    fn online(&mut self, writer: Box<dyn Write + Send>, stream: TcpStream) {
        println!("online");
        self.stream = Some((writer, stream));
        self.ask();
    }

    fn offline(&mut self) {
        println!("offline");
        self.stream = None;
        self.newest = None;
    }

    fn hear(&mut self, message: &Json) {
        let error = message.get("error").filter(|error| !error.is_null());
        // What it lacks is 0, or empty.
        let code = error.map(|error| error.get("code").and_then(Json::integer).unwrap_or(0));
        if code == Some(SHUTTING_DOWN) {
            // The thread that listens says when it is over.
            let _ = self
                .stream
                .take()
                .map(|(_, stream)| stream.shutdown(Shutdown::Both));
            self.newest = None;
        }
        let id = message.get("id").and_then(Json::integer);
        if id.is_none() || id != self.newest {
            return;
        }
        self.settle();
        let words = |value: Option<&Json>, name| {
            value
                .and_then(|value| value.get(name)?.text())
                .unwrap_or("")
                .to_string()
        };
        match code {
            Some(SUPERSEDED | CANCELLED) => {}
            Some(code) => println!("failed {code} {}", words(error, "message")),
            None => println!("shown {}", words(message.get("result"), "q")),
        }
    }
}

/// Reads commands; behind `wait` only when it is told to go on.
fn read_commands(events: Sender<Event>, go_on: Receiver<()>) -> Option<()> {
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let waits = line == "wait";
        events.send(Event::Command(line)).ok()?;
        if waits {
            go_on.recv().ok()?;
        }
    }
    events.send(Event::End).ok()
}

fn run(mut search: SearchBox, events: Receiver<Event>, go_on: Sender<()>) {
    let mut waiting = false;
    for event in events {
        match event {
            Event::Online(writer, stream) => search.online(writer, stream),
            Event::Message(message) => search.hear(&message),
            Event::Offline => search.offline(),
            Event::End => break,
            Event::Command(line) => match line.split_once(' ').unwrap_or((&line, "")) {
                ("type", text) => search.type_text(text),
                ("clear", _) => search.clear(),
                ("wait", _) => waiting = true,
                ("quit", _) => break,
                _ => {}
            },
        }
        if waiting && search.query.is_none() {
            println!("idle");
            waiting = false;
            let _ = go_on.send(());
        }
    }
    search.clear();
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (address, key) = match <[String; 2]>::try_from(words) {
        Ok([address, key]) => (address, key),
        Err(_) => {
            eprintln!("usage: typeahead HOST:PORT KEY");
            std::process::exit(64);
        }
    };
    let (sender, events) = channel();
    let (go_on, told) = channel();
    let commands = sender.clone();
    thread::spawn(move || stay_connected(address, sender));
    thread::spawn(move || read_commands(commands, told));
    let search = SearchBox {
        key,
        stream: None,
        query: None,
        newest: None,
        last_id: 0,
    };
    run(search, events, go_on);
}
