// The members of a fleet, where the gateway is one of them.

/** Who has how many of the keys' partitions, and what stands between this member and the others. */
class Fleet {
  constructor() { this.rows = []; }

  show(status) {
    element("fleet").hidden = false;
    say(element("fleetname"), `Fleet ${legible(status.fleet)}`);
    say(element("fleetsaid"), [
      status.notReady ? legible(status.notReady) : `this one is ${status.standing}`,
      `${status.linksUp} of ${status.links} connections to others`,
      `${count(status.asking)} from others' loops`,
      status.differing ? `${count(status.differing)} of those had another configuration` : "",
      `${count(status.forwarded)} requests passed on`,
      `highest epoch ${count(status.epoch)}`,
      `${count(status.parkedRequests)} requests wait for a member`,
      status.unowned ? `nobody has ${status.unowned} partitions` : "",
      status.declaredDead ? `declared dead ${status.declaredDead} times` : "",
    ].filter(part => part).join(" · "));
    setAttribute(element("fleetsaid"), "class", status.notReady ? "broken" : "muted");
    showRows(this.rows, status.members, () => this.makeRow(), (row, member) => this.fill(row, member));
  }

  makeRow() {
    const cells = [make("td"), make("td"), make("td")], name = make("th", { scope: "row" });
    const node = make("tr", {}, name, ...cells);
    element("fleetrows").append(node);
    return { node, name, cells };
  }

  fill({ name, cells }, member) {
    say(name, member.member.slice(0, 8));
    setAttribute(name, "title", member.member);
    say(cells[0], legible(member.address));
    say(cells[1], count(member.partitions));
    say(cells[2], [member.self ? "this one" : "", member.leaving ? "leaving" : ""].filter(word => word).join(", "));
  }
}

const fleet = new Fleet();
