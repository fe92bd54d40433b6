// What a page can try at a server that is not its own. Each attempt says what the page could read: null, if nothing.
// Each carries a batch: a request whose method says which attempt it is, and one that takes back somebody else's work.
const message = (name) => JSON.stringify([
  { jsonrpc: "2.0", id: 1, method: `stolen.${name}`, params: { q: name } },
  { jsonrpc: "2.0", id: 2, method: "lastword.cancel", params: { key: "honest" } },
]);

const happens = (target, ...names) => new Promise((resolve) => {
  for (const name of names) target.addEventListener(name, (event) => resolve(event), { once: true });
});

const read = (answer) => answer.then((response) => response.text()).then((text) => text || null, () => null);

const post = (url, body, options = {}) => read(fetch(url, { method: "POST", body, ...options }));

const asked = (url, name) => `${url}/?${encodeURIComponent(message(name))}`;

/** An element that loads something from there. */
async function element(tag, members, place = document.body) {
  const node = Object.assign(document.createElement(tag), members);
  const event = happens(node, "load", "error");
  place.append(node);
  const { type } = await event;
  node.remove();
  return tag !== "link" && tag !== "script" && tag !== "img" ? null : type === "load" ? "it was loaded" : null;
}

let frames = 0;

/** A form whose answer goes into a frame. */
async function form(url, enctype, value) {
  const name = `frame-${frames += 1}`;
  const frame = Object.assign(document.createElement("iframe"), { name });
  document.body.append(frame);
  const node = Object.assign(document.createElement("form"), { method: "POST", action: url, target: name, enctype });
  // As text/plain a field is NAME=VALUE: the message is cut where there may be an `=`.
  const [before, behind] = [value.slice(0, -2), value.slice(-2)];
  const text = enctype === "text/plain" ? [`${before},"pad":"`, `"${behind}`] : ["message", value];
  node.append(Object.assign(document.createElement("input"), { type: "hidden", name: text[0], value: text[1] }));
  document.body.append(node);
  const loaded = happens(frame, "load");
  node.submit();
  await loaded;
  let found = null;
  try {
    found = frame.contentDocument?.body.innerText || null;
  } catch { /* It is another origin's. */ }
  node.remove();
  frame.remove();
  return found;
}

function socket(url, name, protocols) {
  return new Promise((resolve) => {
    const it = new WebSocket(url.replace(/^http/, "ws"), protocols);
    it.addEventListener("open", () => it.send(message(name)));
    it.addEventListener("message", ({ data }) => { resolve(data); it.close(); });
    it.addEventListener("close", () => resolve(null));
  });
}

function events(url, name) {
  return new Promise((resolve) => {
    const source = new EventSource(asked(url, name));
    const end = (value) => { source.close(); resolve(value); };
    source.onopen = () => end("it was opened");
    source.onerror = () => end(null);
  });
}

/** A document without an origin, which says what it read. */
async function sandbox(url, name) {
  const heard = happens(window, "message");
  const text = `fetch(${JSON.stringify(url)}, { method: "POST", body: ${JSON.stringify(message(name))} })
    .then((response) => response.text()).catch(() => null).then((text) => parent.postMessage(text, "*"))`;
  const members = { sandbox: "allow-scripts", srcdoc: `<script>${text}</script>` };
  const frame = Object.assign(document.createElement("iframe"), members);
  document.body.append(frame);
  const { data } = await heard;
  frame.remove();
  return data;
}

/** It has no answer; what is asked behind it waits for an answer. */
function beacon(url, body) {
  navigator.sendBeacon(url, body);
  return null;
}

const typed = (type) => ({ headers: { "Content-Type": type } });
const multipart = (name) => {
  const data = new FormData();
  data.append("message", message(name));
  return data;
};

export const attacks = {
  json: (url, name) => post(url, message(name), typed("application/json")),
  jsonWithParameter: (url, name) => post(url, message(name), typed("text/plain; application/json")),
  text: (url, name) => post(url, message(name)),
  urlencoded: (url, name) => post(url, message(name), typed("application/x-www-form-urlencoded")),
  multipart: (url, name) => post(url, multipart(name)),
  untyped: (url, name) => post(url, new Blob([message(name)])),
  keepalive: (url, name) => post(url, message(name), { keepalive: true, credentials: "include" }),
  opaque: (url, name) => post(url, message(name), { mode: "no-cors" }),
  opaqueUntyped: (url, name) => post(
    url, new Blob([message(name)]), { mode: "no-cors", referrerPolicy: "no-referrer" }),
  redirected: (url, name) => post(`/redirect?${encodeURIComponent(url)}`, message(name)),
  redirectedOpaque: (url, name) => post(`/redirect?${encodeURIComponent(url)}`, message(name), { mode: "no-cors" }),
  sandbox,
  beacon: (url, name) => beacon(url, message(name)),
  beaconForm: (url, name) => beacon(url, multipart(name)),
  beaconUntyped: (url, name) => beacon(url, new Blob([message(name)])),
  beaconJSON: (url, name) => beacon(url, new Blob([message(name)], { type: "application/json" })),
  formText: (url, name) => form(url, "text/plain", message(name)),
  formURLEncoded: (url, name) => form(url, "application/x-www-form-urlencoded", message(name)),
  formMultipart: (url, name) => form(url, "multipart/form-data", message(name)),
  get: (url, name) => read(fetch(asked(url, name))),
  getOpaque: (url, name) => read(fetch(asked(url, name), { mode: "no-cors" })),
  image: (url, name) => element("img", { src: asked(url, name) }),
  script: (url, name) => element("script", { src: asked(url, name) }),
  style: (url, name) => element("link", { rel: "stylesheet", href: asked(url, name) }),
  frame: (url, name) => element("iframe", { src: asked(url, name) }),
  events,
  socket: (url, name) => socket(asked(url, name), name),
  socketWithProtocol: (url, name) => socket(asked(url, name), name, ["lastword.1"]),
};

/** What the page could read by each attempt. */
export async function attack(url) {
  const found = {};
  for (const [name, attempt] of Object.entries(attacks)) found[name] = await attempt(url, name);
  return found;
}
