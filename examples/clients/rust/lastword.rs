//! A minimal client of lastword, to be copied with json.rs beside it. Standard library only; any thread may call.
//!
//!     let gateway = lastword::Gateway::connect("127.0.0.1:5278")?;
//!     let task = r#"{"key":"search:tab-1","policy":"cancel"}"#;
//!     let result = gateway.call("search", r#"{"q":"swift"}"#, task).wait()?;
//!
//! Under TLS, with secure.rs and the crate native-tls, and to a gateway that asks who comes:
//!
//!     let stream = TcpStream::connect("gateway.example:5280")?;
//!     let (reader, writer, stream) = secure::over(stream, "gateway.example", Some("ca.pem".as_ref()))?;
//!     let gateway = lastword::Gateway::over(reader, writer, stream);
//!     gateway.authenticate(&std::env::var("LASTWORD_TOKEN")?)?;

#![allow(dead_code)] // Not every program needs all of it.

use super::json::{quoted, Json};
use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

/// What came instead of a result.
#[derive(Debug)]
pub enum Error {
    /// An answer: its `code`, its `message`, and what else it has.
    Answer {
        code: i64,
        message: String,
        error: Json,
    },
    /// The connection has ended.
    Lost,
}

impl Error {
    /// Superseded or cancelled: nothing to show to anybody.
    pub fn is_unwanted(&self) -> bool {
        matches!(self, Error::Answer { code, .. } if [-32080, -32800].contains(code))
    }

    /// The gateway says that upstream got the request, and may have done the work.
    pub fn may_have_run(&self) -> bool {
        let upstream = match self {
            Error::Answer { error, .. } => error.get("data").and_then(|data| data.get("upstream")),
            Error::Lost => None,
        };
        matches!(
            upstream.and_then(Json::text),
            Some("cancelSent" | "mayHaveCompleted")
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Answer { code, message, .. } => write!(out, "{code} {message}"),
            Error::Lost => write!(out, "the connection to lastword has ended"),
        }
    }
}

impl std::error::Error for Error {}

/// While one thread writes, another has to read: these are two locks.
struct Shared {
    writer: Mutex<Box<dyn Write + Send>>,
    requests: Mutex<Requests>,
}

struct Requests {
    /// None when the connection has ended.
    open: Option<HashMap<i64, Sender<Json>>>,
    last_id: i64,
}

impl Shared {
    fn send(&self, members: &str) {
        // The thread that listens hears that the connection is gone, and tells those who wait.
        let line = format!("{{\"jsonrpc\":\"2.0\",{members}}}\n");
        let _ = self.writer.lock().unwrap().write_all(line.as_bytes());
    }

    fn take(&self, id: i64) -> Option<Sender<Json>> {
        self.requests.lock().unwrap().open.as_mut()?.remove(&id)
    }
}

/// One connection, which does not come back. It ends when this is dropped.
pub struct Gateway {
    shared: Arc<Shared>,
    /// Another handle of the same connection.
    stream: TcpStream,
}

impl Gateway {
    pub fn connect(address: impl ToSocketAddrs) -> io::Result<Gateway> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let (reader, writer) = (stream.try_clone()?, stream.try_clone()?);
        Ok(Gateway::over(reader, writer, stream))
    }

    /// Over whatever carries bytes both ways by that stream.
    pub fn over(
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
        stream: TcpStream,
    ) -> Gateway {
        let shared = Arc::new(Shared {
            writer: Mutex::new(Box::new(writer)),
            requests: Mutex::new(Requests {
                open: Some(HashMap::new()),
                last_id: 0,
            }),
        });
        let listening = shared.clone();
        thread::spawn(move || listen(reader, &listening));
        Gateway { shared, stream }
    }

    /// Says who this is, before anything else; an answer's error if the gateway does not know the token.
    pub fn authenticate(&self, token: &str) -> Result<(), Error> {
        let params = format!(r#"{{"token":{}}}"#, quoted(token));
        self.call("lastword.authenticate", &params, "").wait()?;
        Ok(())
    }

    /// Asks at once; params and task are JSON, and may be empty.
    pub fn call(&self, method: &str, params: &str, task: &str) -> Call {
        let (sender, answer) = channel();
        let mut requests = self.shared.requests.lock().unwrap();
        requests.last_id += 1;
        let id = requests.last_id;
        if let Some(open) = &mut requests.open {
            open.insert(id, sender);
        }
        drop(requests);
        let mut members = format!(r#""id":{id},"method":{}"#, quoted(method));
        for (name, value) in [("params", params), ("task", task)] {
            if !value.is_empty() {
                members += &format!(r#","{name}":{value}"#);
            }
        }
        self.shared.send(&members);
        let shared = self.shared.clone();
        Call { shared, id, answer }
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// A request that was sent. Dropping it before its answer came cancels upstream's work.
pub struct Call {
    shared: Arc<Shared>,
    id: i64,
    answer: Receiver<Json>,
}

impl Call {
    pub fn wait(self) -> Result<Json, Error> {
        let message = self.answer.recv().map_err(|_| Error::Lost)?;
        let mut members = match message {
            Json::Object(members) => members,
            _ => HashMap::new(),
        };
        match members.remove("error").filter(|error| !error.is_null()) {
            None => Ok(members
                .remove("result")
                .unwrap_or(Json::Word("null".to_string()))),
            Some(error) => Err(Error::Answer {
                code: error.get("code").and_then(Json::integer).unwrap_or(0),
                message: error
                    .get("message")
                    .and_then(Json::text)
                    .unwrap_or("")
                    .to_string(),
                error,
            }),
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if self.shared.take(self.id).is_some() {
            let id = self.id;
            self.shared.send(&format!(
                r#""method":"$/cancelRequest","params":{{"id":{id}}}"#
            ));
        }
    }
}

fn listen(reader: impl Read, shared: &Shared) {
    // Behind what is no message nothing is to be trusted.
    let messages = BufReader::new(reader)
        .lines()
        .map(|line| Json::parse(&line.ok()?));
    for message in
        messages.map_while(|message| message.filter(|one| matches!(one, Json::Object(_))))
    {
        let id = message.get("id").and_then(Json::integer).unwrap_or(0);
        if let Some(answer) = shared.take(id) {
            let _ = answer.send(message);
        }
    }
    shared.requests.lock().unwrap().open = None;
}
