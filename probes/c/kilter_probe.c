/* See kilter_probe.h. In this order: memory and text, reading JSON, time, the queue, and, without KILTER_OFF, the testbed and traces. */

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "kilter_probe.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NESTED_MAX 256
#define HOUR_MS 3600000

/* Ends the process at once, whatever its other threads do: nobody is left to control it. */
KILTER_PRINTF(1, 2)
static void lost(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("kilter_probe: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    fflush(stderr);
    va_end(values);
    _exit(KILTER_LOST_EXIT_CODE);
}

/* ---- Memory and text ---- */

static void *grown(void *memory, size_t size)
{
    void *larger = realloc(memory, size);
    if (larger == NULL)
        lost("out of memory");
    return larger;
}

static void reserve(kilter_text *to, size_t n_more)
{
    if (to->length + n_more < to->capacity)
        return;
    to->capacity = 2 * (to->length + n_more) + 64;
    to->text = grown(to->text, to->capacity);
}

static void add_bytes(kilter_text *to, const char *bytes, size_t length)
{
    reserve(to, length);
    memcpy(to->text + to->length, bytes, length);
    to->length += length;
    to->text[to->length] = 0;
}

void kilter_add(kilter_text *to, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    if (length < 0)
        lost("can't format %s", format);
    reserve(to, (size_t)length);
    va_start(values, format);
    vsnprintf(to->text + to->length, (size_t)length + 1, format, values);
    va_end(values);
    to->length += (size_t)length;
}

void kilter_add_slice(kilter_text *to, kilter_slice value)
{
    if (value.text == NULL)
        add_bytes(to, "null", 4);
    else
        add_bytes(to, value.text, value.length);
}

static char *copy_bytes(const char *bytes, size_t length)
{
    char *copy = grown(NULL, length + 1);
    memcpy(copy, bytes, length);
    copy[length] = 0;
    return copy;
}

static char *copy_text(const char *text)
{
    return text == NULL ? NULL : copy_bytes(text, strlen(text));
}

/* ---- Reading JSON. Each skip function returns the end of what it finds at `at`, or NULL if that is not there. ---- */

/* The length of the UTF-8 character at `at`, or 0 if there is none. */
static size_t utf8_length(const char *at, const char *end)
{
    const unsigned char *bytes = (const unsigned char *)at;
    unsigned char first = at < end ? bytes[0] : 0xFF, low = 0x80, high = 0xBF;
    size_t length;
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    /* No detours for small numbers, no surrogates, and nothing above U+10FFFF. */
    if (first == 0xE0)
        low = 0xA0;
    else if (first == 0xED)
        high = 0x9F;
    else if (first == 0xF0)
        low = 0x90;
    else if (first == 0xF4)
        high = 0x8F;
    if ((size_t)(end - at) < length || bytes[1] < low || bytes[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

static size_t encode_utf8(uint32_t code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)((0xF00 >> length & 0xF0) | code);
    return length;
}

static const char *skip_hex(const char *at, const char *end, uint32_t *code)
{
    if (end - at < 4)
        return NULL;
    *code = 0;
    for (int i = 0; i < 4; i++, at++) {
        int digit = *at >= '0' && *at <= '9'   ? *at - '0'
                    : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10
                    : *at >= 'A' && *at <= 'F' ? *at - 'A' + 10
                                               : -1;
        if (digit < 0)
            return NULL;
        *code = *code << 4 | (uint32_t)digit;
    }
    return at;
}

/* An escape, whose character it stores. Two halves of a surrogate pair are one escape. */
static const char *skip_escape(const char *at, const char *end, uint32_t *code)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    uint32_t second;
    if (end - at < 2)
        return NULL;
    if (at[1] != 'u') {
        const char *letter = memchr(letters, at[1], sizeof letters - 1);
        if (letter == NULL)
            return NULL;
        *code = (uint32_t)meanings[letter - letters];
        return at + 2;
    }
    at = skip_hex(at + 2, end, code);
    if (at == NULL || *code < 0xD800 || *code > 0xDFFF)
        return at;
    if (*code > 0xDBFF || end - at < 2 || at[0] != '\\' || at[1] != 'u')
        return NULL;
    at = skip_hex(at + 2, end, &second);
    if (at == NULL || second < 0xDC00 || second > 0xDFFF)
        return NULL;
    *code = 0x10000 + ((*code - 0xD800) << 10) + (second - 0xDC00);
    return at;
}

static const char *skip_string(const char *at, const char *end)
{
    uint32_t code;
    if (at == end || *at++ != '"')
        return NULL;
    while (at != NULL && at < end) {
        if (*at == '"')
            return at + 1;
        if (*at == '\\') {
            at = skip_escape(at, end, &code);
        } else {
            size_t length = utf8_length(at, end);
            if (length == 0 || (unsigned char)*at < 0x20)
                return NULL;
            at += length;
        }
    }
    return NULL;
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

static const char *skip_digits(const char *at, const char *end)
{
    const char *start = at;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at == start ? NULL : at;
}

static const char *skip_number(const char *at, const char *end)
{
    if (at < end && *at == '-')
        at++;
    at = at < end && *at == '0' ? at + 1 : skip_digits(at, end);
    if (at != NULL && at < end && *at == '.')
        at = skip_digits(at + 1, end);
    if (at != NULL && at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-'))
            at++;
        at = skip_digits(at, end);
    }
    return at;
}

static const char *skip_word(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0 ? at + length : NULL;
}

static const char *skip_value(const char *at, const char *end, int depth);

/* An object or an array. */
static const char *skip_list(const char *at, const char *end, int depth)
{
    int is_object = *at == '{';
    char close = is_object ? '}' : ']';
    if (depth == NESTED_MAX)
        return NULL;
    at = skip_space(at + 1, end);
    if (at < end && *at == close)
        return at + 1;
    while (at < end) {
        if (is_object) {
            at = skip_string(at, end);
            if (at == NULL)
                return NULL;
            at = skip_space(at, end);
            if (at == end || *at++ != ':')
                return NULL;
            at = skip_space(at, end);
        }
        at = skip_value(at, end, depth + 1);
        if (at == NULL)
            return NULL;
        at = skip_space(at, end);
        if (at < end && *at == close)
            return at + 1;
        if (at == end || *at++ != ',')
            return NULL;
        at = skip_space(at, end);
    }
    return NULL;
}

static const char *skip_value(const char *at, const char *end, int depth)
{
    if (at == end)
        return NULL;
    switch (*at) {
    case '{':
    case '[':
        return skip_list(at, end, depth);
    case '"':
        return skip_string(at, end);
    case 't':
        return skip_word(at, end, "true");
    case 'f':
        return skip_word(at, end, "false");
    case 'n':
        return skip_word(at, end, "null");
    default:
        return skip_number(at, end);
    }
}

static const kilter_slice no_value = {NULL, 0};

static kilter_slice slice(const char *start, const char *end)
{
    kilter_slice part = {start, (size_t)(end - start)};
    return part;
}

static kilter_slice json_between(const char *at, const char *end)
{
    const char *start = skip_space(at, end), *stop = skip_value(start, end, 0);
    return stop != NULL && skip_space(stop, end) == end ? slice(start, stop) : no_value;
}

kilter_slice kilter_json(const char *text)
{
    return text == NULL ? no_value : json_between(text, text + strlen(text));
}

static int starts_with(kilter_slice value, char first)
{
    return value.text != NULL && value.text[0] == first;
}

/* What is between the brackets of an object or an array, for next_item(). */
static kilter_slice inside(kilter_slice list)
{
    return slice(list.text + 1, list.text + list.length - 1);
}

/* Cuts the first item off the rest of a list, with its name in an object (`name` is NULL in an array). 0 at the end. */
static int next_item(kilter_slice *rest, kilter_slice *name, kilter_slice *value)
{
    const char *end = rest->text + rest->length, *at = skip_space(rest->text, end), *stop;
    if (at < end && *at == ',')
        at = skip_space(at + 1, end);
    if (at == end)
        return 0;
    if (name != NULL) {
        stop = skip_string(at, end);
        *name = slice(at, stop);
        at = skip_space(skip_space(stop, end) + 1, end);
    }
    stop = skip_value(at, end, 0);
    *value = slice(at, stop);
    *rest = slice(stop, end);
    return 1;
}

kilter_slice kilter_json_field(kilter_slice object, const char *name)
{
    kilter_slice found = no_value, rest, key, value;
    if (!starts_with(object, '{'))
        return no_value;
    /* The last one counts if there are several, as in most languages. */
    for (rest = inside(object); next_item(&rest, &key, &value);)
        if (kilter_json_is(key, name))
            found = value;
    return found;
}

kilter_slice kilter_json_item(kilter_slice array, size_t index)
{
    kilter_slice rest, value;
    if (!starts_with(array, '['))
        return no_value;
    for (rest = inside(array); next_item(&rest, NULL, &value); index--)
        if (index == 0)
            return value;
    return no_value;
}

/* Whether the digits are a number of 64 bits without a sign, which is then stored. */
static int unsigned_integer(kilter_slice digits, uint64_t *integer)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < digits.length; i++) {
        uint64_t digit = (uint64_t)(digits.text[i] - '0');
        if (digits.text[i] < '0' || digits.text[i] > '9' || sum > (UINT64_MAX - digit) / 10)
            return 0;
        sum = 10 * sum + digit;
    }
    *integer = sum;
    return digits.length > 0;
}

int kilter_json_integer(kilter_slice value, int64_t *integer)
{
    int is_negative = starts_with(value, '-');
    uint64_t size, size_max = (uint64_t)INT64_MAX + (uint64_t)is_negative;
    if (value.text == NULL || !unsigned_integer(slice(value.text + is_negative, value.text + value.length), &size) || size > size_max)
        return 0;
    /* The smallest integer has no positive twin. */
    *integer = !is_negative ? (int64_t)size : size == 0 ? 0 : -(int64_t)(size - 1) - 1;
    return 1;
}

char *kilter_json_string(kilter_slice value, size_t *length)
{
    uint32_t code;
    if (!starts_with(value, '"'))
        return NULL;
    const char *at = value.text + 1, *end = value.text + value.length - 1;
    char *string = grown(NULL, value.length), *to = string;
    while (at < end) {
        if (*at != '\\') {
            *to++ = *at++;
        } else {
            at = skip_escape(at, end, &code);
            to += encode_utf8(code, to);
        }
    }
    *to = 0;
    if (length != NULL)
        *length = (size_t)(to - string);
    return string;
}

int kilter_json_is(kilter_slice value, const char *string)
{
    size_t length;
    char *content = kilter_json_string(value, &length);
    int is = content != NULL && length == strlen(string) && memcmp(content, string, length) == 0;
    free(content);
    return is;
}

char *kilter_json_copy(kilter_slice value)
{
    return value.text == NULL ? NULL : copy_bytes(value.text, value.length);
}

void kilter_add_string(kilter_text *to, const char *string)
{
    const char *end = string + strlen(string);
    add_bytes(to, "\"", 1);
    while (string < end) {
        size_t length = utf8_length(string, end);
        if (length == 0)
            add_bytes(to, "\xEF\xBF\xBD", 3);
        else if (*string == '"' || *string == '\\')
            kilter_add(to, "\\%c", *string);
        else if ((unsigned char)*string < 0x20)
            kilter_add(to, "\\u%04x", (unsigned)*string);
        else
            add_bytes(to, string, length);
        string += length == 0 ? 1 : length;
    }
    add_bytes(to, "\"", 1);
}

/* ---- Time ---- */

static int64_t time_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t kilter_now_ms(void)
{
    return time_ms(CLOCK_MONOTONIC);
}

int64_t kilter_clock_now_ms(const kilter_clock *clock)
{
    return time_ms(CLOCK_REALTIME) + clock->ahead_ms;
}

int kilter_clock_request(kilter_clock *clock, const kilter_event *event)
{
    if (strcmp(event->action, "kilter.clock") != 0)
        return 0;
    clock->ahead_ms += HOUR_MS;
    return 1;
}

/* ---- The queue ---- */

enum kind { MESSAGE, EVENT, WELCOME, GO, DROP, TWICE, REQUEST, DELIVER, STOP };

/* How far a node is, by a vector clock. */
struct tick {
    char *node;
    uint64_t number;
};

/* Something that comes into a gate. */
struct arrival {
    struct arrival *next;
    enum kind kind;
    kilter_event event; /* its texts are the arrival's own */
    char *sender;       /* of DELIVER */
    uint64_t id;        /* of what the testbed says */
};

/* An offer that was not answered. */
struct offer {
    uint64_t id;
    int is_wish;
    kilter_event event;
};

struct kilter_gate {
    kilter_callbacks callbacks;
    int has_event; /* whether an event is being handled: the one in hand */
    struct offer in_hand;

    pthread_mutex_t lock; /* for what follows, up to the next empty line */
    pthread_cond_t has_arrived;
    struct arrival *first, **end;
#ifndef KILTER_OFF
    kilter_text unsaid, unreported;
    int is_closing;
    struct tick *clock; /* the first is the node's own; NULL if the program uses no vector clock */
    size_t n_clock;

    int socket; /* -1 without a testbed */
    pthread_t listener;
    struct offer *standing;
    size_t n_standing, standing_capacity;
    const char *variables;
    uint64_t received, last_id;
    int is_fresh, offer_again, has_stopped;

    int trace; /* the file for what the node does without a testbed, or -1 */
    char *node, *known; /* its name, and its variables as the lines before say them, NULL before the first */
#endif
};

static kilter_event copy_event(const kilter_event *event)
{
    kilter_event copy = *event;
    copy.action = copy_text(event->action);
    copy.args = copy_text(event->args);
    copy.message = copy_text(event->message);
    return copy;
}

static void free_event(kilter_gate *gate, kilter_event *event, int is_wish)
{
    free((char *)event->action);
    free((char *)event->args);
    free((char *)event->message);
    if (event->data != NULL && !is_wish && gate->callbacks.free_data != NULL)
        gate->callbacks.free_data(event->data);
    memset(event, 0, sizeof *event);
}

static void free_arrival(kilter_gate *gate, struct arrival *arrival)
{
    free_event(gate, &arrival->event, 0);
    free(arrival->sender);
    free(arrival);
}

static void put(kilter_gate *gate, struct arrival arrived)
{
    struct arrival *arrival = grown(NULL, sizeof *arrival);
    *arrival = arrived;
    arrival->next = NULL;
    pthread_mutex_lock(&gate->lock);
    *gate->end = arrival;
    gate->end = &arrival->next;
    pthread_cond_signal(&gate->has_arrived);
    pthread_mutex_unlock(&gate->lock);
}

static void put_event(kilter_gate *gate, enum kind kind, const kilter_event *event)
{
    struct arrival arrival = {0};
    arrival.kind = kind;
    arrival.event = copy_event(event);
    put(gate, arrival);
}

void kilter_message(kilter_gate *gate, const kilter_event *event)
{
    put_event(gate, MESSAGE, event);
}

void kilter_push(kilter_gate *gate, const kilter_event *event)
{
    put_event(gate, EVENT, event);
}

/* Takes the next arrival, and waits for it, at most until a time unless that is negative. NULL if nothing comes. */
static struct arrival *take(kilter_gate *gate, int64_t until_ms)
{
    struct timespec until = {(time_t)(until_ms / 1000), (long)(until_ms % 1000) * 1000000};
    int is_late = 0;
    pthread_mutex_lock(&gate->lock);
    while (gate->first == NULL && !is_late) {
        if (until_ms < 0)
            pthread_cond_wait(&gate->has_arrived, &gate->lock);
        else
            is_late = pthread_cond_timedwait(&gate->has_arrived, &gate->lock, &until) == ETIMEDOUT;
    }
    struct arrival *arrival = gate->first;
    if (arrival != NULL) {
        gate->first = arrival->next;
        if (gate->first == NULL)
            gate->end = &gate->first;
    }
    pthread_mutex_unlock(&gate->lock);
    return arrival;
}

static void hold(kilter_gate *gate, uint64_t id, int is_wish, kilter_event event)
{
    gate->has_event = 1;
    gate->in_hand.id = id;
    gate->in_hand.is_wish = is_wish;
    gate->in_hand.event = event;
}

static void let_go(kilter_gate *gate)
{
    if (gate->has_event)
        free_event(gate, &gate->in_hand.event, gate->in_hand.is_wish);
    gate->has_event = 0;
}

static void next_by_itself(kilter_gate *gate, const kilter_event *wishes, size_t n_wishes)
{
    const kilter_event *first = NULL;
    struct arrival *arrival = NULL;
    let_go(gate);
    for (size_t i = 0; i < n_wishes; i++)
        if (first == NULL || wishes[i].due_ms < first->due_ms)
            first = &wishes[i];
    /* A timer that is due comes before arrivals: a busy node would otherwise never see it. */
    if (first == NULL || first->due_ms > kilter_now_ms())
        arrival = take(gate, first == NULL ? -1 : first->due_ms);
    if (arrival == NULL) {
        hold(gate, 0, 1, copy_event(first));
    } else {
        hold(gate, 0, 0, arrival->event);
        free(arrival);
    }
}

static void open_queue(kilter_gate *gate, const kilter_callbacks *callbacks)
{
    pthread_condattr_t attributes;
    memset(gate, 0, sizeof *gate);
    if (callbacks != NULL)
        gate->callbacks = *callbacks;
    gate->end = &gate->first;
    pthread_mutex_init(&gate->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&gate->has_arrived, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void close_queue(kilter_gate *gate)
{
    let_go(gate);
    while (gate->first != NULL)
        free_arrival(gate, take(gate, -1));
    pthread_cond_destroy(&gate->has_arrived);
    pthread_mutex_destroy(&gate->lock);
}

#ifdef KILTER_OFF

kilter_gate *kilter_gate_new(const kilter_callbacks *callbacks)
{
    kilter_gate *gate = grown(NULL, sizeof *gate);
    open_queue(gate, callbacks);
    return gate;
}

void kilter_gate_free(kilter_gate *gate)
{
    close_queue(gate);
    free(gate);
}

int kilter_gate_next(kilter_gate *gate, const char *variables, const kilter_event *wishes, size_t n_wishes, kilter_event *event)
{
    (void)variables;
    next_by_itself(gate, wishes, n_wishes);
    *event = gate->in_hand.event;
    return 1;
}

void kilter_sent(kilter_gate *gate, const char *to, const char *message)
{
    (void)gate, (void)to, (void)message;
}

char *kilter_vector_clock(kilter_gate *gate)
{
    (void)gate;
    return NULL;
}

void kilter_heard(kilter_gate *gate, kilter_slice clock)
{
    (void)gate, (void)clock;
}

void kilter_note(kilter_gate *gate, const char *text)
{
    (void)gate, (void)text;
}

#else

/* ---- The testbed: the connection ---- */

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#define VERSION 1
#define LINE_BYTES_MAX ((size_t)16 << 20)

static int connect_unix(const char *path)
{
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? fd : -1;
}

static int connect_tcp(const char *place)
{
    struct addrinfo hints, *found;
    const char *colon = strrchr(place, ':');
    int fd, yes = 1;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    errno = EINVAL;
    if (colon == NULL)
        return -1;
    int has_brackets = place[0] == '[' && colon[-1] == ']'; /* as in [::1]:4001 */
    char *host = copy_bytes(place + has_brackets, (size_t)(colon - place) - 2 * (size_t)has_brackets);
    int failure = getaddrinfo(host, colon + 1, &hints, &found);
    free(host);
    if (failure != 0)
        return -1;
    fd = socket(found->ai_family, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) != 0)
        fd = -1;
    freeaddrinfo(found);
    /* Lines are short, and the other side waits for each. */
    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return fd;
}

static int connect_to(const char *address)
{
    errno = EINVAL;
    int fd = strncmp(address, "unix:", 5) == 0 ? connect_unix(address + 5) : strncmp(address, "tcp:", 4) == 0 ? connect_tcp(address + 4) : -1;
    if (fd < 0)
        lost("no testbed at %s: %s", address, strerror(errno));
    /* A child of the node must not keep the connection alive. */
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* Ends a line, and remembers it until flush(). */
static void say(kilter_gate *gate, kilter_text *line)
{
    add_bytes(line, "\n", 1);
    pthread_mutex_lock(&gate->lock);
    add_bytes(&gate->unsaid, line->text, line->length);
    pthread_mutex_unlock(&gate->lock);
    free(line->text);
}

static void flush(kilter_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    kilter_text lines = gate->unsaid;
    memset(&gate->unsaid, 0, sizeof gate->unsaid);
    pthread_mutex_unlock(&gate->lock);
    for (size_t n_sent = 0; n_sent < lines.length;) {
        ssize_t n = send(gate->socket, lines.text + n_sent, lines.length - n_sent, MSG_NOSIGNAL);
        if (n >= 0) {
            n_sent += (size_t)n;
        } else if (errno != EINTR) {
            /* The listener ends the process, unless the last that it reads is `stop`. */
            shutdown(gate->socket, SHUT_RDWR);
            break;
        }
    }
    free(lines.text);
}

/* Adds JSON that the node has made, in one line. */
static void add_json(kilter_text *line, const char *json, const char *what, const char *start)
{
    kilter_slice value = kilter_json(json);
    size_t i = line->length;
    if (value.text == NULL || (start != NULL && value.text[0] != *start))
        lost("not JSON for %s: %.80s", what, json == NULL ? "NULL" : json);
    kilter_add_slice(line, value);
    for (; i < line->length; i++)
        if (line->text[i] == '\n' || line->text[i] == '\r')
            line->text[i] = ' ';
}

/* ---- The testbed: what it says ---- */

static const char *const field_names[] = {"version", "id", "action", "args", "from", "message"};
enum field { HAS_VERSION = 1, HAS_ID = 2, HAS_ACTION = 4, HAS_ARGS = 8, HAS_FROM = 16, HAS_MESSAGE = 32 };

static const struct {
    const char *name;
    enum kind kind;
    unsigned needed, allowed; /* fields */
} sayings[] = {
    {"welcome", WELCOME, HAS_VERSION, HAS_VERSION},
    {"go", GO, HAS_ID, HAS_ID},
    {"drop", DROP, HAS_ID, HAS_ID},
    {"twice", TWICE, HAS_ID, HAS_ID},
    {"request", REQUEST, HAS_ID | HAS_ACTION, HAS_ID | HAS_ACTION | HAS_ARGS},
    {"deliver", DELIVER, HAS_FROM | HAS_MESSAGE, HAS_FROM | HAS_MESSAGE},
    {"stop", STOP, 0, 0},
};

/* Stores a field. 0 if it can't have this value. */
static int decode_field(struct arrival *told, unsigned field, kilter_slice value)
{
    switch (field) {
    case HAS_VERSION:
    case HAS_ID:
        return unsigned_integer(value, &told->id);
    case HAS_ACTION:
        return (told->event.action = kilter_json_string(value, NULL)) != NULL;
    case HAS_FROM:
        return (told->sender = kilter_json_string(value, NULL)) != NULL;
    case HAS_ARGS:
        told->event.args = kilter_json_copy(value);
        return starts_with(value, '[');
    default:
        told->event.message = kilter_json_copy(value);
        return 1;
    }
}

/* Stores the fields of a message, each at most once. Returns which there are, or all bits if one does not belong there. */
static unsigned decode_fields(struct arrival *told, kilter_slice content, unsigned allowed)
{
    const unsigned wrong = ~0U;
    unsigned seen = 0;
    kilter_slice rest, name, value;
    if (!starts_with(content, '{'))
        return wrong;
    for (rest = inside(content); next_item(&rest, &name, &value);) {
        unsigned field = 0;
        for (size_t i = 0; i < sizeof field_names / sizeof *field_names; i++)
            if (kilter_json_is(name, field_names[i]))
                field = 1U << i;
        if ((field & allowed & ~seen) == 0 || !decode_field(told, field, value))
            return wrong;
        seen |= field;
    }
    return seen;
}

/* Decodes a line. 0 if it is not of this protocol. */
static int decode(kilter_slice line, struct arrival *told)
{
    kilter_slice object = json_between(line.text, line.text + line.length), rest, name, content, more;
    memset(told, 0, sizeof *told);
    if (!starts_with(object, '{'))
        return 0;
    rest = inside(object);
    if (!next_item(&rest, &name, &content) || next_item(&rest, &more, &more))
        return 0;
    for (size_t i = 0; i < sizeof sayings / sizeof *sayings; i++) {
        if (!kilter_json_is(name, sayings[i].name))
            continue;
        told->kind = sayings[i].kind;
        unsigned seen = decode_fields(told, content, sayings[i].allowed);
        return (seen & ~sayings[i].allowed) == 0 && (seen & sayings[i].needed) == sayings[i].needed;
    }
    return 0;
}

/* Hears all whole lines. Returns where the rest begins, or NULL after `stop`. */
static const char *hear(kilter_gate *gate, const char *at, const char *unseen, const char *end)
{
    const char *line_end;
    for (; (line_end = memchr(unseen, '\n', (size_t)(end - unseen))) != NULL; at = unseen = line_end + 1) {
        struct arrival told;
        if (!decode(slice(at, line_end), &told))
            lost("not a message of the protocol: %.*s", line_end - at < 80 ? (int)(line_end - at) : 80, at);
        if (told.kind == REQUEST && told.event.args == NULL)
            told.event.args = copy_text("[]");
        if (told.kind != WELCOME)
            put(gate, told);
        if (told.kind == STOP)
            return NULL;
    }
    return at;
}

/* Reads until the testbed says stop. */
static void *listen_to_testbed(void *context)
{
    kilter_gate *gate = context;
    size_t capacity = 1 << 16, length = 0;
    char *buffer = grown(NULL, capacity);
    for (;;) {
        ssize_t n = recv(gate->socket, buffer + length, capacity - length, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        const char *rest = hear(gate, buffer, buffer + length, buffer + length + n);
        if (rest == NULL) {
            free(buffer);
            return NULL;
        }
        length = (size_t)(buffer + length + n - rest);
        memmove(buffer, rest, length);
        if (length == LINE_BYTES_MAX)
            lost("a line of more than %zu bytes", LINE_BYTES_MAX);
        if (length == capacity)
            buffer = grown(buffer, capacity *= 2);
    }
    free(buffer);
    pthread_mutex_lock(&gate->lock);
    int is_closing = gate->is_closing;
    pthread_mutex_unlock(&gate->lock);
    if (!is_closing)
        lost("the testbed is gone");
    return NULL;
}

/* ---- The testbed: what it is told ---- */

/* What was sent since the last call, with commas between. */
static kilter_text take_unreported(kilter_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    kilter_text unreported = gate->unreported;
    memset(&gate->unreported, 0, sizeof gate->unreported);
    pthread_mutex_unlock(&gate->lock);
    return unreported;
}

static void say_done(kilter_gate *gate, uint64_t id, int is_unknown)
{
    kilter_text line = {0};
    kilter_add(&line, "{\"done\":{\"id\":%llu,\"variables\":", (unsigned long long)id);
    add_json(&line, gate->variables, "variables", "{");
    kilter_text unreported = take_unreported(gate);
    if (unreported.length > 0) {
        kilter_add(&line, ",\"sent\":[");
        add_bytes(&line, unreported.text, unreported.length);
        kilter_add(&line, "]");
    }
    kilter_add(&line, is_unknown ? ",\"unknown\":true}}" : "}}");
    say(gate, &line);
    free(unreported.text);
}

static void say_number(kilter_gate *gate, const char *kind, const char *name, uint64_t number)
{
    kilter_text line = {0};
    kilter_add(&line, "{\"%s\":{\"%s\":%llu}}", kind, name, (unsigned long long)number);
    say(gate, &line);
}

void kilter_note(kilter_gate *gate, const char *text)
{
    kilter_text line = {0};
    if (gate->socket < 0)
        return;
    kilter_add(&line, "{\"note\":{\"text\":");
    kilter_add_string(&line, text);
    kilter_add(&line, "}}");
    say(gate, &line);
}

void kilter_sent(kilter_gate *gate, const char *to, const char *message)
{
    kilter_text sent = {0};
    if (gate->socket < 0 && gate->trace < 0)
        return;
    kilter_add(&sent, "{\"to\":");
    kilter_add_string(&sent, to);
    kilter_add(&sent, ",\"message\":");
    add_json(&sent, message, "a message that is sent", NULL);
    kilter_add(&sent, "}");
    pthread_mutex_lock(&gate->lock);
    if (gate->unreported.length > 0)
        add_bytes(&gate->unreported, ",", 1);
    add_bytes(&gate->unreported, sent.text, sent.length);
    pthread_mutex_unlock(&gate->lock);
    free(sent.text);
}

static int is_empty_array(kilter_slice value)
{
    return starts_with(value, '[') && kilter_json_item(value, 0).text == NULL;
}

/* Adds the arguments and the message of an event to a line. */
static void add_content(kilter_text *line, const kilter_event *event)
{
    if (event->args != NULL && !is_empty_array(kilter_json(event->args))) {
        kilter_add(line, ",\"args\":");
        add_json(line, event->args, "args", "[");
    }
    if (event->message != NULL) {
        kilter_add(line, ",\"message\":");
        add_json(line, event->message, "a message that has arrived", NULL);
    }
}

/* Offers an event, which is the gate's from now on. */
static void offer(kilter_gate *gate, kilter_event event, int is_wish)
{
    kilter_text line = {0};
    struct offer new = {++gate->last_id, is_wish, event};
    if (gate->n_standing == gate->standing_capacity) {
        gate->standing_capacity = 2 * gate->standing_capacity + 16;
        gate->standing = grown(gate->standing, gate->standing_capacity * sizeof *gate->standing);
    }
    gate->standing[gate->n_standing++] = new;
    kilter_add(&line, "{\"offer\":{\"id\":%llu,\"action\":", (unsigned long long)new.id);
    kilter_add_string(&line, event.action);
    add_content(&line, &event);
    kilter_add(&line, "}}");
    say(gate, &line);
}

/* Takes an offer off the list. 0 if it does not stand any more: the answer and a withdrawal crossed. */
static int take_offer(kilter_gate *gate, uint64_t id, struct offer *taken)
{
    for (size_t i = 0; i < gate->n_standing; i++) {
        if (gate->standing[i].id != id)
            continue;
        *taken = gate->standing[i];
        gate->n_standing--;
        memmove(&gate->standing[i], &gate->standing[i + 1], (gate->n_standing - i) * sizeof *gate->standing);
        return 1;
    }
    return 0;
}

static int same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static int same_look(const kilter_event *a, const kilter_event *b)
{
    return same_text(a->action, b->action) && same_text(a->args, b->args) && same_text(a->message, b->message);
}

static const kilter_event *find_wish(const kilter_event *wishes, size_t n_wishes, const kilter_event *like)
{
    for (size_t i = 0; i < n_wishes; i++)
        if (same_look(&wishes[i], like))
            return &wishes[i];
    return NULL;
}

static int is_offered(const kilter_gate *gate, const kilter_event *wish)
{
    for (size_t i = 0; i < gate->n_standing; i++)
        if (gate->standing[i].is_wish && same_look(&gate->standing[i].event, wish))
            return 1;
    return 0;
}

/* Offers the wishes that are new, and withdraws those that are gone. */
static void offer_wishes(kilter_gate *gate, const kilter_event *wishes, size_t n_wishes)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < gate->n_standing; i++) {
        struct offer *standing = &gate->standing[i];
        const kilter_event *wish = standing->is_wish ? find_wish(wishes, n_wishes, &standing->event) : NULL;
        if (wish != NULL)
            standing->event.data = wish->data;
        if (wish != NULL || !standing->is_wish) {
            gate->standing[n_kept++] = *standing;
        } else {
            say_number(gate, "withdraw", "id", standing->id);
            free_event(gate, &standing->event, 1);
        }
    }
    gate->n_standing = n_kept;
    for (size_t i = 0; i < n_wishes; i++)
        if (!is_offered(gate, &wishes[i]))
            offer(gate, copy_event(&wishes[i]), 1);
}

/* Reports the event in hand as done, or the node's first state. */
static void finish(kilter_gate *gate)
{
    kilter_text line = {0};
    if (gate->is_fresh) {
        gate->is_fresh = 0;
        kilter_add(&line, "{\"report\":{\"variables\":");
        add_json(&line, gate->variables, "variables", "{");
        kilter_add(&line, "}}");
        say(gate, &line);
    }
    if (!gate->has_event)
        return;
    say_done(gate, gate->in_hand.id, 0);
    if (gate->offer_again) {
        offer(gate, gate->in_hand.event, 0);
        memset(&gate->in_hand, 0, sizeof gate->in_hand);
        gate->offer_again = gate->has_event = 0;
    }
    let_go(gate);
}

static void take_request(kilter_gate *gate, const struct arrival *told)
{
    kilter_event event = told->event;
    if (gate->callbacks.from_request != NULL && gate->callbacks.from_request(gate->callbacks.context, &event))
        hold(gate, told->id, 0, copy_event(&event));
    else
        say_done(gate, told->id, 1);
}

static void take_delivery(kilter_gate *gate, const struct arrival *told)
{
    kilter_event event = told->event;
    if (gate->callbacks.from_delivery != NULL && gate->callbacks.from_delivery(gate->callbacks.context, told->sender, &event)) {
        offer(gate, copy_event(&event), 0);
        return;
    }
    kilter_text text = {0};
    kilter_add(&text, "can't take delivery of %.200s", told->event.message);
    kilter_note(gate, text.text);
    free(text.text);
}

/* What becomes of something that arrived: gate->has_event if it is to be handled now. */
static void take_in(kilter_gate *gate, struct arrival *arrival)
{
    struct offer taken;
    switch (arrival->kind) {
    case MESSAGE:
        gate->received++;
        /* fall through */
    case EVENT:
        offer(gate, arrival->event, 0);
        memset(&arrival->event, 0, sizeof arrival->event);
        break;
    case GO:
    case TWICE:
        if (take_offer(gate, arrival->id, &taken)) {
            hold(gate, taken.id, taken.is_wish, taken.event);
            gate->offer_again = arrival->kind == TWICE && !taken.is_wish;
        }
        break;
    case DROP:
        if (take_offer(gate, arrival->id, &taken)) {
            say_done(gate, taken.id, 0);
            free_event(gate, &taken.event, taken.is_wish);
        }
        break;
    case REQUEST:
        take_request(gate, arrival);
        break;
    case DELIVER:
        take_delivery(gate, arrival);
        break;
    case STOP:
        gate->has_stopped = 1;
        pthread_join(gate->listener, NULL); /* this was the last that it hears */
        break;
    case WELCOME:
        break;
    }
}

static int is_idle(kilter_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    int is_empty = gate->first == NULL;
    pthread_mutex_unlock(&gate->lock);
    return is_empty;
}

static void next_as_told(kilter_gate *gate, const kilter_event *wishes, size_t n_wishes)
{
    finish(gate);
    offer_wishes(gate, wishes, n_wishes);
    while (!gate->has_event && !gate->has_stopped) {
        if (is_idle(gate)) {
            say_number(gate, "still", "received", gate->received);
            flush(gate);
        }
        struct arrival *arrival = take(gate, -1);
        take_in(gate, arrival);
        free_arrival(gate, arrival);
    }
    flush(gate);
}

/* ---- Traces: what a node does without a testbed, for `kilter follow`. docs/protocol.md has the lines. ---- */

#define KEPT_MIN 4 /* a sequence that keeps fewer elements is written whole */

/* The program goes on: its trace is less important than what it does. */
static void end_trace(kilter_gate *gate)
{
    fprintf(stderr, "kilter_probe: the trace can't be written: %s\n", strerror(errno));
    if (gate->trace >= 0)
        close(gate->trace); /* a trace with a gap would be a wrong one */
    gate->trace = -1;
}

static void open_trace(kilter_gate *gate, const char *path)
{
    const char *node = getenv("KILTER_NODE"), *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1, *dot = strrchr(name, '.');
    gate->node = node != NULL ? copy_text(node) : copy_bytes(name, dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name));
    gate->trace = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (gate->trace < 0)
        end_trace(gate);
}

static kilter_text trace_line(const kilter_gate *gate, const char *event)
{
    kilter_text line = {0};
    kilter_add(&line, "{\"event\":");
    kilter_add_string(&line, event);
    kilter_add(&line, ",\"node\":");
    kilter_add_string(&line, gate->node);
    return line;
}

/* What the clock says of a node, which it now knows. */
static struct tick *tick_of(kilter_gate *gate, const char *node)
{
    for (size_t i = 0; i < gate->n_clock; i++)
        if (strcmp(gate->clock[i].node, node) == 0)
            return &gate->clock[i];
    gate->clock = grown(gate->clock, (gate->n_clock + 1) * sizeof *gate->clock);
    gate->clock[gate->n_clock] = (struct tick){.node = copy_text(node)};
    return &gate->clock[gate->n_clock++];
}

/* From now on, lines have a clock. The node's own number begins with the time of day in microseconds, so that it goes on when the node is started again,
 * without being stored. */
static void begin_clock(kilter_gate *gate)
{
    struct timespec now;
    if (gate->clock != NULL)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    tick_of(gate, gate->node)->number = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void add_clock(kilter_text *to, const kilter_gate *gate)
{
    for (size_t i = 0; i < gate->n_clock; i++) {
        kilter_add(to, i == 0 ? "{" : ",");
        kilter_add_string(to, gate->clock[i].node);
        kilter_add(to, ":%llu", (unsigned long long)gate->clock[i].number);
    }
    kilter_add(to, "}");
}

char *kilter_vector_clock(kilter_gate *gate)
{
    kilter_text clock = {0};
    if (gate->trace < 0)
        return NULL;
    pthread_mutex_lock(&gate->lock);
    begin_clock(gate);
    add_clock(&clock, gate);
    pthread_mutex_unlock(&gate->lock);
    return clock.text;
}

void kilter_heard(kilter_gate *gate, kilter_slice clock)
{
    kilter_slice rest, name, value;
    uint64_t number;
    if (gate->trace < 0)
        return;
    pthread_mutex_lock(&gate->lock);
    begin_clock(gate);
    if (starts_with(clock, '{'))
        for (rest = inside(clock); next_item(&rest, &name, &value);)
            if (unsigned_integer(value, &number)) {
                char *node = kilter_json_string(name, NULL);
                struct tick *known = tick_of(gate, node);
                if (number > known->number)
                    known->number = number;
                free(node);
            }
    pthread_mutex_unlock(&gate->lock);
}

/* Ends a line, and writes it in one piece: a node that is killed leaves whole lines. */
static void write_trace(kilter_gate *gate, kilter_text *line)
{
    add_bytes(line, "}\n", 2);
    for (size_t n_written = 0; n_written < line->length && gate->trace >= 0;) {
        ssize_t n = write(gate->trace, line->text + n_written, line->length - n_written);
        if (n >= 0)
            n_written += (size_t)n;
        else if (errno != EINTR)
            end_trace(gate);
    }
    free(line->text);
}

static int same_slice(kilter_slice a, kilter_slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.text, b.text, a.length) == 0);
}

/* The value of a field whose name looks like this. */
static kilter_slice find_field(kilter_slice object, kilter_slice name)
{
    kilter_slice rest, key, value;
    if (object.text != NULL)
        for (rest = inside(object); next_item(&rest, &key, &value);)
            if (same_slice(key, name))
                return value;
    return no_value;
}

/* Adds the new value of a variable, or the end of a sequence that has only changed there. */
static void add_change(kilter_text *line, kilter_slice old, kilter_slice new)
{
    size_t n_kept = 0;
    if (starts_with(old, '[') && starts_with(new, '[')) {
        kilter_slice old_rest = inside(old), rest = inside(new), after = rest, old_item, item;
        while (next_item(&old_rest, NULL, &old_item) && next_item(&after, NULL, &item) && same_slice(old_item, item)) {
            rest = after;
            n_kept++;
        }
        if (n_kept >= KEPT_MIN) {
            const char *end = rest.text + rest.length, *at = skip_space(rest.text, end);
            kilter_add(line, "{\"@keep\":%zu,\"@then\":[", n_kept);
            kilter_add_slice(line, slice(at < end && *at == ',' ? at + 1 : at, end));
            kilter_add(line, "]}");
            return;
        }
    }
    kilter_add_slice(line, new);
}

/* Adds the variables that have changed. */
static void add_changes(kilter_text *line, kilter_slice old, kilter_slice new)
{
    kilter_slice rest, name, value;
    const char *comma = "";
    kilter_add(line, "{");
    for (rest = inside(new); next_item(&rest, &name, &value);) {
        kilter_slice before = find_field(old, name);
        if (same_slice(before, value))
            continue;
        kilter_add(line, "%s", comma);
        kilter_add_slice(line, name);
        kilter_add(line, ":");
        add_change(line, before, value);
        comma = ",";
    }
    kilter_add(line, "}");
}

/* Writes that the event in hand is over, or that the node has started. It now holds these variables. */
static void trace_end(kilter_gate *gate, const char *variables)
{
    kilter_text now = {0}, line, unreported = take_unreported(gate);
    add_json(&now, variables, "variables", "{");
    if (gate->known == NULL) {
        line = trace_line(gate, "kilter.start");
        kilter_add(&line, ",\"state\":");
        add_bytes(&line, now.text, now.length);
        write_trace(gate, &line);
    } else if (gate->has_event) {
        line = trace_line(gate, gate->in_hand.event.action);
        add_content(&line, &gate->in_hand.event);
        kilter_add(&line, ",\"delta\":true,\"state\":");
        add_changes(&line, kilter_json(gate->known), kilter_json(now.text));
        kilter_add(&line, ",\"sent\":[");
        if (unreported.length > 0)
            add_bytes(&line, unreported.text, unreported.length);
        kilter_add(&line, "]");
        pthread_mutex_lock(&gate->lock);
        if (gate->clock != NULL) {
            kilter_add(&line, ",\"clock\":");
            add_clock(&line, gate);
        }
        pthread_mutex_unlock(&gate->lock);
        write_trace(gate, &line);
    }
    free(unreported.text);
    free(gate->known);
    gate->known = now.text;
}

/* Writes that the event in hand begins. */
static void trace_begin(kilter_gate *gate)
{
    kilter_text line = trace_line(gate, "kilter.begin");
    pthread_mutex_lock(&gate->lock);
    if (gate->clock != NULL)
        gate->clock[0].number++;
    pthread_mutex_unlock(&gate->lock);
    kilter_add(&line, ",\"of\":");
    kilter_add_string(&line, gate->in_hand.event.action);
    add_content(&line, &gate->in_hand.event);
    write_trace(gate, &line);
}

int kilter_gate_next(kilter_gate *gate, const char *variables, const kilter_event *wishes, size_t n_wishes, kilter_event *event)
{
    if (gate->socket < 0) {
        if (gate->trace >= 0)
            trace_end(gate, variables);
        next_by_itself(gate, wishes, n_wishes);
        if (gate->trace >= 0)
            trace_begin(gate);
    } else {
        gate->variables = variables;
        next_as_told(gate, wishes, n_wishes);
    }
    *event = gate->in_hand.event;
    return gate->has_event;
}

static void say_hello(kilter_gate *gate)
{
    const char *node = getenv("KILTER_NODE"), *token = getenv("KILTER_TOKEN");
    kilter_text line = {0};
    kilter_add(&line, "{\"hello\":{\"version\":%d,\"node\":", VERSION);
    kilter_add_string(&line, node == NULL ? "" : node);
    kilter_add(&line, ",\"token\":");
    kilter_add_string(&line, token == NULL ? "" : token);
    kilter_add(&line, ",\"says_still\":true,\"takes_delivery\":%s}}", gate->callbacks.from_delivery == NULL ? "false" : "true");
    say(gate, &line);
    flush(gate);
}

kilter_gate *kilter_gate_new(const kilter_callbacks *callbacks)
{
    const char *address = getenv("KILTER_ADDRESS"), *trace = getenv("KILTER_TRACE");
    kilter_gate *gate = grown(NULL, sizeof *gate);
    open_queue(gate, callbacks);
    gate->is_fresh = 1;
    gate->socket = address == NULL ? -1 : connect_to(address);
    gate->trace = -1;
    if (address == NULL && trace != NULL)
        open_trace(gate, trace);
    if (address != NULL) {
        say_hello(gate);
        if (pthread_create(&gate->listener, NULL, listen_to_testbed, gate) != 0)
            lost("can't start a thread");
    }
    return gate;
}

void kilter_gate_free(kilter_gate *gate)
{
    if (gate->socket >= 0) {
        pthread_mutex_lock(&gate->lock);
        gate->is_closing = 1;
        pthread_mutex_unlock(&gate->lock);
        shutdown(gate->socket, SHUT_RDWR);
        if (!gate->has_stopped)
            pthread_join(gate->listener, NULL);
        close(gate->socket);
    }
    for (size_t i = 0; i < gate->n_standing; i++)
        free_event(gate, &gate->standing[i].event, gate->standing[i].is_wish);
    free(gate->standing);
    free(gate->unsaid.text);
    free(gate->unreported.text);
    if (gate->trace >= 0)
        close(gate->trace);
    for (size_t i = 0; i < gate->n_clock; i++)
        free(gate->clock[i].node);
    free(gate->clock);
    free(gate->node);
    free(gate->known);
    close_queue(gate);
    free(gate);
}

#endif
