// Draws the path of a finding as swim lanes, with the state beside it. Values are text and stay text: nothing here is parsed as HTML.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const ROW = 46, HALF = ROW / 2, LANE = 104, LABEL = 14;
  const ENVIRONMENT = "\u0000environment";

  const element = (space) => (tag, attributes, ...children) => {
    const made = space ? document.createElementNS(space, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== undefined && child !== null));
    return made;
  };
  const html = element(null);
  const svg = element("http://www.w3.org/2000/svg");

  // What a message is called in few words: its type if it has one.
  const brief = (text) => {
    const type = /\b\w*type \|-> "?([A-Za-z]\w*)/.exec(text);
    const name = type ? type[1] : text;
    return name.length > 24 ? name.slice(0, 23) + "…" : name;
  };

  // A long value with one element a line; strings are left alone.
  const pretty = (text) => {
    if (text.length <= 56 || text.includes("\n")) return text;
    const pieces = text.match(/"(?:[^"\\]|\\.)*"|<<|>>|@@|[[\](){},]|[^"[\](){},<>@]+|./gs) || [];
    const opens = new Set(["<<", "[", "(", "{"]), closes = new Set([">>", "]", ")", "}"]);
    const sizes = pieces.map(() => 0), stack = [];
    pieces.forEach((piece, index) => {
      if (opens.has(piece)) stack.push(index);
      if (closes.has(piece) && stack.length) {
        const from = stack.pop();
        sizes[from] = pieces.slice(from, index + 1).join("").length;
      }
    });
    let out = "";
    const wide = [];
    const line = () => { out = out.trimEnd() + "\n" + "  ".repeat(wide.filter(Boolean).length); };
    pieces.forEach((piece, index) => {
      if (opens.has(piece)) {
        wide.push(sizes[index] > 56);
        out += piece;
        if (wide[wide.length - 1]) line();
      } else if (closes.has(piece)) {
        if (wide.pop()) line();
        out += piece;
      } else if (piece === "," && wide[wide.length - 1]) {
        out += piece; line();
      } else if (piece === "@@" && wide[wide.length - 1]) {
        line(); out += piece;
      } else {
        out += out.endsWith(" ") || out.endsWith("\n") ? piece.trimStart() : piece;
      }
    });
    return out;
  };

  const laneOf = (step) => step.node ?? (step.messages.length ? step.messages[0].to : ENVIRONMENT);

  // What the specification says about messages, where something else happened.
  const expectedOf = (step) => step.expected || [];

  const lanesOf = (finding) => {
    const lanes = [...data.nodes];
    const add = (name) => { if (name !== null && name !== undefined && !lanes.includes(name)) lanes.push(name); };
    for (const step of finding.path) {
      for (const message of [...step.messages, ...expectedOf(step)]) { add(message.from); add(message.to); }
      add(laneOf(step));
    }
    return lanes;
  };

  // The way of each message: from the row where it was sent to the row where it ended.
  const flightsOf = (finding) => {
    const flights = [];
    const take = (message) => flights.find((flight) => flight.end === null && !flight.expected && flight.to === message.to
      && flight.text === message.text && (message.from === null || flight.from === null || flight.from === message.from));
    finding.path.forEach((step, index) => {
      const row = index + 1;
      for (const message of step.messages) {
        if (message.fate === "sent") {
          flights.push({ ...message, begin: row, end: null });
        } else if (message.fate === "duplicated") {
          const same = take(message);
          flights.push({ ...message, begin: same ? same.begin : row, end: null, copied: row });
        } else {
          let flight = take(message);
          if (!flight) { flight = { ...message, begin: row - 0.6, end: null }; flights.push(flight); }
          Object.assign(flight, { end: row, fate: message.fate, unexpected: flight.unexpected || message.unexpected });
        }
      }
      for (const message of expectedOf(step)) {
        if (message.fate === "sent") flights.push({ ...message, begin: row, end: null, expected: true });
      }
    });
    return flights;
  };

  const statesOf = (finding) => {
    const states = [new Map(finding.initial)];
    for (const step of finding.path) {
      const state = new Map(states[states.length - 1]);
      for (const [name, value] of step.changes) state.set(name, value);
      states.push(state);
    }
    return states;
  };

  const argsOf = (step) => step.args.map(([name, value]) => name + " = " + brief(value)).join(", ");

  const failedKind = (finding, row) => (finding.step !== null && row === Math.min(finding.step, finding.path.length) ? "failed" : "");

  const drawLanes = (finding, lanes, flights, choose) => {
    const rows = finding.path.length + 1;
    const flying = flights.some((flight) => flight.end === null);
    const width = lanes.length * LANE, height = (rows + 1) * ROW + (flying ? ROW : 0);
    const x = (name) => lanes.indexOf(name) * LANE + LANE / 2;
    const y = (row) => ROW + row * ROW + HALF;
    const parts = { rows: [], dots: [], arrows: [] };
    const picture = svg("svg", { class: "lanes", width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": `Steps and messages of ${lanes.length} lanes; the list of steps says the same in words` });
    for (let row = 0; row < rows; row++) {
      const back = svg("rect", { class: "row " + failedKind(finding, row), x: 0, y: y(row) - HALF, width, height: ROW });
      back.addEventListener("click", () => choose(row, false));
      parts.rows.push(back);
      picture.append(back);
    }
    for (const name of lanes) {
      const title = name === ENVIRONMENT ? "environment" : name;
      picture.append(svg("line", { class: "lane", x1: x(name), x2: x(name), y1: ROW - 6, y2: height - 6 }),
        svg("text", { class: "title", x: x(name), y: HALF + 5, "text-anchor": "middle" }, title.length > 14 ? title.slice(0, 13) + "…" : title,
          svg("title", {}, title)));
    }
    for (const flight of flights) drawFlight(picture, parts, flight, rows, x, y);
    finding.path.forEach((step, index) => {
      const missing = finding.kind === "missing-action" && failedKind(finding, index + 1) ? " missing" : "";
      const dot = svg("circle", { class: "dot " + failedKind(finding, index + 1) + missing, cx: x(laneOf(step)), cy: y(index + 1), r: step.node === null ? 4 : 7 });
      parts.dots.push({ dot, row: index + 1 });
      picture.append(dot);
    });
    return { picture, parts };
  };

  const drawFlight = (picture, parts, flight, rows, x, y) => {
    const known = flight.from !== null && flight.from !== flight.to;
    const x1 = known ? x(flight.from) : x(flight.to) - 34;
    // What was expected stands beside what was sent.
    const y1 = y(flight.begin) + (flight.expected ? 12 : 0);
    const end = flight.end === null ? rows - 0.25 : flight.end;
    const toward = Math.sign(x(flight.to) - x1) || 1;
    const x2 = x(flight.to) - toward * (flight.end === null ? 16 : 9), y2 = y(end);
    const fate = flight.expected ? "expected" : flight.end === null ? "flying" : flight.fate;
    const line = svg("path", { class: "arrow " + fate + (flight.unexpected ? " unexpected" : ""), d: `M ${x1} ${y1} L ${x2} ${y2}` });
    const marks = [line];
    if (fate === "dropped") {
      marks.push(svg("path", { class: "cross", d: `M ${x2 - 5} ${y2 - 5} l 10 10 m 0 -10 l -10 10` }));
    } else {
      const angle = Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI;
      marks.push(svg("path", { class: "tip " + fate + (flight.unexpected ? " unexpected" : ""), d: "M 0 0 l -9 -4.5 v 9 z", transform: `translate(${x2} ${y2}) rotate(${angle})` }));
    }
    const label = svg("text", { class: "label", "text-anchor": "middle", visibility: "hidden" },
      (flight.copied ? "copy of " : flight.expected ? "expected: " : "") + brief(flight.text));
    parts.arrows.push({ marks, label, way: [x1, y1, x2, y2], begin: Math.ceil(flight.begin), end: flight.end, copied: flight.copied });
    picture.append(...marks, label);
  };

  // Puts each label on its arrow, in the middle if there is room, so that none covers another.
  const placeLabels = (arrows) => {
    const taken = [];
    for (const { label, way: [x1, y1, x2, y2] } of arrows) {
      const half = label.getComputedTextLength() / 2 + 2;
      const isFree = ([x, y]) => taken.every((other) => Math.abs(x - other.x) >= half + other.half || Math.abs(y - other.y) >= LABEL);
      const along = [0.5, 0.35, 0.65, 0.2, 0.8].map((part) => [x1 + (x2 - x1) * part, y1 + (y2 - y1) * part - 4]);
      const below = taken.map((_, index) => [along[0][0], along[0][1] + (index + 1) * LABEL]);
      const [x, y] = [...along, ...below].find(isFree) ?? along[0];
      label.setAttribute("x", x);
      label.setAttribute("y", y);
      taken.push({ x, y, half });
    }
  };

  const fateWords = { sent: "sent to", taken: "took in, for", dropped: "lost, for", duplicated: "copied, for" };

  const messageItem = (message) => html("li", { class: message.unexpected ? "unexpected" : undefined }, (fateWords[message.fate] || message.fate + " ") + " " + message.to
    + (message.from !== null && message.fate !== "sent" ? " from " + message.from : "") + ": ", html("code", {}, message.text),
    message.unexpected ? " (not what the specification says)" : undefined);

  const clash = (difference) => {
    const side = (text) => (text === "" ? html("i", {}, "nothing") : html("code", {}, text));
    return html("dl", { class: "clash" }, html("dt", {}, `${difference.variable}${difference.place}, specification says`), html("dd", {}, side(difference.expected)),
      html("dt", {}, data.observed), html("dd", {}, side(difference.observed)));
  };

  const fillPanel = (panel, finding, states, row, choose) => {
    const last = finding.path.length, step = row > 0 ? finding.path[row - 1] : null;
    const failed = failedKind(finding, row) !== "";
    const move = (label, to) => {
      const button = html("button", { type: "button", class: "move", disabled: to < 0 || to > last }, label);
      button.addEventListener("click", () => choose(to, false));
      return button;
    };
    const title = step ? `Step ${row} of ${last}: ${step.action}` : data.first;
    panel.replaceChildren(
      html("div", { class: "bar-of-buttons" }, move("Previous", row - 1), move("Next", row + 1)),
      html("h4", { "aria-live": "polite" }, title));
    const places = [data.places, data.code, data.table].flatMap((known) => (step && Object.hasOwn(known, step.action) ? known[step.action] : []));
    const where = places.map((place) => `${place.file.split("/").pop()}:${place.line}`);
    if (step && (step.node !== null || where.length)) {
      panel.append(html("p", { class: "faint" }, [...(step.node !== null ? ["at " + step.node] : []), ...where].join(" · ")));
    }
    if (failed && finding.kind === "missing-action") panel.append(html("p", { class: "faint" }, "This step was not taken."));
    if (step && step.args.length) {
      panel.append(html("h5", {}, "Arguments"), html("ul", {}, ...step.args.map(([name, value]) => html("li", {}, name + " = ", html("code", {}, value)))));
    }
    if (step && step.messages.length) {
      panel.append(html("h5", {}, "Messages"), html("ul", { class: "observed-messages" }, ...step.messages.map(messageItem)));
    }
    if (step && expectedOf(step).length) {
      panel.append(html("h5", {}, step.messages.length ? "Messages that the specification expects instead" : "Messages that the specification expects"),
        html("ul", { class: "expected-messages" }, ...expectedOf(step).map(messageItem)));
    }
    if (failed && finding.offers.length) {
      panel.append(html("h5", {}, "What the nodes offered then"), html("ul", {}, ...finding.offers.map((offer) =>
        html("li", { class: finding.kind === "unexpected-action" && offer.action.startsWith(finding.action) ? "forbidden" : undefined }, offer.node + ": ", html("code", {}, offer.action)))));
    }
    const changed = new Set(step ? step.changes.map(([name]) => name) : []);
    const body = html("tbody");
    const names = [...states[row].keys()];
    if (failed) for (const difference of finding.differences) if (!names.includes(difference.variable)) names.push(difference.variable);
    const differs = (name) => failed && finding.differences.some((difference) => difference.variable === name);
    names.sort((a, b) => differs(b) - differs(a));
    for (const name of names) {
      const clashes = failed ? finding.differences.filter((difference) => difference.variable === name) : [];
      const kind = clashes.length ? "differs" : changed.has(name) ? "changed" : undefined;
      body.append(html("tr", { class: kind }, html("th", { scope: "row" }, html("code", {}, name)),
        html("td", {}, html("p", { class: "value" }, pretty(states[row].get(name) ?? "")), ...clashes.map(clash))));
    }
    if (names.length) panel.append(html("h5", {}, "State that the specification says"), html("table", {}, body));
  };

  const build = (details) => {
    const finding = data.findings[Number(details.dataset.finding)];
    const viewer = details.querySelector(".viewer");
    if (!finding || !viewer || viewer.childNodes.length) return;
    const lanes = lanesOf(finding), flights = flightsOf(finding), states = statesOf(finding);
    const panel = html("div", { class: "panel", role: "region", "aria-label": "State of case " + finding.case, tabindex: "0" });
    const buttons = [];
    const choose = (row, focus) => {
      if (row < 0 || row >= states.length) return;
      buttons.forEach((button, index) => {
        button.tabIndex = index === row ? 0 : -1;
        if (index === row) button.setAttribute("aria-current", "step"); else button.removeAttribute("aria-current");
      });
      if (focus) buttons[row].focus();
      const now = (node, is) => node.classList.toggle("now", is);
      drawn.parts.rows.forEach((back, index) => now(back, index === row));
      drawn.parts.dots.forEach(({ dot, row: at }) => now(dot, at === row));
      const isNow = (arrow) => row > 0 && (arrow.begin === row || arrow.end === row || arrow.copied === row);
      for (const arrow of drawn.parts.arrows) {
        arrow.marks.forEach((mark) => now(mark, isNow(arrow)));
        arrow.label.setAttribute("visibility", isNow(arrow) ? "visible" : "hidden");
      }
      placeLabels(drawn.parts.arrows.filter(isNow));
      fillPanel(panel, finding, states, row, choose);
      details.dataset.row = row;
    };
    const drawn = drawLanes(finding, lanes, flights, choose);
    const list = html("ol", { class: "steps", "aria-label": "Steps of case " + finding.case });
    const item = (row, name, args) => {
      const button = html("button", { type: "button", class: failedKind(finding, row) || undefined, title: name },
        html("span", { class: "place" }, String(row)), html("span", {}, name), args ? html("span", { class: "args" }, args) : undefined);
      button.addEventListener("click", () => choose(row, true));
      buttons.push(button);
      return html("li", {}, button);
    };
    list.append(html("li", { class: "head", "aria-hidden": "true" }, "step"), item(0, data.first, ""),
      ...finding.path.map((step, index) => item(index + 1, step.action, argsOf(step))));
    list.addEventListener("keydown", (event) => {
      const row = Number(details.dataset.row);
      const to = { ArrowDown: row + 1, j: row + 1, ArrowUp: row - 1, k: row - 1, Home: 0, End: states.length - 1 }[event.key];
      if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      choose(to, true);
    });
    viewer.append(html("div", { class: "track" }, html("div", { class: "rows" }, list, drawn.picture)), panel,
      html("p", { class: "legend", style: "margin:0" }, "Click a step, or use the arrow keys. Arrows are messages; dashed ones were still under way, a cross is a lost one."
        + (flights.some((flight) => flight.expected) ? " Green dotted ones were not sent: the specification expects them." : "")));
    choose(Math.min(finding.step ?? finding.path.length, finding.path.length), false);
  };

  const copy = async (button) => {
    const code = button.parentElement.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
  };

  // The list of cases. Only the rows in sight are in the document, because there may be very many.
  const listCases = () => {
    const list = document.getElementById("list");
    if (!list) return;
    const { actions, rows } = data.cases;
    const body = document.getElementById("rows"), found = document.getElementById("found");
    const [search, verdict, order] = ["search", "verdict", "order"].map((id) => document.getElementById(id));
    const height = 34, beyond = 12;
    const texts = [];
    const textOf = (index) => texts[index] ??= [rows[index][0], rows[index][7] ?? "", ...rows[index][4].map((action) => actions[action] ?? "")].join("\n").toLowerCase();
    let shown = rows.map((_, index) => index), first = -1;
    const link = (address, text) => html("a", { href: address }, text);
    const item = (index) => {
      const [id, end, ms, steps, , finding, logs, why] = rows[index];
      const more = html("td", { title: why ?? undefined });
      if (finding) more.append(link("#finding-" + finding, "finding"), " ");
      if (logs) more.append(link("./" + logs.split("/").map(encodeURIComponent).join("/") + "/", "logs"), " ");
      if (why) more.append(why);
      const time = ms < 1000 ? ms.toFixed(1) + " ms" : (ms / 1000).toFixed(1) + " s";
      return html("tr", {}, html("td", { title: id }, html("code", {}, id)), html("td", { class: end.replace(" ", "-") }, end),
        html("td", { class: "number" }, String(steps)), html("td", { class: "number" }, time), more);
    };
    const gap = (n) => html("tr", { class: "gap", "aria-hidden": "true" }, html("td", { colspan: "5", style: `height: ${n * height}px` }));
    const draw = () => {
      const n = Math.ceil((list.clientHeight || 600) / height) + 2 * beyond;
      const from = Math.max(0, Math.min(Math.floor(list.scrollTop / height) - beyond, shown.length - n));
      if (from === first) return;
      first = from;
      const until = Math.min(shown.length, from + n);
      const parts = shown.slice(from, until).map(item);
      if (from > 0) parts.unshift(gap(from));
      if (until < shown.length) parts.push(gap(shown.length - until));
      body.replaceChildren(...parts);
    };
    const choose = () => {
      const wanted = search.value.trim().toLowerCase();
      shown = rows.map((_, index) => index).filter((index) => (!verdict.value || rows[index][1] === verdict.value) && (!wanted || textOf(index).includes(wanted)));
      if (order.value === "slow") shown.sort((a, b) => rows[b][2] - rows[a][2]);
      found.textContent = shown.length === rows.length ? `${rows.length} in all` : `${shown.length} of ${rows.length}`;
      list.scrollTop = 0;
      first = -1;
      draw();
    };
    list.addEventListener("scroll", draw, { passive: true });
    addEventListener("resize", () => { first = -1; draw(); });
    for (const field of [search, verdict, order]) field.addEventListener("input", choose);
    document.getElementById("filter").addEventListener("submit", (event) => event.preventDefault());
    choose();
  };

  const NOTES_MAX = 5000;
  const listNotes = (details) => {
    const list = details.querySelector("ul");
    if (list.childNodes.length) return;
    for (const [name, text] of data.notes.slice(0, NOTES_MAX)) list.append(html("li", {}, name === null ? undefined : html("b", {}, `case ${name}: `), text));
    if (data.notes.length > NOTES_MAX) list.append(html("li", {}, `${data.notes.length - NOTES_MAX} more are in the record`));
  };

  for (const details of document.querySelectorAll("details.finding")) {
    if (details.open) build(details);
    details.addEventListener("toggle", () => { if (details.open) build(details); });
  }
  for (const button of document.querySelectorAll("button.copy")) button.addEventListener("click", () => copy(button));
  const follow = () => {
    const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
  };
  addEventListener("hashchange", follow);
  follow();
  listCases();
  const notes = document.getElementById("notes");
  if (notes) notes.addEventListener("toggle", () => listNotes(notes));
  // How long it took until everything in sight was there, for those who measure.
  document.body.dataset.renderedMs = performance.now().toFixed(1);
})();
