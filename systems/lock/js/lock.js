// A node of the lock service: `n1` is the server, all others are clients.
//
//     node lock.js n2 n1=127.0.0.1:4001,n2=127.0.0.1:4002
//
// A client asks for the lock a second after it has started, holds it for a second, and asks again. With LOCK_BUG=1 the server grants the lock
// even if somebody holds it.

"use strict";

const net = require("node:net");
const { once } = require("node:events");
const { performance } = require("node:perf_hooks");
const { Event, Gate, parse, stringify } = require("../../../probes/js/kilter-probe.js");

const SERVER = "n1";
const TIMER_MS = 1000;
const ACTIONS = { ask: "HandleAsk", grant: "HandleGrant", release: "HandleRelease" };

/** Sends over one connection a message. If there is none, the receiver is down, and the message is lost. */
async function send(place, line) {
  const socket = net.connect(place);
  try {
    socket.end(stringify(line) + "\n");
    await once(socket, "finish");
  } catch {
    // The receiver is down.
  }
  socket.on("error", () => {}).resume();
}

class Node {
  constructor(name, peers, gate) {
    Object.assign(this, { name, peers, gate });
  }

  async send(type, to) {
    const message = { type, from: this.name, to };
    const clock = this.gate.clock();
    await send(this.peers.get(to), clock ? { message, clock } : message);
    this.gate.sent(to, message);
  }
}

class Server extends Node {
  holder = null;
  waiting = [];

  variables() {
    return { holder: this.holder, waiting: this.waiting };
  }

  wishes() {
    return [];
  }

  async handle({ action, message }) {
    if (action === "HandleAsk") {
      if (this.holder === null || process.env.LOCK_BUG === "1") await this.grant(message.from);
      else this.waiting.push(message.from);
    } else if (action === "HandleRelease") {
      if (this.waiting.length === 0) this.holder = null;
      else await this.grant(this.waiting.shift());
    }
  }

  async grant(client) {
    this.holder = client;
    await this.send("grant", client);
  }
}

class Client extends Node {
  holds = false;
  asked = false;
  due = performance.now() + TIMER_MS; // when it asks, or gives the lock back

  variables() {
    return { holds: this.holds, asked: this.asked };
  }

  wishes() {
    return this.asked ? [] : [new Event(this.holds ? "Release" : "Ask", { due: this.due })];
  }

  async handle({ action }) {
    if (action === "Ask") {
      this.asked = true;
      await this.send("ask", SERVER);
    } else if (action === "HandleGrant") {
      this.holds = true;
      this.asked = false;
      this.due = performance.now() + TIMER_MS;
    } else if (action === "Release") {
      this.holds = false;
      this.due = performance.now() + TIMER_MS;
      await this.send("release", SERVER);
    }
  }
}

/** The event of a message, if somebody handles it, with the vector clock that came along. */
function take(message, clock) {
  return Object.hasOwn(ACTIONS, message.type) ? new Event(ACTIONS[message.type], { message, data: clock }) : null;
}

/** Takes in messages, for ever. */
function receive(gate) {
  return net.createServer((socket) => {
    let text = "";
    socket.setEncoding("utf8").on("error", () => {});
    socket.on("data", (more) => {
      const lines = (text + more).split("\n");
      text = lines.pop();
      const events = lines.map(parse).map((line) => take(line.message ?? line, line.clock));
      for (const event of events) if (event) gate.message(event);
    });
  });
}

function address(text) {
  const colon = text.lastIndexOf(":");
  return { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) };
}

async function main() {
  const [name, everybody] = process.argv.slice(2);
  const peers = new Map(everybody.split(",").map((peer) => peer.split("=")).map(([peer, place]) => [peer, address(place)]));
  const gate = new Gate({ fromDelivery: (_, message) => take(message) });
  await once(receive(gate).listen(peers.get(name)), "listening");
  const node = name === SERVER ? new Server(name, peers, gate) : new Client(name, peers, gate);
  for (let event; (event = await gate.next(node.variables(), node.wishes())) !== null; ) {
    if (event.message) gate.heard(event.data);
    await node.handle(event);
  }
  process.exit(0); // the listener would keep the process alive
}

main();
