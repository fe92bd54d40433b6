// How the page asks its gateway, with a token where that wants one, and how it reads the stream of events.

/** The token stays in this tab: neither in an address nor in a cookie. */
const access = {
  name: "lastword-token", typed: "",

  get token() { try { return sessionStorage.getItem(this.name) ?? this.typed; } catch { return this.typed; } },
  set token(text) {
    this.typed = text;
    try { sessionStorage.setItem(this.name, text); } catch { /* then it is typed again after a reload */ }
  },

  /** Asks for one, and goes on with it. */
  want(goOn) {
    const dialog = element("access"), field = element("token");
    say(element("accesssaid"), this.token ? "The gateway does not know this token." : "");
    this.goOn = goOn;
    field.value = "";
    if (!dialog.open) dialog.showModal();
    field.focus();
  },

  take(event) {
    event.preventDefault();
    const text = element("token").value.trim();
    if (!/^[\x21-\x7e]+$/.test(text)) { say(element("accesssaid"), "A token has visible ASCII characters only."); return; }
    this.token = text;
    element("token").value = "";
    element("access").close();
    this.goOn?.();
  },
};

function ask(path, options = {}) {
  const headers = access.token ? { Authorization: `Bearer ${access.token}` } : {};
  return fetch(path, { ...options, headers, credentials: "omit", cache: "no-store" });
}

/** What a browser's EventSource does, which cannot be given a token. */
class EventReader {
  constructor(hear) { this.hear = hear; this.rest = ""; this.begin(); }

  begin() { this.type = "message"; this.data = []; }

  take(text) {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop();
    if (this.rest.length > limits.eventCharacters) throw new Error("an event is too long");
    for (const line of lines) this.takeLine(line);
  }

  takeLine(line) {
    if (line.startsWith("data: ")) this.data.push(line.slice(6));
    else if (line.startsWith("event: ")) this.type = line.slice(7);
    else if (line === "") {
      const { type, data } = this;
      this.begin();
      if (data.length) this.hear(type, data.join("\n"));
    }
  }
}
