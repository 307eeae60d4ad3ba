// What a JavaScript program under test loads, so that a testbed can hold each of its actions until told to go on.
//
// Everything that makes a node act is an Event. Messages and clients' requests are pushed in by whatever reads the sockets; timers and local
// steps are wishes: the loop says each time what the node can do by itself now. docs/protocol.md says what is on the wire.
//
//     const gate = new Gate();
//     for (let event; (event = await gate.next(node.variables(), node.wishes())) !== null; ) {
//       await node.handle(event);            // gate.sent("n2", message) beside each real send
//     }
//
// Under a testbed, next() reports the last event as done, offers what is new, and waits to be told. Without one (no KILTER_ADDRESS in the
// environment) it is a queue with timers, and writes what the node does to the file KILTER_TRACE, if the environment names one. When the
// testbed goes away, the process ends at once.

"use strict";

const fs = require("node:fs");
const net = require("node:net");
const path = require("node:path");
const { performance } = require("node:perf_hooks");

const VERSION = 1;
const LINE_BYTES_MAX = 16 << 20;
const LOST_EXIT_CODE = 3;
const NESTED_MAX = 256;
const TIMEOUT_MS_MAX = 2 ** 31 - 1; // a longer setTimeout fires at once
const KEPT_MIN = 4; // a sequence that keeps fewer elements is written whole in a trace
const JUMPS = "kilter.clock"; // what the testbed asks for, and the action of the event that the node gets
const JUMP_MS = 3600 * 1000;

/**
 * Something that makes a node act: what the testbed sees of it (action, args, message), and data for the node itself.
 *
 * Of a wish, `due` says when it happens if no testbed is in control: a performance.now(), or undefined for at once.
 */
class Event {
  constructor(action, { args = [], message, data, due } = {}) {
    Object.assign(this, { action, args, message, data, due });
  }

  shown() {
    return { action: this.action, args: this.args, message: this.message };
  }
}

/**
 * The inbox of an event loop, under a testbed's control if there is one.
 *
 * `fromDelivery(sender, message)` makes the event of a message that the testbed gives back after a crash, and
 * `fromRequest(action, args)` that of something that it asks for; each may give nothing for what it does not know.
 */
class Gate {
  constructor({ fromDelivery, fromRequest, environment = process.env } = {}) {
    this.arrivals = []; // [kind, content]
    this.wake = () => {};
    this.fromDelivery = fromDelivery;
    this.fromRequest = fromRequest;
    this.standing = new Map(); // offers that were not answered: number -> [event, is it a wish]
    this.inHand = null; // number of what is being handled, and what to offer again after it
    this.unsaid = [];
    this.unreported = [];
    this.variables = {};
    this.received = 0;
    this.lastId = 0;
    this.fresh = true;
    this.stopping = false; // the testbed has said stop
    this.stopped = false; // and the loop knows
    const { KILTER_ADDRESS: address, KILTER_NODE: node = "", KILTER_TOKEN: token = "", KILTER_TRACE: file } = environment;
    this.controlled = address !== undefined;
    this.trace = !this.controlled && file !== undefined ? new Trace(file, environment.KILTER_NODE) : null;
    if (this.controlled) {
      this.#connect(address);
      this.#say("hello", { version: VERSION, node, token, says_still: true, takes_delivery: fromDelivery !== undefined });
      this.#flush();
    }
  }

  /** A message of another node has arrived; once for each that its sender has reported. */
  message(event) {
    this.#put("message", event);
  }

  /** Something else has come from outside, such as a client's request. */
  push(event) {
    this.#put("event", event);
  }

  /** The event in hand makes this node send a message: to be said beside each real send. */
  sent(to, message) {
    if (this.controlled || this.trace) this.unreported.push({ to, message });
  }

  /**
   * The vector clock to put into a message that is sent now, so that `kilter follow` knows the order of lines; undefined without a trace, so that
   * stringify() leaves the field out.
   */
  clock() {
    return this.trace ? { ...this.trace.time() } : undefined;
  }

  /** The event in hand has brought this vector clock: to be said before anything is sent. */
  heard(clock) {
    this.trace?.heard(clock ?? {});
  }

  /** A line for the run's log. */
  note(text) {
    if (this.controlled) this.#say("note", { text });
  }

  /** The next event to handle; what was handed out before is thereby done. null when the node shall end. */
  async next(variables, wishes = []) {
    if (!this.controlled) return this.#nextByItself(variables, wishes);
    this.variables = variables;
    this.#finish();
    this.#offerWishes(wishes);
    while (!this.stopped) {
      if (this.arrivals.length === 0) {
        this.#say("still", { received: this.received });
        this.#flush();
        await this.#arrival();
      }
      const event = this.#takeIn(...this.arrivals.shift());
      if (event) {
        this.#flush();
        return event;
      }
    }
    return null;
  }

  async #nextByItself(variables, wishes) {
    this.trace?.end(variables, this.unreported);
    this.unreported = [];
    const event = await this.#first(wishes);
    this.trace?.begin(event);
    return event;
  }

  async #first(wishes) {
    await new Promise(setImmediate); // a node that always has something to do would otherwise never hear of the network
    const due = (wish) => wish.due ?? 0;
    const first = wishes.reduce((a, b) => (a && due(a) <= due(b) ? a : b), null);
    for (;;) {
      // A timer that is due comes before arrivals: a busy node would otherwise never see it.
      const left = first ? due(first) - performance.now() : Infinity;
      if (left <= 0) return first;
      if (this.arrivals.length > 0) return this.arrivals.shift()[1];
      await this.#arrival(left);
    }
  }

  /** Waits until something arrives, or some ms at most. */
  async #arrival(most = Infinity) {
    let timer;
    await new Promise((wake) => {
      this.wake = wake;
      if (most !== Infinity) timer = setTimeout(wake, Math.min(Math.ceil(most), TIMEOUT_MS_MAX));
    });
    clearTimeout(timer);
  }

  #put(kind, content) {
    this.arrivals.push([kind, content]);
    this.wake();
  }

  /** Reports the event in hand as done, or the node's first state. */
  #finish() {
    if (this.fresh) {
      this.fresh = false;
      this.#say("report", { variables: this.variables });
    }
    if (this.inHand) {
      const { id, again } = this.inHand;
      this.inHand = null;
      this.#sayDone(id);
      if (again) this.#offer(again, false);
    }
  }

  #sayDone(id, more = {}) {
    this.#say("done", { id, variables: this.variables, sent: this.unreported, ...more });
    this.unreported = [];
  }

  #offer(event, isWish) {
    const id = ++this.lastId;
    this.standing.set(id, [event, isWish]);
    this.#say("offer", { id, ...event.shown() });
  }

  /** Offers the wishes that are new, and withdraws those that are gone. Two are the same if they look the same. */
  #offerWishes(wishes) {
    const wanted = new Map(wishes.map((wish) => [stringify(wish.shown()), wish]));
    for (const [id, [event, isWish]] of this.standing) {
      if (!isWish) continue;
      const look = stringify(event.shown());
      if (wanted.has(look)) {
        this.standing.set(id, [wanted.get(look), true]);
        wanted.delete(look);
      } else {
        this.standing.delete(id);
        this.#say("withdraw", { id });
      }
    }
    for (const wish of wanted.values()) this.#offer(wish, true);
  }

  /** Takes in something that arrived. Gives an event to hand out, if it is time for one. */
  #takeIn(kind, content) {
    switch (kind) {
      case "message":
        this.received++;
        this.#offer(content, false);
        return null;
      case "event":
        this.#offer(content, false);
        return null;
      case "go":
      case "twice":
        return this.#handOut(content.id, kind === "twice");
      case "drop":
        if (this.standing.delete(content.id)) this.#sayDone(content.id);
        return null;
      case "request":
        return this.#takeRequest(content);
      case "deliver": {
        const event = this.fromDelivery?.(content.from, content.message);
        if (event) this.#offer(event, false);
        else this.note(`can't take delivery of ${stringify(content.message)}`);
        return null;
      }
      case "stop":
        this.stopped = true;
    }
    return null;
  }

  #handOut(id, twice) {
    // An answer to an offer that does not stand has crossed a withdrawal.
    const [event, isWish] = this.standing.get(id) ?? [null, false];
    if (!event) return null;
    this.standing.delete(id);
    this.inHand = { id, again: twice && !isWish ? event : null };
    return event;
  }

  #takeRequest({ id, action, args = [] }) {
    const event = this.fromRequest?.(action, args);
    if (event) this.inHand = { id, again: null };
    else this.#sayDone(id, { unknown: true });
    return event;
  }

  #connect(address) {
    try {
      this.socket = net.connect(place(address)).setNoDelay(true);
    } catch (error) {
      lost(`no testbed at ${address}: ${error.message}`);
    }
    const lines = new Lines((line) => this.#hear(line));
    this.socket.on("data", (bytes) => this.stopping || lines.add(bytes));
    this.socket.on("error", (error) => this.stopping || lost(`no testbed at ${address}: ${error.message}`));
    this.socket.on("close", () => this.stopping || lost("the testbed is gone"));
  }

  #hear(line) {
    if (this.stopping) return;
    const [kind, content] = decode(line);
    if (kind !== "welcome") this.#put(kind, content);
    if (kind === "stop") {
      this.stopping = true;
      this.socket.destroy(); // so that nothing of the probe keeps the process alive
    }
  }

  #say(kind, content) {
    this.unsaid.push(stringify({ [kind]: content }) + "\n");
  }

  #flush() {
    if (!this.stopping) this.socket.write(this.unsaid.join(""));
    this.unsaid = [];
  }
}

/** What a node does that nobody controls, written to a file for `kilter follow`: docs/protocol.md, "Traces". */
class Trace {
  constructor(file, node = path.parse(file).name) {
    this.node = node;
    this.known = null; // the variables as the lines before say them
    this.inHand = null;
    this.vector = null; // the vector clock, if the program uses it
    this.file = null;
    this.#try(() => (this.file = fs.openSync(file, "a")));
  }

  /**
   * The vector clock, which is written from now on. Its own part begins with the time of day in microseconds, so that it goes on when the node
   * starts again.
   */
  time() {
    // Without a prototype, so that a node may have any name.
    this.vector ??= Object.assign(Object.create(null), { [this.node]: Date.now() * 1000 });
    return this.vector;
  }

  heard(clock) {
    const own = this.time();
    for (const [node, number] of Object.entries(clock)) if (isNumber(number) && number >= (own[node] ?? 0)) own[node] = number;
  }

  /** An event is about to be handed out. */
  begin({ action, args, message }) {
    // As text, because the node may change its own.
    const text = (value) => (value === undefined ? undefined : new Verbatim(stringify(value)));
    const about = { args: args.length > 0 ? text(args) : undefined, message: text(message) };
    this.inHand = { action, about };
    if (this.vector) this.vector[this.node]++;
    this.#write("kilter.begin", { of: action, ...about });
  }

  /** The event in hand is over, if there is one. The node now holds these variables. */
  end(variables, sent) {
    const held = new Map(Object.entries(variables).map(([name, value]) => [name, parts(value)]));
    if (this.known === null) {
      this.#write("kilter.start", { state: variables });
    } else if (this.inHand) {
      const state = {};
      for (const [name, value] of Object.entries(variables)) state[name] = change(this.known.get(name), held.get(name), value);
      this.#write(this.inHand.action, { ...this.inHand.about, delta: true, state, sent, clock: this.vector ?? undefined });
    }
    this.known = held;
  }

  #write(event, line) {
    if (this.file !== null) this.#try(() => fs.writeSync(this.file, stringify({ event, node: this.node, ...line }) + "\n"));
  }

  #try(action) {
    try {
      action();
    } catch (error) {
      this.file = null; // a trace with a gap would be a wrong one
      complain(`the trace can't be written: ${error.message}`);
    }
  }
}

/** A value as text, of a sequence as many texts: it does not change with the value. */
function parts(value) {
  return Array.isArray(value) ? value.map((element) => stringify(element) ?? "null") : stringify(value);
}

/** The new value of a variable, undefined if it is the old one, or the end of a sequence that has only changed there. */
function change(old, now, value) {
  if (!Array.isArray(old) || !Array.isArray(now)) return old === now ? undefined : value;
  const differs = now.findIndex((element, i) => element !== old[i]);
  const kept = differs < 0 ? now.length : differs;
  if (kept === now.length && kept === old.length) return undefined;
  return kept < KEPT_MIN ? value : { "@keep": kept, "@then": value.slice(kept) };
}

/** The time, by a clock that a testbed can make jump: for nodes that are tested with `fault = "clock"`. */
class Clock {
  constructor() {
    this.ahead = 0;
  }

  /** The time in ms since 1970. */
  now() {
    return Date.now() + this.ahead;
  }

  /** Jumps if the testbed asks for it, and gives the event of that, which the node may ignore. null for other requests. */
  fromRequest(action) {
    if (action !== JUMPS) return null;
    this.ahead += JUMP_MS;
    return new Event(JUMPS);
  }
}

/** Says what is wrong on standard error, at once. */
function complain(text) {
  fs.writeSync(2, `kilter-probe: ${text}\n`);
}

/** Ends the process at once: nobody is left to control it. */
function lost(reason) {
  try {
    complain(reason);
  } finally {
    process.exit(LOST_EXIT_CODE);
  }
}

/** Where net.connect finds the testbed. */
function place(address) {
  const unix = /^unix:(.+)$/s.exec(address);
  if (unix) return { path: unix[1] };
  const tcp = /^tcp:\[?(.+?)\]?:(\d+)$/.exec(address);
  if (tcp) return { host: tcp[1], port: Number(tcp[2]) };
  throw new Error("it should be unix:PATH or tcp:127.0.0.1:PORT");
}

/** Cuts bytes into lines. */
class Lines {
  constructor(hear) {
    this.hear = hear;
    this.pieces = [];
    this.length = 0;
  }

  add(bytes) {
    for (let end; (end = bytes.indexOf(10)) >= 0; bytes = bytes.subarray(end + 1)) {
      this.keep(bytes.subarray(0, end));
      const line = Buffer.concat(this.pieces);
      this.pieces = [];
      this.length = 0;
      this.hear(line);
    }
    this.keep(bytes);
  }

  keep(bytes) {
    this.pieces.push(bytes);
    this.length += bytes.length;
    if (this.length >= LINE_BYTES_MAX) lost(`a line of more than ${LINE_BYTES_MAX} bytes`);
  }
}

const isNumber = (value) => (typeof value === "bigint" ? value >= 0n && value < 2n ** 64n : Number.isSafeInteger(value) && value >= 0);
const isText = (value) => typeof value === "string";
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Verbatim);

// What a testbed says, with the fields of each.
const SAYINGS = {
  welcome: { version: isNumber },
  go: { id: isNumber },
  drop: { id: isNumber },
  twice: { id: isNumber },
  request: { id: isNumber, action: isText, args: (value) => value === undefined || Array.isArray(value) },
  deliver: { from: isText, message: (value) => value !== undefined },
  stop: {},
};

/** The kind and the content of a line. Ends the process if the line is not of this protocol. */
function decode(line) {
  try {
    const said = parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line));
    const [kind, ...others] = isObject(said) ? Object.keys(said) : [];
    const content = said[kind];
    const fields = Object.hasOwn(SAYINGS, kind) ? SAYINGS[kind] : null;
    if (others.length > 0 || fields === null || !isObject(content)) throw new SyntaxError("no such message");
    for (const name of Object.keys(content)) if (!Object.hasOwn(fields, name)) throw new SyntaxError(`no field ${name} in ${kind}`);
    for (const name of Object.keys(fields)) if (!fields[name](content[name])) throw new SyntaxError(`wrong ${name} in ${kind}`);
    return [kind, content];
  } catch (error) {
    return lost(`not a message of the protocol: ${error.message}: ${line.subarray(0, 80)}`);
  }
}

/** A number that JavaScript would not write as it was, such as 1.0 or 1e3. It is written again as it was read. */
class Verbatim {
  constructor(text) {
    this.text = text;
  }

  valueOf() {
    return Number(this.text);
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS = { t: ["true", true], f: ["false", false], n: ["null", null] };

function number(text) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && String(value) === text) return value;
  if (/^-?\d+$/.test(text) && text !== "-0") return BigInt(text);
  return String(value) === text ? value : new Verbatim(text);
}

/**
 * Reads JSON so that stringify() gives it back unchanged. Unlike JSON.parse, it makes a BigInt of an integer beyond 2^53, and a Verbatim of a
 * number that JavaScript would write otherwise. Throws a SyntaxError for what is not JSON, and for half of a surrogate pair.
 */
function parse(text) {
  let at = 0;

  function fail() {
    throw new SyntaxError(`not JSON at ${at}: ${text.slice(at, at + 40)}`);
  }

  function skipSpace() {
    while (at < text.length && " \t\n\r".includes(text[at])) at++;
  }

  function skip(character) {
    if (text[at] !== character) fail();
    at++;
    skipSpace();
  }

  /** JSON.parse knows escapes; this only finds the end: a quote after an even number of backslashes. */
  function string() {
    if (text[at] !== '"') fail();
    for (let end = at + 1; (end = text.indexOf('"', end)) >= 0; end++) {
      let escapes = end;
      while (text[escapes - 1] === "\\") escapes--;
      if ((end - escapes) % 2 === 1) continue;
      const token = text.slice(at, end + 1);
      const value = JSON.parse(token);
      if (token.includes("\\u") && /\p{Surrogate}/u.test(value)) fail();
      at = end + 1;
      return value;
    }
    return fail();
  }

  /** What is between two brackets. */
  function list(open, close, depth, item) {
    if (depth === NESTED_MAX) fail();
    skip(open);
    while (text[at] !== close) {
      item();
      skipSpace();
      if (text[at] === close) break;
      skip(",");
      if (text[at] === close) fail();
    }
    at++;
  }

  function array(depth) {
    const items = [];
    list("[", "]", depth, () => items.push(value(depth + 1)));
    return items;
  }

  function object(depth) {
    const fields = {};
    list("{", "}", depth, () => {
      const name = string();
      skipSpace();
      skip(":");
      const content = value(depth + 1);
      // A plain assignment would set the prototype.
      if (name === "__proto__") Object.defineProperty(fields, name, { value: content, enumerable: true, configurable: true, writable: true });
      else fields[name] = content;
    });
    return fields;
  }

  function value(depth) {
    const first = text[at];
    if (first === "{") return object(depth);
    if (first === "[") return array(depth);
    if (first === '"') return string();
    const [word, meaning] = WORDS[first] ?? [];
    if (word !== undefined && text.startsWith(word, at)) {
      at += word.length;
      return meaning;
    }
    NUMBER.lastIndex = at;
    const [token] = NUMBER.exec(text) ?? fail();
    at += token.length;
    return number(token);
  }

  skipSpace();
  const whole = value(0);
  skipSpace();
  if (at < text.length) fail();
  return whole;
}

/** Writes JSON, as JSON.stringify does, and also BigInts, and numbers as parse() has read them. */
function stringify(value) {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (value instanceof Verbatim) return value.text;
  if (typeof value.toJSON === "function") return stringify(value.toJSON());
  if (Array.isArray(value)) return `[${value.map((item) => stringify(item) ?? "null").join(",")}]`;
  const fields = Object.keys(value).map((name) => [name, stringify(value[name])]);
  return `{${fields.filter(([, text]) => text !== undefined).map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

module.exports = { Clock, Event, Gate, Verbatim, parse, stringify };
