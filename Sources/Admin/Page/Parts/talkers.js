// Who takes most, where clients say who they are.

const talkerColumns = [
  { rate: "requests" }, { total: "connections" }, { total: "tasks" }, { rate: "superseded" }, { rate: "cancelled" }, { total: "refused" },
];

/** The principals that the gateway tells of, with what they do in a second; those with the most requests first. */
class Talkers {
  constructor() { this.rows = []; }

  /** From statistics, the newest last. */
  show(samples) {
    const principals = samples.at(-1)?.principals ?? [];
    element("talkers").hidden = !principals.length;
    const lines = principals.map(principal => this.line(principal, samples));
    lines.sort((one, other) => (other.rates.requests ?? -1) - (one.rates.requests ?? -1));
    showRows(this.rows, lines, () => this.makeRow(), (row, line) => this.fill(row, line));
  }

  makeRow() {
    const name = make("bdi"), cells = talkerColumns.map(() => make("td")), head = make("th", { scope: "row" }, name);
    const node = make("tr", {}, head, ...cells);
    element("talkersrows").append(node);
    return { node, head, name, cells };
  }

  fill({ head, name, cells }, { principal, rates }) {
    say(name, legible(principal.name));
    setAttribute(head, "title", legible(principal.name));
    talkerColumns.forEach(({ rate, total }, index) => {
      const number = rate ? rates[rate] : principal[total];
      say(cells[index], number === undefined ? "–" : count(number));
    });
  }

  // Rates are of two seconds, or of less for one that was not among those that took most before.
  line(principal, samples) {
    const rates = {}, { t } = samples.at(-1);
    for (const older of samples.slice(-5, -1)) {
      const before = older.principals?.find(({ name }) => name === principal.name), seconds = (t - older.t) / 1000;
      if (!before || seconds <= 0) continue;
      for (const { rate } of talkerColumns) if (rate) rates[rate] = Math.max(0, principal[rate] - before[rate]) / seconds;
      break;
    }
    return { principal, rates };
  }
}

const talkers = new Talkers();
