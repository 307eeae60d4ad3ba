// A small node under a testbed's control: it counts, tells its peers, and takes over a higher count that it hears of.
//
//     node example_node.js --node n1 --listen 127.0.0.1:4001 --peers n1=127.0.0.1:4001,n2=127.0.0.1:4002
//
// It ticks by itself once a second without a testbed, and when told to with one.

"use strict";

const net = require("node:net");
const { once } = require("node:events");
const { performance } = require("node:perf_hooks");
const { parseArgs } = require("node:util");
const { Clock, Event, Gate, parse, stringify } = require("./kilter-probe.js");

const TICK_MS = 1000;
const TICKS_MAX = 3;
const HOUR_MS = 3600 * 1000;

/** The event of a message of a peer, with the vector clock that came along. */
function take(message, clock) {
  return new Event("Take", { message, data: clock });
}

/** The event of something that the testbed asks for. */
function request(action, [arg]) {
  return ["Set", "Keep", "Note", "Work"].includes(action) && arg !== undefined ? new Event(action, { data: arg }) : null;
}

class Node {
  constructor(name, peers, gate, clock) {
    Object.assign(this, { name, peers, gate, clock });
    this.count = 0n; // a BigInt, because a peer may send any
    this.value = null;
    this.jobs = 0;
    this.tickDue = null; // when the timer fires, if it is armed
  }

  variables() {
    const hours = Math.round((this.clock.now() - Date.now()) / HOUR_MS);
    return { count: this.count, value: this.value, jobs: this.jobs, hours };
  }

  /** It ticks up to three; a peer may bring it further. */
  wishes() {
    this.tickDue = this.count < TICKS_MAX ? this.tickDue ?? performance.now() + TICK_MS : null;
    return this.tickDue === null ? [] : [new Event("Tick", { due: this.tickDue })];
  }

  async handle({ action, message, data }) {
    if (action === "Tick") {
      this.count++;
      this.tickDue = null;
      for (const peer of this.peers.keys()) await this.send(peer, { from: this.name, to: peer, count: this.count });
    } else if (action === "Take") {
      this.gate.heard(data);
      if (message.count > this.count) this.count = BigInt(message.count);
    } else if (action === "Job") {
      this.jobs++;
    } else if (action === "Set") {
      this.count = BigInt(data);
    } else if (action === "Keep") {
      this.value = data;
    } else if (action === "Note") {
      this.gate.note(data);
    } else if (action === "Work") {
      await Promise.all(Array.from({ length: data }, (_, number) => this.work(number)));
    }
  }

  /** One of many tasks, which hands the node an event. */
  async work(number) {
    await new Promise(setImmediate);
    this.gate.push(new Event("Job", { args: [number] }));
  }

  /** One connection a message: a peer that was killed and started again can't swallow it. With a trace, the vector clock goes along. */
  async send(peer, message) {
    const clock = this.gate.clock();
    const socket = net.connect(this.peers.get(peer));
    try {
      socket.end(stringify(clock ? { message, clock } : message) + "\n");
      await once(socket, "finish");
    } catch {
      // The peer is down, and messages may be lost.
    }
    socket.on("error", () => {}).resume();
    this.gate.sent(peer, message);
  }
}

/** Takes in messages of peers, for ever. */
function receive(gate) {
  return net.createServer((socket) => {
    let text = "";
    socket.setEncoding("utf8").on("error", () => {});
    socket.on("data", (more) => {
      const lines = (text + more).split("\n");
      text = lines.pop();
      for (const line of lines.map(parse)) gate.message(take(line.message ?? line, line.clock));
    });
  });
}

function address(text) {
  const colon = text.lastIndexOf(":");
  return { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) };
}

async function main() {
  const text = { type: "string" };
  const args = parseArgs({ options: { node: text, listen: text, peers: text } }).values;
  const everybody = args.peers.split(",").map((peer) => peer.split("="));
  const peers = new Map(everybody.filter(([name]) => name !== args.node).map(([name, place]) => [name, address(place)]));
  const clock = new Clock();
  const gate = new Gate({
    fromDelivery: (_, message) => take(message),
    fromRequest: (action, args) => clock.fromRequest(action) ?? request(action, args),
  });
  await once(receive(gate).listen(address(args.listen)), "listening");
  const node = new Node(args.node, peers, gate, clock);
  for (let event; (event = await gate.next(node.variables(), node.wishes())) !== null; ) await node.handle(event);
  process.exit(0); // the listener would keep the process alive
}

main();
