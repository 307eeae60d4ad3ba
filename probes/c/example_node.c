/* A small node under a testbed's control: it counts, tells its peers, and takes over a higher count that it hears of.
 *
 *     example_node --node n1 --listen 127.0.0.1:4001 --peers n1=127.0.0.1:4001,n2=127.0.0.1:4002
 *
 * It ticks by itself once a second without a testbed, and when told to with one. */

#define _POSIX_C_SOURCE 200809L

#include "kilter_probe.h"

#include <inttypes.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TICK_MS 1000
#define TICKS_MAX 3
#define HOUR_MS 3600000

struct node {
    kilter_gate *gate;
    kilter_clock clock;
    const char *name, *peers;
    int64_t count, jobs;
    char *value;         /* JSON */
    int64_t tick_due_ms; /* 0 if the timer is not armed */
};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* Opens a socket that listens at HOST:PORT, or one that is connected with it. -1 if that can't be. */
static int open_socket(const char *place, int listens)
{
    struct addrinfo hints = {0}, *found;
    char host[256];
    int yes = 1;
    const char *colon = strrchr(place, ':');
    hints.ai_socktype = SOCK_STREAM;
    if (colon == NULL)
        return -1;
    snprintf(host, sizeof host, "%.*s", (int)(colon - place), place);
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
        return -1;
    int fd = socket(found->ai_family, SOCK_STREAM, 0), failure;
    if (listens) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        failure = bind(fd, found->ai_addr, found->ai_addrlen) || listen(fd, SOMAXCONN);
    } else {
        failure = connect(fd, found->ai_addr, found->ai_addrlen);
    }
    freeaddrinfo(found);
    if (!failure)
        return fd;
    close(fd);
    return -1;
}

/* One connection a message: a peer that was killed and started again can't swallow it. With a trace, the vector clock goes along. */
static void send_message(struct node *node, const char *peer, const char *place, const char *message)
{
    kilter_text line = {0};
    char *clock = kilter_vector_clock(node->gate);
    if (clock == NULL)
        kilter_add(&line, "%s\n", message);
    else
        kilter_add(&line, "{\"message\":%s,\"clock\":%s}\n", message, clock);
    int fd = open_socket(place, 0);
    /* If there is none, the peer is down, and messages may be lost. */
    if (fd >= 0) {
        send(fd, line.text, line.length, MSG_NOSIGNAL);
        close(fd);
    }
    kilter_sent(node->gate, peer, message);
    free(clock);
    free(line.text);
}

static void tell_peers(struct node *node)
{
    char *peers = strdup(node->peers), *rest, *peer;
    for (peer = strtok_r(peers, ",", &rest); peer != NULL; peer = strtok_r(NULL, ",", &rest)) {
        char *place = strchr(peer, '=');
        if (place == NULL)
            continue;
        *place++ = 0;
        if (strcmp(peer, node->name) == 0)
            continue;
        kilter_text message = {0};
        kilter_add(&message, "{\"from\":");
        kilter_add_string(&message, node->name);
        kilter_add(&message, ",\"to\":");
        kilter_add_string(&message, peer);
        kilter_add(&message, ",\"count\":%" PRId64 "}", node->count);
        send_message(node, peer, place, message.text);
        free(message.text);
    }
    free(peers);
}

struct job {
    kilter_gate *gate;
    int64_t number;
    pthread_t thread;
};

static void *do_job(void *context)
{
    struct job *job = context;
    char args[32];
    kilter_event event = {.action = "Job", .args = args};
    snprintf(args, sizeof args, "[%" PRId64 "]", job->number);
    kilter_push(job->gate, &event);
    return NULL;
}

/* Starts threads, each of which hands the gate an event, and waits until all have done so. */
static void work(struct node *node, int64_t n_jobs)
{
    struct job *jobs = calloc((size_t)n_jobs + 1, sizeof *jobs);
    for (int64_t i = 0; i < n_jobs; i++) {
        jobs[i].gate = node->gate;
        jobs[i].number = i;
        if (pthread_create(&jobs[i].thread, NULL, do_job, &jobs[i]) != 0)
            fail("pthread_create");
    }
    for (int64_t i = 0; i < n_jobs; i++)
        pthread_join(jobs[i].thread, NULL);
    free(jobs);
}

/* An event of a message of a peer. The clock that came with it is JSON, or NULL. */
static kilter_event take(const char *message, char *clock)
{
    kilter_event event = {.action = "Take", .message = message, .data = clock};
    return event;
}

static int from_delivery(void *context, const char *sender, kilter_event *event)
{
    (void)context, (void)sender;
    *event = take(event->message, NULL);
    return 1;
}

static kilter_slice first_arg(const kilter_event *event)
{
    return kilter_json_item(kilter_json(event->args), 0);
}

/* What the testbed can ask for. */
static int from_request(void *context, kilter_event *event)
{
    struct node *node = context;
    kilter_slice arg = first_arg(event);
    int64_t number;
    if (strcmp(event->action, "Set") == 0)
        return kilter_json_integer(arg, &number);
    if (strcmp(event->action, "Work") == 0)
        return kilter_json_integer(arg, &number) && number >= 0;
    if (strcmp(event->action, "Keep") == 0)
        return arg.text != NULL;
    if (strcmp(event->action, "Note") == 0)
        return arg.text != NULL && arg.text[0] == '"';
    return kilter_clock_request(&node->clock, event);
}

static void handle(struct node *node, const kilter_event *event)
{
    kilter_slice arg = first_arg(event);
    int64_t number = 0;
    if (strcmp(event->action, "Tick") == 0) {
        node->count++;
        node->tick_due_ms = 0;
        tell_peers(node);
    } else if (strcmp(event->action, "Take") == 0) {
        kilter_heard(node->gate, kilter_json(event->data));
        if (kilter_json_integer(kilter_json_field(kilter_json(event->message), "count"), &number) && number > node->count)
            node->count = number;
    } else if (strcmp(event->action, "Job") == 0) {
        node->jobs++;
    } else if (strcmp(event->action, "Set") == 0) {
        kilter_json_integer(arg, &node->count);
    } else if (strcmp(event->action, "Work") == 0) {
        kilter_json_integer(arg, &number);
        work(node, number);
    } else if (strcmp(event->action, "Keep") == 0) {
        free(node->value);
        node->value = kilter_json_copy(arg);
    } else if (strcmp(event->action, "Note") == 0) {
        char *text = kilter_json_string(arg, NULL);
        kilter_note(node->gate, text);
        free(text);
    }
}

static char *variables(const struct node *node)
{
    const kilter_clock machine = {0};
    int64_t ahead_ms = kilter_clock_now_ms(&node->clock) - kilter_clock_now_ms(&machine);
    kilter_text text = {0};
    kilter_add(&text, "{\"count\":%" PRId64 ",\"jobs\":%" PRId64, node->count, node->jobs);
    kilter_add(&text, ",\"hours\":%" PRId64 ",\"value\":%s}", (ahead_ms + HOUR_MS / 2) / HOUR_MS, node->value);
    return text.text;
}

/* Stores what the node can do by itself, and returns how many that are. It ticks up to three; a peer may bring it further. */
static size_t wishes(struct node *node, kilter_event *tick)
{
    if (node->count >= TICKS_MAX) {
        node->tick_due_ms = 0;
        return 0;
    }
    if (node->tick_due_ms == 0)
        node->tick_due_ms = kilter_now_ms() + TICK_MS;
    *tick = (kilter_event){.action = "Tick", .due_ms = node->tick_due_ms};
    return 1;
}

struct inbox {
    int listener;
    kilter_gate *gate;
};

/* Hands over the message of a line, which may have a clock beside it. */
static void take_line(kilter_gate *gate, const char *line)
{
    kilter_slice whole = kilter_json(line), message = kilter_json_field(whole, "message");
    char *text = kilter_json_copy(message.text == NULL ? whole : message);
    if (text != NULL) {
        kilter_event event = take(text, kilter_json_copy(kilter_json_field(whole, "clock")));
        kilter_message(gate, &event);
    }
    free(text);
}

/* Takes in messages of peers, for ever. */
static void *receive(void *context)
{
    struct inbox *inbox = context;
    char *line = NULL;
    size_t capacity = 0;
    for (;;) {
        int fd = accept(inbox->listener, NULL, NULL);
        FILE *lines = fd < 0 ? NULL : fdopen(fd, "r");
        while (lines != NULL && getline(&line, &capacity, lines) > 0)
            take_line(inbox->gate, line);
        if (lines != NULL)
            fclose(lines);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct node node = {0};
    const char *place = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        const char **option = strcmp(argv[i], "--node") == 0     ? &node.name
                              : strcmp(argv[i], "--peers") == 0  ? &node.peers
                              : strcmp(argv[i], "--listen") == 0 ? &place
                                                                 : NULL;
        if (option != NULL)
            *option = argv[i + 1];
    }
    if (node.name == NULL || node.peers == NULL || place == NULL) {
        fprintf(stderr, "usage: %s --node NAME --listen HOST:PORT --peers NAME=HOST:PORT,...\n", argv[0]);
        return 2;
    }
    static struct inbox inbox; /* the receiver uses it until the process has ended */
    inbox.listener = open_socket(place, 1);
    if (inbox.listener < 0)
        fail(place);
    kilter_callbacks callbacks = {.context = &node, .from_delivery = from_delivery, .from_request = from_request, .free_data = free};
    node.gate = inbox.gate = kilter_gate_new(&callbacks);
    node.value = strdup("null");
    pthread_t receiver;
    if (pthread_create(&receiver, NULL, receive, &inbox) != 0)
        fail("pthread_create");

    kilter_event tick, event;
    for (;;) {
        char *now = variables(&node);
        size_t n_wishes = wishes(&node, &tick);
        int goes_on = kilter_gate_next(node.gate, now, &tick, n_wishes, &event);
        free(now);
        if (!goes_on)
            break;
        handle(&node, &event);
    }
    free(node.value);
    return 0;
}
