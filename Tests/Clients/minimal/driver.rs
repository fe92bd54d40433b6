//! Drives examples/clients/rust/lastword.rs as Tests/Clients/minimal.py says.

mod json;
mod lastword;

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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let gateway = Gateway::connect((words[1].as_str(), words[2].parse()?))?;
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
