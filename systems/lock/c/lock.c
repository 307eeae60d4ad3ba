/* A node of the lock service: `n1` is the server, all others are clients.
 *
 *     lock n2 n1=127.0.0.1:4001,n2=127.0.0.1:4002
 *
 * A client asks for the lock a second after it has started, holds it for a second, and asks again. With LOCK_BUG=1 the server grants the lock even
 * if somebody holds it. */

#define _POSIX_C_SOURCE 200809L

#include "kilter_probe.h"

#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SERVER "n1"
#define TIMER_MS 1000

struct node {
    kilter_gate *gate;
    const char *name, *peers;
    int is_server, has_bug;
    int holds, asked; /* a client's */
    int64_t due_ms;   /* when it asks, or gives the lock back */
    char *holder;     /* the server's; NULL if nobody holds the lock */
    char **waiting;
    size_t n_waiting;
};

/* Copies where a node listens, HOST:PORT. 0 if nobody knows. */
static int find_place(const char *peers, const char *name, char *place, size_t size)
{
    size_t length = strlen(name);
    for (const char *peer = peers; peer != NULL; peer = strchr(peer, ',')) {
        peer += *peer == ',';
        if (strncmp(peer, name, length) == 0 && peer[length] == '=') {
            const char *start = peer + length + 1;
            snprintf(place, size, "%.*s", (int)strcspn(start, ","), start);
            return 1;
        }
    }
    return 0;
}

/* Opens a socket that listens at the place of a node, or one that is connected with it. -1 if that can't be. */
static int open_socket(const char *peers, const char *name, int listens)
{
    struct addrinfo hints = {0}, *found;
    char place[256];
    int yes = 1, failure;
    if (!find_place(peers, name, place, sizeof place) || strrchr(place, ':') == NULL)
        return -1;
    char *port = strrchr(place, ':') + 1;
    port[-1] = 0;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(place, port, &hints, &found) != 0)
        return -1;
    int fd = socket(found->ai_family, SOCK_STREAM, 0);
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

/* One connection a message. If there is none, the receiver is down, and the message is lost. With a trace, the vector clock goes along. */
static void send_message(struct node *node, const char *type, const char *to)
{
    kilter_text message = {0}, line = {0};
    char *clock = kilter_vector_clock(node->gate);
    kilter_add(&message, "{\"type\":\"%s\",\"from\":", type);
    kilter_add_string(&message, node->name);
    kilter_add(&message, ",\"to\":");
    kilter_add_string(&message, to);
    kilter_add(&message, "}");
    if (clock == NULL)
        kilter_add(&line, "%s\n", message.text);
    else
        kilter_add(&line, "{\"message\":%s,\"clock\":%s}\n", message.text, clock);
    int fd = open_socket(node->peers, to, 0);
    if (fd >= 0) {
        send(fd, line.text, line.length, MSG_NOSIGNAL);
        close(fd);
    }
    kilter_sent(node->gate, to, message.text);
    free(clock);
    free(line.text);
    free(message.text);
}

/* Sets the action that takes a message in. 0 if there is none. */
static int name_action(kilter_event *event)
{
    kilter_slice type = kilter_json_field(kilter_json(event->message), "type");
    event->action = kilter_json_is(type, "ask")       ? "HandleAsk"
                    : kilter_json_is(type, "grant")   ? "HandleGrant"
                    : kilter_json_is(type, "release") ? "HandleRelease"
                                                      : NULL;
    return event->action != NULL;
}

static int from_delivery(void *context, const char *sender, kilter_event *event)
{
    (void)context, (void)sender;
    return name_action(event);
}

static void grant(struct node *node, char *client)
{
    free(node->holder);
    node->holder = client;
    send_message(node, "grant", client);
}

static void handle_ask(struct node *node, char *client)
{
    if (node->holder == NULL || node->has_bug) {
        grant(node, client);
        return;
    }
    node->waiting = realloc(node->waiting, (node->n_waiting + 1) * sizeof *node->waiting);
    node->waiting[node->n_waiting++] = client;
}

static void handle_release(struct node *node)
{
    if (node->n_waiting == 0) {
        free(node->holder);
        node->holder = NULL;
        return;
    }
    char *client = node->waiting[0];
    node->n_waiting--;
    memmove(node->waiting, node->waiting + 1, node->n_waiting * sizeof *node->waiting);
    grant(node, client);
}

static void handle(struct node *node, const kilter_event *event)
{
    if (event->message != NULL)
        kilter_heard(node->gate, kilter_json(event->data));
    if (strcmp(event->action, "HandleAsk") == 0) {
        char *client = kilter_json_string(kilter_json_field(kilter_json(event->message), "from"), NULL);
        if (client != NULL)
            handle_ask(node, client);
    } else if (strcmp(event->action, "HandleRelease") == 0) {
        handle_release(node);
    } else if (strcmp(event->action, "HandleGrant") == 0) {
        node->holds = 1;
        node->asked = 0;
        node->due_ms = kilter_now_ms() + TIMER_MS;
    } else if (strcmp(event->action, "Ask") == 0) {
        node->asked = 1;
        send_message(node, "ask", SERVER);
    } else if (strcmp(event->action, "Release") == 0) {
        node->holds = 0;
        node->due_ms = kilter_now_ms() + TIMER_MS;
        send_message(node, "release", SERVER);
    }
}

static char *variables(const struct node *node)
{
    kilter_text text = {0};
    if (!node->is_server) {
        kilter_add(&text, "{\"holds\":%s,\"asked\":%s}", node->holds ? "true" : "false", node->asked ? "true" : "false");
        return text.text;
    }
    kilter_add(&text, "{\"holder\":");
    if (node->holder == NULL)
        kilter_add(&text, "null");
    else
        kilter_add_string(&text, node->holder);
    kilter_add(&text, ",\"waiting\":[");
    for (size_t i = 0; i < node->n_waiting; i++) {
        kilter_add(&text, i == 0 ? "" : ",");
        kilter_add_string(&text, node->waiting[i]);
    }
    kilter_add(&text, "]}");
    return text.text;
}

/* Stores what the node can do by itself, and returns how many that are. */
static size_t wishes(const struct node *node, kilter_event *wish)
{
    if (node->is_server || node->asked)
        return 0;
    *wish = (kilter_event){.action = node->holds ? "Release" : "Ask", .due_ms = node->due_ms};
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
    kilter_event event = {.message = text};
    if (name_action(&event)) {
        event.data = kilter_json_copy(kilter_json_field(whole, "clock"));
        kilter_message(gate, &event);
    }
    free(text);
}

/* Takes in messages, for ever. */
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
    static struct node node;
    static struct inbox inbox; /* the receiver uses it until the process has ended */
    if (argc != 3) {
        fprintf(stderr, "usage: %s NODE NAME=HOST:PORT,...\n", argv[0]);
        return 2;
    }
    const char *bug = getenv("LOCK_BUG");
    node.name = argv[1];
    node.peers = argv[2];
    node.is_server = strcmp(node.name, SERVER) == 0;
    node.has_bug = bug != NULL && strcmp(bug, "1") == 0;
    node.due_ms = kilter_now_ms() + TIMER_MS;
    inbox.listener = open_socket(node.peers, node.name, 1);
    if (inbox.listener < 0) {
        perror(node.name);
        return 1;
    }
    kilter_callbacks callbacks = {.from_delivery = from_delivery, .free_data = free};
    node.gate = inbox.gate = kilter_gate_new(&callbacks);
    pthread_t receiver;
    if (pthread_create(&receiver, NULL, receive, &inbox) != 0) {
        perror("pthread_create");
        return 1;
    }

    kilter_event wish, event;
    for (;;) {
        char *now = variables(&node);
        int goes_on = kilter_gate_next(node.gate, now, &wish, wishes(&node, &wish), &event);
        free(now);
        if (!goes_on)
            return 0;
        handle(&node, &event);
    }
}
