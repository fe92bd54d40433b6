//! Drives examples/clients/rust/lastword.rs as Tests/Clients/minimal.py says.

mod json;
mod lastword;
#[cfg(feature = "tls")]
mod secure;

use json::{quoted, Json};
use lastword::{Call, Error, Gateway};
use std::collections::HashMap;
use std::io;

fn outcome(call: Call) -> String {
    match call.wait() {
        Ok(result) => format!(
            "result {}",
            result.get("q").and_then(Json::text).unwrap_or("")
        ),
        Err(Error::Lost) => "lost".to_string(),
        Err(error) => {
            let code = match &error {
                Error::Answer { code, .. } => *code,
                Error::Lost => 0,
            };
            let unwanted = if error.is_unwanted() { " unwanted" } else { "" };
            let ran = if error.may_have_run() {
                " may-have-run"
            } else {
                ""
            };
            format!("error {code}{unwanted}{ran}")
        }
    }
}

fn connect(host: &str, port: u16) -> Result<Gateway, Box<dyn std::error::Error>> {
    #[cfg(feature = "tls")]
    if let Some(ca) = std::env::var_os("LASTWORD_CA") {
        let stream = std::net::TcpStream::connect((host, port))?;
        let (reader, writer, stream) = secure::over(stream, host, Some(ca.as_ref()))?;
        return Ok(Gateway::over(reader, writer, stream));
    }
    Ok(Gateway::connect((host, port))?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let gateway = connect(&words[1], words[2].parse()?)?;
    match std::env::var("LASTWORD_TOKEN") {
        Ok(token) if !token.is_empty() => gateway.authenticate(&token)?,
        _ => {}
    }
    let mut calls = HashMap::new();
    for line in io::stdin().lines() {
        let line = line?;
        let words: Vec<&str> = line.splitn(5, ' ').collect();
        let name = words[1].to_string();
        match words[0] {
            "ask" => {
                let params = format!(r#"{{"ms":{},"q":{}}}"#, words[3], quoted(words[4]));
                let task = format!(r#"{{"key":{}}}"#, quoted(words[2]));
                calls.insert(name, gateway.call("sleep", &params, &task));
            }
            "call" => {
                calls.insert(name, gateway.call(words[2], "", ""));
            }
            "cancel" => drop(calls.remove(&name)),
            _ => {
                let outcome = outcome(calls.remove(&name).ok_or("no such call")?);
                println!("{name} {outcome}");
            }
        }
    }
    Ok(())
}
