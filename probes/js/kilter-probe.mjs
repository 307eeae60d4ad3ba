// The same for programs that import.
import probe from "./kilter-probe.js";

export const { Clock, Event, Gate, Verbatim, parse, stringify } = probe;
