// Reads streams of HTTP requests with the parser of Node.js; what comes and goes is as in h11_reader.py.
const { HTTPParser, methods } = require("node:_http_common");
const lines = require("node:readline").createInterface({ input: process.stdin });

const text = (value) => Buffer.from(value, "latin1").toString("utf8");

function pairs(flat) {
  const fields = [];
  for (let at = 0; at < flat.length; at += 2) fields.push([text(flat[at]).toLowerCase(), text(flat[at + 1])]);
  return fields;
}

function requests(stream) {
  const found = [];
  const parser = new HTTPParser();
  let head, content, early;
  let isLast = false;
  parser.initialize(HTTPParser.REQUEST, {});
  parser[HTTPParser.kOnMessageBegin | 0] = () => {
    [early, content] = [[], []];
  };
  parser[HTTPParser.kOnHeaders | 0] = (fields, target) => {
    early.push(...fields);
    if (target) early.target = target;
  };
  parser[HTTPParser.kOnHeadersComplete | 0] = (major, minor, fields, method, target, status, reason, upgrade, keeps) => {
    const all = early.concat(fields ?? []);
    head = [methods[method] ?? String(method), text(target ?? early.target ?? ""), pairs(all)];
    isLast = !keeps;
    early = [];
    return 0;
  };
  parser[HTTPParser.kOnBody | 0] = (bytes, offset, length) => {
    content.push(offset === undefined ? bytes : bytes.subarray(offset, offset + length));
  };
  parser[HTTPParser.kOnMessageComplete | 0] = () => {
    found.push([...head, Buffer.concat(content).toString("hex")]);
    head.isLast = isLast;
  };
  const outcome = parser.execute(stream);
  // What comes behind the last request is no fault of that.
  if (isLast && found.length && head?.isLast) return [found, "closed"];
  return [found, outcome instanceof Error ? `fault: ${outcome.code} ${outcome.reason}` : "more"];
}

lines.on("line", (line) => console.log(JSON.stringify(requests(Buffer.from(line, "hex")))));
