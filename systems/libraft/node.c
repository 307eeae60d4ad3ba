/* A node of the C library libraft under a testbed's control: the library as Debian ships it, with an io of ours.
 *
 *     node --node n1 --listen 127.0.0.1:4001 --peers n1=127.0.0.1:4001,n2=... [--data DIRECTORY] [--disk later]
 *          [--threshold N] [--trailing N]
 *
 * The library acts only when its io calls it, and each call is an action here:
 *
 * - a message has arrived: HandleRequestVote, HandleRequestVoteResult, HandleAppendEntries, HandleAppendEntriesResult, HandleInstallSnapshot
 * - the io ticks, and the clock, which stands still otherwise, has come to the library's next deadline: Timeout, Heartbeat, CheckQuorum
 * - the disk has written entries or a snapshot: WriteDone. With `--disk later` it is an action of its own; otherwise it ends the action that began the write
 * - a client asks for something: the request ClientRequest
 *
 * Term and vote are on disk when set_term() and set_vote() return, as the library demands. Entries are on disk when their write is done.
 *
 * The state machine remembers the values that were applied, and a snapshot has them all. So that states and messages show the terms too, the
 * disk keeps the entries that a snapshot stands for; the library never sees these again. */

#define _POSIX_C_SOURCE 200809L

#include "kilter_probe.h"

#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <raft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NODES_MAX 9
#define ENTRIES_MAX 64
#define ELECTION_MS 1000
#define HEARTBEAT_MS 100

/* A log entry as the testbed sees it. The value of a configuration is 0. */
struct entry {
    raft_term term;
    int64_t value;
};

struct list {
    struct entry entries[ENTRIES_MAX];
    size_t n;
};

/* Entries on their way to the disk, or a snapshot: then the list has what it stands for. */
struct write {
    size_t index; /* of the first, in the log; 0 for a snapshot */
    struct list list;
    struct raft_io_append *request;
    raft_io_append_cb done;
    struct raft_io_snapshot_put *put;
    raft_io_snapshot_put_cb put_done;
    int installs; /* the snapshot is a leader's, and replaces everything */
    size_t trailing;
    struct write *next;
};

/* Where a log was cut: the last entry of the snapshot, and how many entries were dropped. */
struct cut {
    size_t snapshot, dropped;
};

/* A message that has left, and whom to tell. */
struct sending {
    struct raft_io_send *request;
    raft_io_send_cb done;
    struct sending *next;
};

/* The library wants the snapshot that is on disk. */
struct getting {
    struct raft_io_snapshot_get *request;
    raft_io_snapshot_get_cb done;
    struct getting *next;
};

struct node {
    kilter_gate *gate;
    const char *name, *data;
    size_t n_nodes, self; /* the id of node k is k + 1 */
    char *names[NODES_MAX], *places[NODES_MAX];
    int connections[NODES_MAX];
    int writes_later;

    raft_time now_ms;
    raft_io_tick_cb tick;
    raft_io_recv_cb receive;
    raft_term term;
    raft_id vote;
    struct list disk;
    struct cut saved;
    size_t end; /* where the next append begins, minus 1 */
    struct write *writes;
    struct sending *sendings;
    struct getting *gettings;
    struct list incoming; /* what the snapshot that is being handled stands for */
    unsigned threshold, trailing;

    struct list applied;
    struct raft raft;
    struct raft_io io;
    struct raft_fsm fsm;
};

static void fail(const char *what)
{
    fprintf(stderr, "libraft node: %s\n", what);
    exit(1);
}

static const char *name_of(const struct node *node, raft_id id)
{
    if (id < 1 || id > node->n_nodes)
        fail("the library names a server that is not there");
    return node->names[id - 1];
}

static raft_id id_of(const struct node *node, kilter_slice name)
{
    for (size_t k = 0; k < node->n_nodes; k++)
        if (kilter_json_is(name, node->names[k]))
            return k + 1;
    fail("a message names a server that is not there");
    return 0;
}

static void add_name(kilter_text *text, const struct node *node, raft_id id)
{
    if (id == 0)
        kilter_add(text, "null");
    else
        kilter_add_string(text, name_of(node, id));
}

/* Entries: in the library, in JSON, on disk */

static struct entry view(const struct raft_entry *entry)
{
    struct entry seen = {.term = entry->term, .value = 0};
    if (entry->type == RAFT_COMMAND)
        memcpy(&seen.value, entry->buf.base, sizeof seen.value);
    return seen;
}

static void push(struct list *list, struct entry entry)
{
    if (list->n == ENTRIES_MAX)
        fail("more entries than this node is made for");
    list->entries[list->n++] = entry;
}

static void add_list(kilter_text *text, const struct list *list)
{
    kilter_add(text, "[");
    for (size_t k = 0; k < list->n; k++)
        kilter_add(text, "%s{\"term\":%llu,\"value\":%" PRId64 "}", k > 0 ? "," : "", list->entries[k].term, list->entries[k].value);
    kilter_add(text, "]");
}

static struct list list_of(kilter_slice array)
{
    struct list list = {.n = 0};
    for (size_t k = 0;; k++) {
        kilter_slice item = kilter_json_item(array, k);
        int64_t term, value;
        if (item.text == NULL)
            return list;
        if (!kilter_json_integer(kilter_json_field(item, "term"), &term) || !kilter_json_integer(kilter_json_field(item, "value"), &value))
            fail("not an entry");
        push(&list, (struct entry){.term = (raft_term)term, .value = value});
    }
}

/* All nodes vote, from the beginning to the end. */
static void configuration(const struct node *node, struct raft_configuration *all)
{
    raft_configuration_init(all);
    for (size_t k = 0; k < node->n_nodes; k++)
        if (raft_configuration_add(all, k + 1, node->names[k], RAFT_VOTER) != 0)
            fail("raft_configuration_add");
}

static struct raft_buffer content(const struct node *node, const struct entry *entry)
{
    struct raft_buffer buffer = {.base = NULL, .len = sizeof entry->value};
    struct raft_configuration all;
    if (entry->value != 0) {
        buffer.base = raft_malloc(buffer.len);
        memcpy(buffer.base, &entry->value, buffer.len);
        return buffer;
    }
    configuration(node, &all);
    if (raft_configuration_encode(&all, &buffer) != 0)
        fail("raft_configuration_encode");
    raft_configuration_close(&all);
    return buffer;
}

/* The library's array of entries. With `batch` they are in one piece of memory, as the library wants those of messages. */
static struct raft_entry *library_entries(const struct node *node, const struct list *list, int batch)
{
    struct raft_entry *entries = list->n == 0 ? NULL : raft_calloc(list->n, sizeof *entries);
    size_t size = 0;
    for (size_t k = 0; k < list->n; k++) {
        entries[k].term = list->entries[k].term;
        entries[k].type = list->entries[k].value == 0 ? RAFT_CHANGE : RAFT_COMMAND;
        entries[k].buf = content(node, &list->entries[k]);
        size += entries[k].buf.len;
    }
    char *all = batch && size > 0 ? raft_malloc(size) : NULL, *place = all;
    for (size_t k = 0; all != NULL && k < list->n; k++) {
        memcpy(place, entries[k].buf.base, entries[k].buf.len);
        raft_free(entries[k].buf.base);
        entries[k].buf.base = place;
        entries[k].batch = all;
        place += entries[k].buf.len;
    }
    return entries;
}

/* The first entries of a list. */
static struct list first_of(const struct list *list, size_t n)
{
    struct list part = *list;
    if (n > list->n)
        fail("a snapshot goes further than the entries that there are");
    part.n = n;
    return part;
}

/* The content of a snapshot: the values that were applied. */
static struct raft_buffer content_of(const struct list *list)
{
    struct raft_buffer buffer = {.len = (list->n + 1) * sizeof(int64_t)};
    int64_t *values = raft_calloc(1, buffer.len), n = 0;
    for (size_t k = 0; k < list->n; k++)
        if (list->entries[k].value != 0)
            values[++n] = list->entries[k].value;
    values[0] = n;
    buffer.base = values;
    buffer.len = ((size_t)n + 1) * sizeof *values;
    return buffer;
}

/* Fails if a snapshot of the library has another content than the entries that it stands for. */
static void check_content(const struct list *list, const struct raft_buffer *content)
{
    struct raft_buffer expected = content_of(list);
    if (expected.len != content->len || memcmp(expected.base, content->base, expected.len) != 0)
        fail("a snapshot has another content than the log");
    raft_free(expected.base);
}

/* A snapshot of these entries, for the library to free. */
static struct raft_snapshot *library_snapshot(const struct node *node, const struct list *list)
{
    struct raft_snapshot *snapshot = raft_calloc(1, sizeof *snapshot);
    snapshot->index = list->n;
    snapshot->term = list->entries[list->n - 1].term;
    snapshot->configuration_index = 1;
    configuration(node, &snapshot->configuration);
    snapshot->n_bufs = 1;
    snapshot->bufs = raft_calloc(1, sizeof *snapshot->bufs);
    snapshot->bufs[0] = content_of(list);
    return snapshot;
}

/* The disk: one file, replaced as a whole */

static void store(const struct node *node)
{
    char path[4096], fresh[4096];
    snprintf(path, sizeof path, "%s/stored", node->data);
    snprintf(fresh, sizeof fresh, "%s/stored.new", node->data);
    FILE *file = fopen(fresh, "w");
    if (file == NULL)
        fail(fresh);
    fprintf(file, "%llu %llu %zu %zu\n", node->term, node->vote, node->saved.snapshot, node->saved.dropped);
    for (size_t k = 0; k < node->disk.n; k++)
        fprintf(file, "%llu %" PRId64 "\n", node->disk.entries[k].term, node->disk.entries[k].value);
    if (fclose(file) != 0 || rename(fresh, path) != 0)
        fail(path);
}

/* 0 if nothing is stored. */
static int restore(struct node *node)
{
    char path[4096];
    struct entry entry;
    snprintf(path, sizeof path, "%s/stored", node->data);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%llu %llu %zu %zu", &node->term, &node->vote, &node->saved.snapshot, &node->saved.dropped) != 4)
        fail("what is stored can't be read");
    while (fscanf(file, "%llu %" SCNd64, &entry.term, &entry.value) == 2)
        push(&node->disk, entry);
    fclose(file);
    node->end = node->disk.n;
    return 1;
}

/* The network */

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
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
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

/* The connection to a peer; a new one if the peer has closed it, which it does only by ending. -1 if the peer is down. */
static int connection(struct node *node, size_t peer)
{
    int *fd = &node->connections[peer];
    char byte;
    if (*fd >= 0 && recv(*fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) >= 0) {
        close(*fd);
        *fd = -1;
    }
    if (*fd < 0)
        *fd = open_socket(node->places[peer], 0);
    return *fd;
}

static void send_line(struct node *node, size_t peer, kilter_text *message)
{
    int fd = connection(node, peer);
    kilter_sent(node->gate, node->names[peer], message->text);
    kilter_add(message, "\n");
    if (fd >= 0 && send(fd, message->text, message->length, MSG_NOSIGNAL) < 0) {
        close(fd); /* the peer is down, and messages may be lost */
        node->connections[peer] = -1;
    }
}

static const char *action_of(const char *message)
{
    static const char *const actions[][2] = {{"RequestVote", "HandleRequestVote"},
                                             {"RequestVoteResult", "HandleRequestVoteResult"},
                                             {"AppendEntries", "HandleAppendEntries"},
                                             {"AppendEntriesResult", "HandleAppendEntriesResult"},
                                             {"InstallSnapshot", "HandleInstallSnapshot"}};
    kilter_slice type = kilter_json_field(kilter_json(message), "type");
    for (size_t k = 0; k < sizeof actions / sizeof *actions; k++)
        if (kilter_json_is(type, actions[k][0]))
            return actions[k][1];
    return NULL;
}

struct stream {
    int fd;
    kilter_gate *gate;
};

/* Takes in the messages of one connection. */
static void *receive_lines(void *context)
{
    struct stream *stream = context;
    char *line = NULL;
    size_t capacity = 0;
    FILE *lines = fdopen(stream->fd, "r");
    while (lines != NULL && getline(&line, &capacity, lines) > 0) {
        kilter_event event = {.action = action_of(line), .message = line};
        if (event.action != NULL)
            kilter_message(stream->gate, &event);
    }
    if (lines != NULL)
        fclose(lines);
    free(line);
    free(stream);
    return NULL;
}

static void start_thread(void *(*work)(void *), void *context)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, context) != 0)
        fail("pthread_create");
    pthread_detach(thread);
}

static void *accept_streams(void *context)
{
    struct stream *listener = context;
    for (;;) {
        struct stream *stream = malloc(sizeof *stream);
        *stream = (struct stream){.fd = accept(listener->fd, NULL, NULL), .gate = listener->gate};
        if (stream->fd >= 0)
            start_thread(receive_lines, stream);
        else
            free(stream);
    }
    return NULL;
}

/* Messages: between the library and JSON */

static void add_message(kilter_text *text, const struct node *node, const struct raft_message *message)
{
    static const char *const types[] = {"", "AppendEntries", "AppendEntriesResult", "RequestVote", "RequestVoteResult", "InstallSnapshot"};
    if (message->type < RAFT_IO_APPEND_ENTRIES || message->type > RAFT_IO_INSTALL_SNAPSHOT)
        fail("the library sends a message of another type");
    kilter_add(text, "{\"type\":\"%s\",\"from\":", types[message->type]);
    kilter_add_string(text, node->name);
    kilter_add(text, ",\"to\":");
    add_name(text, node, message->server_id);
    if (message->type == RAFT_IO_REQUEST_VOTE) {
        const struct raft_request_vote *ask = &message->request_vote;
        kilter_add(text, ",\"term\":%llu,\"lastIndex\":%llu,\"lastTerm\":%llu", ask->term, ask->last_log_index, ask->last_log_term);
        if (ask->candidate_id != node->self + 1 || ask->disrupt_leader || ask->pre_vote)
            kilter_add(text, ",\"odd\":true");
    } else if (message->type == RAFT_IO_REQUEST_VOTE_RESULT) {
        const struct raft_request_vote_result *vote = &message->request_vote_result;
        kilter_add(text, ",\"term\":%llu,\"granted\":%s", vote->term, vote->vote_granted ? "true" : "false");
        if (vote->pre_vote != raft_tribool_false)
            kilter_add(text, ",\"odd\":true");
    } else if (message->type == RAFT_IO_APPEND_ENTRIES) {
        const struct raft_append_entries *append = &message->append_entries;
        struct list list = {.n = 0};
        for (unsigned k = 0; k < append->n_entries; k++)
            push(&list, view(&append->entries[k]));
        kilter_add(text, ",\"term\":%llu,\"prev\":%llu,\"prevTerm\":%llu", append->term, append->prev_log_index, append->prev_log_term);
        kilter_add(text, ",\"commit\":%llu,\"entries\":", append->leader_commit);
        add_list(text, &list);
    } else if (message->type == RAFT_IO_INSTALL_SNAPSHOT) {
        const struct raft_install_snapshot *install = &message->install_snapshot;
        struct list list = first_of(&node->disk, install->last_index);
        check_content(&list, &install->data);
        kilter_add(text, ",\"term\":%llu,\"last\":%llu,\"lastTerm\":%llu", install->term, install->last_index, install->last_term);
        if (install->conf_index != 1 || install->conf.n != node->n_nodes)
            kilter_add(text, ",\"odd\":true");
        kilter_add(text, ",\"entries\":");
        add_list(text, &list);
    } else {
        const struct raft_append_entries_result *result = &message->append_entries_result;
        kilter_add(text, ",\"term\":%llu,\"rejected\":%llu,\"last\":%llu", result->term, result->rejected, result->last_log_index);
    }
    kilter_add(text, "}");
}

static uint64_t number(kilter_slice object, const char *name)
{
    int64_t value;
    if (!kilter_json_integer(kilter_json_field(object, name), &value))
        fail(name);
    return (uint64_t)value;
}

static struct raft_message message_of(struct node *node, kilter_slice line)
{
    struct raft_message message = {.server_id = id_of(node, kilter_json_field(line, "from"))};
    kilter_slice type = kilter_json_field(line, "type");
    message.server_address = name_of(node, message.server_id);
    if (kilter_json_is(type, "RequestVote")) {
        message.type = RAFT_IO_REQUEST_VOTE;
        message.request_vote = (struct raft_request_vote){.term = number(line, "term"),
                                                          .candidate_id = message.server_id,
                                                          .last_log_index = number(line, "lastIndex"),
                                                          .last_log_term = number(line, "lastTerm")};
    } else if (kilter_json_is(type, "RequestVoteResult")) {
        kilter_slice granted = kilter_json_field(line, "granted");
        message.type = RAFT_IO_REQUEST_VOTE_RESULT;
        message.request_vote_result = (struct raft_request_vote_result){.term = number(line, "term"),
                                                                        .vote_granted = granted.length == strlen("true"),
                                                                        .pre_vote = raft_tribool_false};
    } else if (kilter_json_is(type, "AppendEntries")) {
        struct list list = list_of(kilter_json_field(line, "entries"));
        message.type = RAFT_IO_APPEND_ENTRIES;
        message.append_entries = (struct raft_append_entries){.term = number(line, "term"),
                                                              .prev_log_index = number(line, "prev"),
                                                              .prev_log_term = number(line, "prevTerm"),
                                                              .leader_commit = number(line, "commit"),
                                                              .entries = library_entries(node, &list, 1),
                                                              .n_entries = (unsigned)list.n};
    } else if (kilter_json_is(type, "InstallSnapshot")) {
        node->incoming = list_of(kilter_json_field(line, "entries"));
        message.type = RAFT_IO_INSTALL_SNAPSHOT;
        message.install_snapshot = (struct raft_install_snapshot){.term = number(line, "term"),
                                                                  .last_index = number(line, "last"),
                                                                  .last_term = number(line, "lastTerm"),
                                                                  .conf_index = 1,
                                                                  .data = content_of(&node->incoming)};
        configuration(node, &message.install_snapshot.conf);
    } else {
        message.type = RAFT_IO_APPEND_ENTRIES_RESULT;
        message.append_entries_result = (struct raft_append_entries_result){.term = number(line, "term"),
                                                                            .rejected = number(line, "rejected"),
                                                                            .last_log_index = number(line, "last")};
    }
    return message;
}

/* The io that the library calls */

static int io_init(struct raft_io *io, raft_id id, const char *address)
{
    (void)io, (void)id, (void)address;
    return 0;
}

static void io_close(struct raft_io *io, raft_io_close_cb done)
{
    done(io);
}

static int io_load(struct raft_io *io, raft_term *term, raft_id *vote, struct raft_snapshot **snapshot, raft_index *start, struct raft_entry **entries,
                   size_t *n_entries)
{
    struct node *node = io->impl;
    *term = node->term;
    *vote = node->vote;
    struct list rest = {.n = 0};
    for (size_t k = node->saved.dropped; k < node->disk.n; k++)
        push(&rest, node->disk.entries[k]);
    struct list compacted = first_of(&node->disk, node->saved.snapshot);
    *snapshot = compacted.n == 0 ? NULL : library_snapshot(node, &compacted);
    *start = node->saved.dropped + 1;
    *entries = library_entries(node, &rest, 0);
    *n_entries = rest.n;
    return 0;
}

static int io_start(struct raft_io *io, unsigned ms, raft_io_tick_cb tick, raft_io_recv_cb receive)
{
    struct node *node = io->impl;
    (void)ms;
    node->tick = tick;
    node->receive = receive;
    return 0;
}

static int io_bootstrap(struct raft_io *io, const struct raft_configuration *all)
{
    struct node *node = io->impl;
    (void)all;
    node->term = 1;
    push(&node->disk, (struct entry){.term = 1, .value = 0});
    node->end = node->disk.n;
    store(node);
    return 0;
}

static int io_recover(struct raft_io *io, const struct raft_configuration *all)
{
    (void)io, (void)all;
    return RAFT_INVALID;
}

static int io_set_term(struct raft_io *io, raft_term term)
{
    struct node *node = io->impl;
    node->term = term;
    node->vote = 0;
    store(node);
    return 0;
}

static int io_set_vote(struct raft_io *io, raft_id vote)
{
    struct node *node = io->impl;
    node->vote = vote;
    store(node);
    return 0;
}

static int io_send(struct raft_io *io, struct raft_io_send *request, const struct raft_message *message, raft_io_send_cb done)
{
    struct node *node = io->impl;
    struct sending **last = &node->sendings;
    kilter_text text = {0};
    if (message->server_address == NULL) {
        /* The library's own io takes the length of the address (uv_send.c, uvClientInit()). */
        fprintf(stderr, "libraft node: the library sends a message of type %d to server %llu without an address\n", message->type, message->server_id);
        abort();
    }
    add_message(&text, node, message);
    send_line(node, message->server_id - 1, &text);
    free(text.text);
    while (*last != NULL)
        last = &(*last)->next;
    *last = malloc(sizeof **last);
    **last = (struct sending){.request = request, .done = done, .next = NULL};
    return 0;
}

static void add_write(struct node *node, struct write *write)
{
    struct write **last = &node->writes;
    while (*last != NULL)
        last = &(*last)->next;
    *last = write;
}

static int io_append(struct raft_io *io, struct raft_io_append *request, const struct raft_entry *entries, unsigned n, raft_io_append_cb done)
{
    struct node *node = io->impl;
    struct write *write = calloc(1, sizeof *write);
    write->index = node->end + 1;
    write->request = request;
    write->done = done;
    for (unsigned k = 0; k < n; k++)
        push(&write->list, view(&entries[k]));
    node->end += n;
    add_write(node, write);
    return 0;
}

/* The library appends after it has truncated, so it is enough that the next write replaces what is there. */
static int io_truncate(struct raft_io *io, raft_index index)
{
    struct node *node = io->impl;
    node->end = index - 1;
    return 0;
}

static int io_snapshot_put(struct raft_io *io, unsigned trailing, struct raft_io_snapshot_put *request, const struct raft_snapshot *snapshot,
                           raft_io_snapshot_put_cb done)
{
    struct node *node = io->impl;
    struct write *write = calloc(1, sizeof *write);
    write->put = request;
    write->put_done = done;
    write->trailing = trailing;
    write->installs = node->raft.snapshot.pending.term == 0;
    write->list = write->installs ? node->incoming : first_of(&node->disk, snapshot->index);
    if (snapshot->index != write->list.n || snapshot->n_bufs != 1)
        fail("a snapshot that is not the one expected");
    check_content(&write->list, &snapshot->bufs[0]);
    if (write->installs)
        node->end = write->list.n;
    add_write(node, write);
    return 0;
}

static int io_snapshot_get(struct raft_io *io, struct raft_io_snapshot_get *request, raft_io_snapshot_get_cb done)
{
    struct node *node = io->impl;
    struct getting **last = &node->gettings;
    while (*last != NULL)
        last = &(*last)->next;
    *last = malloc(sizeof **last);
    **last = (struct getting){.request = request, .done = done, .next = NULL};
    return 0;
}

static raft_time io_time(struct raft_io *io)
{
    struct node *node = io->impl;
    return node->now_ms;
}

static int io_random(struct raft_io *io, int min, int max)
{
    (void)io, (void)max;
    return min;
}

/* The state machine remembers what was applied. */
static int fsm_apply(struct raft_fsm *fsm, const struct raft_buffer *buffer, void **result)
{
    struct node *node = fsm->data;
    struct entry entry = {0};
    memcpy(&entry.value, buffer->base, sizeof entry.value);
    push(&node->applied, entry);
    *result = NULL;
    return 0;
}

static int fsm_snapshot(struct raft_fsm *fsm, struct raft_buffer *buffers[], unsigned *n)
{
    struct node *node = fsm->data;
    *buffers = raft_calloc(1, sizeof **buffers);
    (*buffers)[0] = content_of(&node->applied);
    *n = 1;
    return 0;
}

static int fsm_restore(struct raft_fsm *fsm, struct raft_buffer *buffer)
{
    struct node *node = fsm->data;
    const int64_t *values = buffer->base;
    node->applied.n = 0;
    for (int64_t k = 1; k <= values[0]; k++)
        push(&node->applied, (struct entry){.value = values[k]});
    raft_free(buffer->base);
    return 0;
}

static void start(struct node *node)
{
    int is_new = !restore(node);
    node->now_ms = 1000000;
    node->io = (struct raft_io){.version = 1,
                                .impl = node,
                                .init = io_init,
                                .close = io_close,
                                .load = io_load,
                                .start = io_start,
                                .bootstrap = io_bootstrap,
                                .recover = io_recover,
                                .set_term = io_set_term,
                                .set_vote = io_set_vote,
                                .send = io_send,
                                .append = io_append,
                                .truncate = io_truncate,
                                .snapshot_put = io_snapshot_put,
                                .snapshot_get = io_snapshot_get,
                                .time = io_time,
                                .random = io_random};
    node->fsm = (struct raft_fsm){.version = 1, .data = node, .apply = fsm_apply, .snapshot = fsm_snapshot, .restore = fsm_restore};
    if (raft_init(&node->raft, &node->io, &node->fsm, node->self + 1, node->name) != 0)
        fail("raft_init");
    raft_set_election_timeout(&node->raft, ELECTION_MS);
    raft_set_heartbeat_timeout(&node->raft, HEARTBEAT_MS);
    raft_set_snapshot_threshold(&node->raft, node->threshold);
    raft_set_snapshot_trailing(&node->raft, node->trailing);
    if (is_new) {
        struct raft_configuration all;
        configuration(node, &all);
        if (raft_bootstrap(&node->raft, &all) != 0)
            fail("raft_bootstrap");
        raft_configuration_close(&all);
    }
    if (raft_start(&node->raft) != 0)
        fail("raft_start");
}

/* What the testbed sees */

/* The log, and before it what its snapshot stands for. */
static struct list log_of(const struct node *node)
{
    const struct raft_log *log = &node->raft.log;
    const struct list *compacted = &node->disk;
    for (const struct write *write = node->writes; write != NULL; write = write->next)
        if (write->installs)
            compacted = &write->list;
    struct list list = first_of(compacted, log->offset);
    for (size_t k = log->front; k != log->back; k = (k + 1) % log->size)
        push(&list, view(&log->entries[k]));
    return list;
}

static void add_progress(kilter_text *text, const struct node *node)
{
    static const char *const modes[] = {"probe", "pipeline", "snapshot"};
    for (size_t k = 0; k < node->n_nodes; k++) {
        const struct raft_progress *known = &node->raft.leader_state.progress[k];
        kilter_add(text, k > 0 ? "," : "");
        kilter_add_string(text, node->names[k]);
        kilter_add(text, ":{\"matched\":%llu,\"next\":%llu", known->match_index, known->next_index);
        kilter_add(text, ",\"mode\":\"%s\",\"heard\":%s", modes[known->state], known->recent_recv ? "true" : "false");
        int is_due = k != node->self && node->now_ms - known->last_send >= HEARTBEAT_MS;
        kilter_add(text, ",\"snapshot\":%llu,\"due\":%s}", known->snapshot_index, is_due ? "true" : "false");
    }
}

static void add_votes(kilter_text *text, const struct node *node)
{
    const char *comma = "";
    for (size_t k = 0; k < node->n_nodes; k++) {
        if (!node->raft.candidate_state.votes[k])
            continue;
        kilter_add(text, "%s", comma);
        kilter_add_string(text, node->names[k]);
        comma = ",";
    }
}

static void add_writes(kilter_text *text, const struct node *node)
{
    for (const struct write *write = node->writes; write != NULL; write = write->next) {
        kilter_add(text, "%s{\"index\":%zu,\"entries\":", write == node->writes ? "" : ",", write->index);
        add_list(text, &write->list);
        kilter_add(text, "}");
    }
}

static char *variables(struct node *node)
{
    static const char *const states[] = {"unavailable", "follower", "candidate", "leader"};
    const struct raft *raft = &node->raft;
    struct list log = log_of(node);
    kilter_text text = {0};
    kilter_add(&text, "{\"state\":\"%s\",\"term\":%llu,\"vote\":", states[raft_state(&node->raft)], raft->current_term);
    add_name(&text, node, raft->voted_for);
    kilter_add(&text, ",\"kept\":{\"term\":%llu,\"vote\":", node->term);
    add_name(&text, node, node->vote);
    kilter_add(&text, "}");
    kilter_add(&text, ",\"leader\":");
    add_name(&text, node, raft->state == RAFT_FOLLOWER ? raft->follower_state.current_leader.id : 0);
    kilter_add(&text, ",\"log\":");
    add_list(&text, &log);
    kilter_add(&text, ",\"disk\":");
    add_list(&text, &node->disk);
    kilter_add(&text, ",\"saved\":{\"snapshot\":%zu,\"dropped\":%zu}", node->saved.snapshot, node->saved.dropped);
    kilter_add(&text, ",\"cut\":{\"snapshot\":%llu,\"dropped\":%llu}", raft->log.snapshot.last_index, raft->log.offset);
    kilter_add(&text, ",\"commit\":%llu,\"stored\":%llu,\"votes\":[", raft->commit_index, raft->last_stored);
    if (raft->state == RAFT_CANDIDATE)
        add_votes(&text, node);
    kilter_add(&text, "],\"progress\":{");
    if (raft->state == RAFT_LEADER)
        add_progress(&text, node);
    kilter_add(&text, "},\"writes\":[");
    add_writes(&text, node);
    kilter_add(&text, "],\"applied\":[");
    for (size_t k = 0; k < node->applied.n; k++)
        kilter_add(&text, "%s%" PRId64, k > 0 ? "," : "", node->applied.entries[k].value);
    kilter_add(&text, "]}");
    return text.text;
}

/* What the node can do by itself. */
static size_t wishes(const struct node *node, kilter_event wishes[3])
{
    size_t n = 0;
    int64_t now_ms = kilter_now_ms();
    if (node->raft.state == RAFT_FOLLOWER || node->raft.state == RAFT_CANDIDATE)
        wishes[n++] = (kilter_event){.action = "Timeout", .due_ms = now_ms + (int64_t)(node->self + 2) * ELECTION_MS};
    if (node->raft.state == RAFT_LEADER) {
        wishes[n++] = (kilter_event){.action = "Heartbeat", .due_ms = now_ms + HEARTBEAT_MS};
        wishes[n++] = (kilter_event){.action = "CheckQuorum", .due_ms = now_ms + ELECTION_MS};
    }
    if (node->writes != NULL)
        wishes[n++] = (kilter_event){.action = "WriteDone", .due_ms = now_ms};
    return n;
}

static void put_done(struct node *node, const struct write *write)
{
    size_t last = write->list.n;
    if (write->installs) {
        node->disk = write->list;
        node->saved = (struct cut){.snapshot = last, .dropped = last};
    } else {
        node->saved.snapshot = last;
        if (last > write->trailing + node->saved.dropped)
            node->saved.dropped = last - write->trailing;
    }
    store(node);
    write->put_done(write->put, 0);
}

static void get_done(struct node *node)
{
    struct getting *getting = node->gettings;
    struct list compacted = first_of(&node->disk, node->saved.snapshot);
    node->gettings = getting->next;
    if (compacted.n == 0)
        fail("there is no snapshot");
    getting->done(getting->request, library_snapshot(node, &compacted), 0);
    free(getting);
}

static void write_done(struct node *node)
{
    struct write *write = node->writes;
    node->writes = write->next;
    if (write->put != NULL) {
        put_done(node, write);
    } else {
        node->disk.n = write->index - 1;
        for (size_t k = 0; k < write->list.n; k++)
            push(&node->disk, write->list.entries[k]);
        store(node);
        write->done(write->request, 0);
    }
    free(write);
}

/* Tells the library of what has ended: messages that have left, snapshots that were read, and writes, if they end at once. */
static void settle(struct node *node)
{
    while (node->sendings != NULL || node->gettings != NULL || (node->writes != NULL && !node->writes_later)) {
        struct sending *sending = node->sendings;
        if (sending == NULL && node->gettings != NULL) {
            get_done(node);
            continue;
        }
        if (sending == NULL) {
            write_done(node);
            continue;
        }
        node->sendings = sending->next;
        sending->done(sending->request, 0);
        free(sending);
    }
}

static void tick(struct node *node, raft_time after_ms)
{
    node->now_ms += after_ms;
    node->tick(&node->io);
}

static void applied(struct raft_apply *request, int status, void *result)
{
    (void)status, (void)result;
    free(request);
}

static void ask(struct node *node, kilter_slice value)
{
    struct raft_apply *request = malloc(sizeof *request);
    struct entry entry = {0};
    if (!kilter_json_integer(value, &entry.value) || entry.value == 0)
        fail("a request needs a number other than 0");
    struct raft_buffer buffer = content(node, &entry);
    if (raft_apply(&node->raft, request, &buffer, 1, applied) != 0) {
        raft_free(buffer.base); /* it does not lead */
        free(request);
    }
}

static void handle(struct node *node, const kilter_event *event)
{
    if (strcmp(event->action, "Timeout") == 0 || strcmp(event->action, "CheckQuorum") == 0) {
        tick(node, ELECTION_MS);
    } else if (strcmp(event->action, "Heartbeat") == 0) {
        tick(node, HEARTBEAT_MS);
    } else if (strcmp(event->action, "WriteDone") == 0) {
        write_done(node);
    } else if (strcmp(event->action, "ClientRequest") == 0) {
        ask(node, kilter_json_item(kilter_json(event->args), 0));
    } else {
        struct raft_message message = message_of(node, kilter_json(event->message));
        node->receive(&node->io, &message);
    }
    settle(node);
}

static int from_delivery(void *context, const char *sender, kilter_event *event)
{
    (void)context, (void)sender;
    event->action = action_of(event->message);
    return event->action != NULL;
}

static int from_request(void *context, kilter_event *event)
{
    (void)context;
    return strcmp(event->action, "ClientRequest") == 0;
}

static void read_peers(struct node *node, char *peers)
{
    char *rest;
    for (char *peer = strtok_r(peers, ",", &rest); peer != NULL; peer = strtok_r(NULL, ",", &rest)) {
        char *place = strchr(peer, '=');
        if (place == NULL || node->n_nodes == NODES_MAX)
            fail("--peers is NAME=HOST:PORT,..., of at most nine");
        *place = 0;
        if (strcmp(peer, node->name) == 0)
            node->self = node->n_nodes;
        node->connections[node->n_nodes] = -1;
        node->names[node->n_nodes] = peer;
        node->places[node->n_nodes++] = place + 1;
    }
}

int main(int argc, char **argv)
{
    static struct node node;
    static struct stream listener; /* the receiver uses it until the process has ended */
    const char *place = NULL, *peers = NULL, *disk = "", *threshold = "1024", *trailing = "0";
    node.data = getenv("KILTER_DATA");
    for (int i = 1; i + 1 < argc; i += 2) {
        const char **option = strcmp(argv[i], "--node") == 0     ? &node.name
                              : strcmp(argv[i], "--peers") == 0  ? &peers
                              : strcmp(argv[i], "--listen") == 0 ? &place
                              : strcmp(argv[i], "--data") == 0   ? &node.data
                              : strcmp(argv[i], "--disk") == 0   ? &disk
                              : strcmp(argv[i], "--threshold") == 0 ? &threshold
                              : strcmp(argv[i], "--trailing") == 0  ? &trailing
                                                                    : NULL;
        if (option != NULL)
            *option = argv[i + 1];
    }
    if (node.name == NULL || peers == NULL || place == NULL || node.data == NULL) {
        fprintf(stderr,
                "usage: %s --node NAME --listen HOST:PORT --peers NAME=HOST:PORT,... [--data DIRECTORY] [--disk later] [--threshold N] [--trailing N]\n",
                argv[0]);
        return 2;
    }
    node.writes_later = strcmp(disk, "later") == 0;
    node.threshold = (unsigned)strtoul(threshold, NULL, 10);
    node.trailing = (unsigned)strtoul(trailing, NULL, 10);
    read_peers(&node, strdup(peers));
    listener.fd = open_socket(place, 1);
    if (listener.fd < 0)
        fail(place);
    kilter_callbacks callbacks = {.context = &node, .from_delivery = from_delivery, .from_request = from_request};
    node.gate = listener.gate = kilter_gate_new(&callbacks);
    start(&node);
    start_thread(accept_streams, &listener);

    kilter_event events[3], event;
    for (;;) {
        char *now = variables(&node);
        int goes_on = kilter_gate_next(node.gate, now, events, wishes(&node, events), &event);
        free(now);
        if (!goes_on)
            return 0;
        handle(&node, &event);
    }
}
