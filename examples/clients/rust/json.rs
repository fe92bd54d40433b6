//! Reads JSON as far as a client needs it: what members say, by their names.

use std::collections::HashMap;
use std::iter::Peekable;
use std::str::Chars;

const DEPTH_LIMIT: usize = 128;

#[derive(Debug)]
pub enum Json {
    /// A number, true, false or null, as it stands.
    Word(String),
    Text(String),
    #[allow(dead_code)] // No answer of this program's has one that matters.
    Array(Vec<Json>),
    Object(HashMap<String, Json>),
}

impl Json {
    /// Nothing if that is no JSON, or nested too deep.
    pub fn parse(text: &str) -> Option<Json> {
        let mut reader = Reader {
            rest: text.chars().peekable(),
        };
        let value = reader.value(0)?;
        reader.skip_space();
        reader.rest.peek().is_none().then_some(value)
    }

    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.get(name),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn integer(&self) -> Option<i64> {
        match self {
            Json::Word(word) => word.parse().ok(),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Json::Word(word) if word == "null")
    }
}

/// A text as it stands in JSON, with its quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\0'..='\x1f' => out += &format!("\\u{:04x}", letter as u32),
            _ => out.push(letter),
        }
    }
    out + "\""
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn skip_space(&mut self) {
        while self
            .rest
            .next_if(|letter| " \t\r\n".contains(*letter))
            .is_some()
        {}
    }

    /// Whether that is what comes next, which then is taken.
    fn takes(&mut self, letter: char) -> bool {
        self.skip_space();
        self.rest.next_if_eq(&letter).is_some()
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        self.skip_space();
        match self.rest.peek()? {
            _ if depth > DEPTH_LIMIT => None,
            '"' => self.string().map(Json::Text),
            '[' => self.array(depth).map(Json::Array),
            '{' => self.object(depth).map(Json::Object),
            _ => self.word().map(Json::Word),
        }
    }

    fn array(&mut self, depth: usize) -> Option<Vec<Json>> {
        let mut items = Vec::new();
        self.rest.next();
        if self.takes(']') {
            return Some(items);
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.takes(']') {
                return Some(items);
            }
            self.takes(',').then_some(())?;
        }
    }

    fn object(&mut self, depth: usize) -> Option<HashMap<String, Json>> {
        let mut members = HashMap::new();
        self.rest.next();
        if self.takes('}') {
            return Some(members);
        }
        loop {
            self.skip_space();
            let name = self.string()?;
            self.takes(':').then_some(())?;
            members.insert(name, self.value(depth + 1)?);
            if self.takes('}') {
                return Some(members);
            }
            self.takes(',').then_some(())?;
        }
    }

    fn word(&mut self) -> Option<String> {
        let mut word = String::new();
        while let Some(letter) = self
            .rest
            .next_if(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(*letter))
        {
            word.push(letter);
        }
        let known = ["true", "false", "null"].contains(&word.as_str());
        (known
            || word.starts_with(|first: char| first == '-' || first.is_ascii_digit())
                && word.parse::<f64>().is_ok())
        .then_some(word)
    }

    fn string(&mut self) -> Option<String> {
        let mut out = String::new();
        self.rest.next_if_eq(&'"')?;
        loop {
            match self.rest.next()? {
                '"' => return Some(out),
                '\\' => self.escape(&mut out)?,
                '\0'..='\x1f' => return None,
                letter => out.push(letter),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Option<()> {
        out.push(match self.rest.next()? {
            letter @ ('"' | '\\' | '/') => letter,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.units(out),
            _ => return None,
        });
        Some(())
    }

    fn units(&mut self, out: &mut String) -> Option<()> {
        // Escapes are UTF-16, where a letter may take two of them.
        let mut units = vec![self.unit()?];
        let mut ahead = self.rest.clone();
        let is_first_half = (0xD800..0xDC00).contains(&units[0]);
        if is_first_half && ahead.next() == Some('\\') && ahead.next() == Some('u') {
            self.rest = ahead;
            units.push(self.unit()?);
        }
        out.extend(
            char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)),
        );
        Some(())
    }

    fn unit(&mut self) -> Option<u16> {
        (0..4).try_fold(0, |unit, _| {
            Some(unit * 16 + self.rest.next()?.to_digit(16)? as u16)
        })
    }
}
