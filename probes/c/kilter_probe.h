/* What a C or C++ program under test links, so that a testbed can hold each of its actions until told to go on.
 *
 * Everything that makes a node act is a kilter_event. Messages and clients' requests are pushed in by whatever thread reads the sockets; timers
 * and local steps are wishes: the loop says each time what the node can do by itself now. docs/protocol.md says what is on the wire.
 *
 *     kilter_gate *gate = kilter_gate_new(&callbacks);
 *     kilter_event event;
 *     while (kilter_gate_next(gate, variables(node), wishes, n_wishes, &event))
 *         handle(node, &event);           // kilter_sent(gate, "n2", message) beside each real send
 *
 * Under a testbed, kilter_gate_next() reports the last event as done, offers what is new, and waits to be told. Without one (no KILTER_ADDRESS in
 * the environment) it is a queue with timers, and writes what the node does to the file KILTER_TRACE, if the environment names one. With
 * -DKILTER_OFF it is a queue and nothing else: no code for network and traces is compiled. When the testbed goes away, the process ends at once.
 *
 * Values are JSON text, so that they come back exactly as they were. All text is UTF-8 and ends with a 0. */

#ifndef KILTER_PROBE_H
#define KILTER_PROBE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KILTER_PRINTF(where, first) __attribute__((format(printf, where, first)))
#else
#define KILTER_PRINTF(where, first)
#endif

#define KILTER_LOST_EXIT_CODE 3

/* A slice is a part of a JSON text that lives elsewhere, and has no 0 at its end. One with the text NULL says that there is no such value;
 * all functions take it, and find nothing in it. */
typedef struct kilter_slice {
    const char *text;
    size_t length;
} kilter_slice;

/* Something that makes a node act: what the testbed sees of it, and data for the node itself. */
typedef struct kilter_event {
    const char *action;
    const char *args;    /* a JSON array, or NULL for none */
    const char *message; /* JSON, or NULL if the action takes no message in */
    void *data;
    int64_t due_ms; /* of a wish: when it happens if no testbed is in control, by kilter_now_ms(); 0 for at once */
} kilter_event;

/* What a gate asks its node for. Every field may be NULL. The two functions are called by kilter_gate_next(). */
typedef struct kilter_callbacks {
    void *context; /* the first argument of the two functions */

    /* Turns a message that the testbed gives back after a crash into its event: event->message is set, the action is not. 0 if the node can't take
     * it in. */
    int (*from_delivery)(void *context, const char *sender, kilter_event *event);

    /* Turns something that the testbed asks for into its event: event->action and event->args are those of the request. 0 if the node does not
     * know it. */
    int (*from_request)(void *context, kilter_event *event);

    /* Frees the data of an event that is done or dropped. The data of wishes stays the caller's. */
    void (*free_data)(void *data);
} kilter_callbacks;

/* The inbox of an event loop, under a testbed's control if there is one. */
typedef struct kilter_gate kilter_gate;

kilter_gate *kilter_gate_new(const kilter_callbacks *callbacks);

/* For a node that outlives its gate. No other thread may use the gate any more. */
void kilter_gate_free(kilter_gate *gate);

/* The next event to handle; what was handed out before is thereby done. `variables` is a JSON object. 0 when the node shall end. The texts of the
 * event live until the next call. Wishes that look the same (action, args and message, as text) are the same. */
int kilter_gate_next(kilter_gate *gate, const char *variables, const kilter_event *wishes, size_t n_wishes, kilter_event *event);

/* A message of another node has arrived; from any thread, once for each that its sender has reported. The gate copies the texts. */
void kilter_message(kilter_gate *gate, const kilter_event *event);

/* Something else has come from outside, such as a client's request; from any thread. The gate copies the texts. */
void kilter_push(kilter_gate *gate, const kilter_event *event);

/* The event in hand makes this node send a message: to be said beside each real send. */
void kilter_sent(kilter_gate *gate, const char *to, const char *message);

/* The vector clock to put into a message that is sent now, so that `kilter follow` knows the order of lines: JSON, free() it. NULL if the node writes no
 * trace. */
char *kilter_vector_clock(kilter_gate *gate);

/* The event in hand has brought this vector clock, which may be no value: to be said before anything is sent. */
void kilter_heard(kilter_gate *gate, kilter_slice clock);

/* A line for the run's log. */
void kilter_note(kilter_gate *gate, const char *text);

/* The time in ms by which timers are due. It never goes back. */
int64_t kilter_now_ms(void);

/* A clock that runs as the machine's does until a testbed makes it jump ahead: for nodes that are tested with `fault = "clock"`. At first {0}.
 * Only the thread of the loop may use it. */
typedef struct kilter_clock {
    int64_t ahead_ms;
} kilter_clock;

/* The time in ms since 1970. */
int64_t kilter_clock_now_ms(const kilter_clock *clock);

/* For from_request: jumps an hour ahead if the testbed asks for that, and says whether it did. The node may ignore the event. */
int kilter_clock_request(kilter_clock *clock, const kilter_event *event);

/* Reading JSON: the value that a text consists of. No value if the text is not strict JSON (RFC 8259), is nested more than 256 deep, is not UTF-8, or escapes half of
 * a surrogate pair. */
kilter_slice kilter_json(const char *text);

kilter_slice kilter_json_field(kilter_slice object, const char *name);
kilter_slice kilter_json_item(kilter_slice array, size_t index);

/* Whether the value is an integer of 64 bits, which is then stored. */
int kilter_json_integer(kilter_slice value, int64_t *integer);

/* Whether the value is this string. */
int kilter_json_is(kilter_slice value, const char *string);

/* The content of a string, without quotes and escapes; free() it. NULL if the value is not a string. `length` may be NULL; it matters for strings that
 * contain \u0000. */
char *kilter_json_string(kilter_slice value, size_t *length);

/* The JSON of a value, as a text of its own; free() it. NULL for no value. */
char *kilter_json_copy(kilter_slice value);

/* Writing JSON: a text that grows. At first {0}; free() its text at the end. */
typedef struct kilter_text {
    char *text;
    size_t length, capacity;
} kilter_text;

/* Adds to a text, as printf does. */
void kilter_add(kilter_text *to, const char *format, ...) KILTER_PRINTF(2, 3);

/* Adds a string in quotes, escaped as JSON needs it. What is not UTF-8 becomes U+FFFD. */
void kilter_add_string(kilter_text *to, const char *string);

/* Adds the JSON of a value, or null for no value. */
void kilter_add_slice(kilter_text *to, kilter_slice value);

#ifdef __cplusplus
}
#endif

#endif
