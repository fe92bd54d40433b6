// Drives examples/clients/nodejs/lastword.mjs as Tests/Clients/minimal.py says.
//
//     node driver.mjs DIRECTORY HOST PORT
import { readFileSync } from "node:fs";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const [directory, host, port] = process.argv.slice(2);
const { connect, RPCError } = await import(`${pathToFileURL(directory)}/lastword.mjs`);

const outcome = (promise) => promise.then(({ q }) => `result ${q}`, (error) => {
  if (!(error instanceof RPCError)) return "lost";
  return `error ${error.code}${error.isUnwanted ? " unwanted" : ""}${error.mayHaveRun ? " may-have-run" : ""}`;
});

const { LASTWORD_CA: ca, LASTWORD_TOKEN: token } = process.env;
const gateway = connect({ host, port: Number(port), ...(ca && { tls: true, ca: readFileSync(ca) }) });
if (token) {
  await gateway.authenticate(token).catch(({ code, message, cause }) => {
    console.error(`error: ${cause?.message ?? `${code} ${message}`}`);
    process.exit(1);
  });
}
const calls = new Map(), leaving = new Map();
for await (const line of readline.createInterface({ input: process.stdin })) {
  const [command, name, ...rest] = line.split(" ");
  if (command === "ask") {
    const [key, ms, ...q] = rest;
    leaving.set(name, new AbortController());
    const options = { task: { key }, signal: leaving.get(name).signal };
    calls.set(name, outcome(gateway.call("sleep", { ms: Number(ms), q: q.join(" ") }, options)));
  } else if (command === "call") {
    calls.set(name, outcome(gateway.call(...rest)));
  } else if (command === "cancel") {
    leaving.get(name).abort();
  } else {
    console.log(name, await calls.get(name));
  }
}
gateway.close();
