/** Any JSON, as parse() reads it: an integer beyond 2^53 is a bigint. */
export type Json = null | boolean | number | bigint | string | Verbatim | Json[] | { [name: string]: Json };

/** What may be written as JSON. Fields that are undefined are left out. */
export type Writable = Json | undefined | { toJSON(): Writable } | readonly Writable[] | { readonly [name: string]: Writable };

/** Something that makes a node act: what the testbed sees of it (action, args, message), and data for the node itself. */
export class Event<Data = unknown> {
  constructor(
    action: string,
    more?: {
      args?: readonly Writable[];
      /** Only if the action takes a message in. */
      message?: Writable;
      data?: Data;
      /** Of a wish: when it happens if no testbed is in control, by performance.now(). At once if there is none. */
      due?: number;
    },
  );
  readonly action: string;
  readonly args: any[];
  readonly message: any;
  readonly data: Data;
  readonly due: number | undefined;
}

/** The inbox of an event loop, under a testbed's control if there is one. */
export class Gate {
  constructor(options?: {
    /** Makes the event of a message that the testbed gives back after a crash. */
    fromDelivery?: (sender: string, message: any) => Event<any> | null | undefined;
    /** Makes the event of something that the testbed asks for. */
    fromRequest?: (action: string, args: any[]) => Event<any> | null | undefined;
    /** process.env unless told. */
    environment?: { readonly [name: string]: string | undefined };
  });
  /** Whether a testbed decides when events happen. */
  readonly controlled: boolean;
  /** A message of another node has arrived; once for each that its sender has reported. */
  message(event: Event<any>): void;
  /** Something else has come from outside, such as a client's request. */
  push(event: Event<any>): void;
  /** The event in hand makes this node send a message: to be said beside each real send. */
  sent(to: string, message: Writable): void;
  /** The vector clock to put into a message that is sent now, so that `kilter follow` knows the order of lines; undefined without a trace. */
  clock(): { [node: string]: number | bigint } | undefined;
  /** The event in hand has brought this vector clock: to be said before anything is sent. */
  heard(clock: { readonly [node: string]: number | bigint } | null | undefined): void;
  /** A line for the run's log. */
  note(text: string): void;
  /** The next event to handle; what was handed out before is thereby done. null when the node shall end. */
  next(variables: { readonly [name: string]: Writable }, wishes?: readonly Event<any>[]): Promise<Event<any> | null>;
}

/** The time, by a clock that a testbed can make jump: for nodes that are tested with `fault = "clock"`. */
export class Clock {
  /** The time in ms since 1970. */
  now(): number;
  /** Jumps if the testbed asks for it, and gives the event of that, which the node may ignore. null for other requests. */
  fromRequest(action: string): Event | null;
}

/** A number that JavaScript would not write as it was, such as 1.0 or 1e3. */
export class Verbatim {
  constructor(text: string);
  readonly text: string;
  valueOf(): number;
}

/** Reads JSON so that stringify() gives it back unchanged. Throws a SyntaxError. */
export function parse(text: string): any;

/** Writes JSON, as JSON.stringify does, and also bigints. */
export function stringify(value: Writable): string;
