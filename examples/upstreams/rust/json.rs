//! Finds in JSON what a handler looks for, and leaves all of it as it is written.

const DEPTH_LIMIT: usize = 128;

/// A value, as it is written.
#[derive(Clone)]
pub struct Json(String);

impl Json {
    /// Nothing if that is no JSON, or nested too deep.
    pub fn parse(text: &str) -> Option<Json> {
        let mut scanner = Scanner { text, place: 0 };
        let value = scanner.value(0)?;
        scanner.skip_space();
        (scanner.place == text.len()).then(|| Json(value.to_string()))
    }

    pub fn raw(&self) -> &str {
        &self.0
    }

    /// Whether it begins with one of these: `{` an object, `[` an array, `"` a text, `n` null.
    pub fn begins_with(&self, letters: &str) -> bool {
        self.0.starts_with(|letter| letters.contains(letter))
    }

    /// The member of that name, the last one where there are several.
    pub fn get(&self, name: &str) -> Option<Json> {
        let mut found = None;
        let mut scanner = Scanner {
            text: &self.0,
            place: 0,
        };
        scanner.object(0, &mut |member, value| {
            if unescaped(member) == name {
                found = Some(Json(value.to_string()));
            }
        })?;
        found
    }

    pub fn text(&self) -> Option<String> {
        self.begins_with("\"").then(|| unescaped(&self.0))
    }

    pub fn integer(&self) -> Option<i64> {
        self.0.parse().ok()
    }
}

/// What a text says, that is written with quotes and escapes. Escapes are UTF-16: a letter may take two.
fn unescaped(raw: &str) -> String {
    let mut units = Vec::new();
    let mut letters = raw[1..raw.len() - 1].chars();
    while let Some(letter) = letters.next() {
        let escape = if letter == '\\' { letters.next() } else { None };
        match escape {
            None => units.extend_from_slice(letter.encode_utf16(&mut [0; 2])),
            Some('u') => {
                let digits: String = letters.by_ref().take(4).collect();
                units.extend(u16::from_str_radix(&digits, 16));
            }
            Some(letter) => units.push(match letter {
                'b' => 8,
                't' => 9,
                'n' => 10,
                'f' => 12,
                'r' => 13,
                itself => itself as u16,
            }),
        }
    }
    String::from_utf16_lossy(&units)
}

/// Where in a text it is; what it steps over is nothing where the text is wrong.
struct Scanner<'a> {
    text: &'a str,
    place: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.place).copied()
    }

    /// Steps over as many of these as there are, and says how many.
    fn skip(&mut self, matches: impl Fn(u8) -> bool) -> usize {
        let start = self.place;
        while self.peek().map_or(false, &matches) {
            self.place += 1;
        }
        self.place - start
    }

    fn skip_space(&mut self) {
        self.skip(|byte| b" \t\r\n".contains(&byte));
    }

    /// Whether that is what comes next, which then is stepped over.
    fn takes(&mut self, word: &str) -> bool {
        let is_next = self.text.as_bytes()[self.place..].starts_with(word.as_bytes());
        if is_next {
            self.place += word.len();
        }
        is_next
    }

    fn value(&mut self, depth: usize) -> Option<&'a str> {
        self.skip_space();
        let start = self.place;
        match self.peek()? {
            _ if depth > DEPTH_LIMIT => return None,
            b'"' => drop(self.string()?),
            b'[' => self.array(depth)?,
            b'{' => self.object(depth, &mut |_, _| {})?,
            b'-' | b'0'..=b'9' => self.number()?,
            _ => (self.takes("true") || self.takes("false") || self.takes("null")).then_some(())?,
        }
        Some(&self.text[start..self.place])
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        self.sequence("[", "]", |scanner| scanner.value(depth + 1).map(drop))
    }

    fn object(&mut self, depth: usize, found: &mut dyn FnMut(&'a str, &'a str)) -> Option<()> {
        self.sequence("{", "}", |scanner| {
            scanner.skip_space();
            let name = scanner.string()?;
            scanner.skip_space();
            scanner.takes(":").then_some(())?;
            found(name, scanner.value(depth + 1)?);
            Some(())
        })
    }

    /// Items with commas between them; no comma behind the last.
    fn sequence(
        &mut self,
        first: &str,
        last: &str,
        mut item: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.takes(first).then_some(())?;
        self.skip_space();
        if self.takes(last) {
            return Some(());
        }
        loop {
            item(self)?;
            self.skip_space();
            if self.takes(last) {
                return Some(());
            }
            self.takes(",").then_some(())?;
        }
    }

    fn number(&mut self) -> Option<()> {
        self.takes("-");
        if !self.takes("0") {
            self.digits()?;
        }
        if self.takes(".") {
            self.digits()?;
        }
        if self.takes("e") || self.takes("E") {
            let _has_sign = self.takes("+") || self.takes("-");
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        (self.skip(|byte| byte.is_ascii_digit()) > 0).then_some(())
    }

    /// With its quotes.
    fn string(&mut self) -> Option<&'a str> {
        let start = self.place;
        self.takes("\"").then_some(())?;
        loop {
            self.skip(|byte| byte >= b' ' && byte != b'"' && byte != b'\\');
            let byte = self.peek()?;
            self.place += 1;
            match byte {
                b'"' => return Some(&self.text[start..self.place]),
                b'\\' => self.escape()?,
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        let letter = self.peek()?;
        self.place += 1;
        if letter != b'u' {
            return b"\"\\/bfnrt".contains(&letter).then_some(());
        }
        let digits = self.text.as_bytes().get(self.place..self.place + 4)?;
        self.place += 4;
        digits.iter().all(u8::is_ascii_hexdigit).then_some(())
    }
}
