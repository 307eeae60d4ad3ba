%% A quorum queue as a store that `kilter converge` drives with `kind = "line"`. It runs inside an unmodified RabbitMQ.
%%
%% A write is a message, published with a confirm by the modules with which RabbitMQ's own channels do it. What a node has are the messages that
%% its replica has applied, read from its own log. Nobody takes messages out of the queue, so they stay there.
-module(kilter_store).
-export([start/0]).

-define(QUEUE, <<"kilter">>).
%% What a publisher says first. It is no write.
-define(HELLO, <<"hello">>).
-define(PATIENCE_MS, 2000).

start() -> spawn(fun listen/0).

%% RabbitMQ looks whether it can have this port for other nodes, which reach it at another address; so it comes first.
listen() ->
    case is_alive() of
        true -> listen(list_to_integer(os:getenv("RABBITMQ_DIST_PORT")));
        false -> timer:sleep(50), listen()
    end.

listen(Port) ->
    {ok, Socket} = gen_tcp:listen(Port, [binary, {packet, line}, {active, false}, {reuseaddr, true}, {ip, {127, 0, 0, 1}}]),
    accept(Socket).

accept(Socket) ->
    {ok, Client} = gen_tcp:accept(Socket),
    Server = spawn(fun() -> receive begin_ -> serve(Client) end end),
    gen_tcp:controlling_process(Client, Server),
    Server ! begin_,
    accept(Socket).

serve(Client) ->
    {ok, Line} = gen_tcp:recv(Client, 0),
    Answer =
        try answer(string:lexemes(string:trim(Line), " "))
        catch _:Reason -> io_lib:format("error ~0p~n", [Reason])
        end,
    gen_tcp:send(Client, Answer),
    gen_tcp:close(Client).

answer([<<"status">>]) ->
    status();
answer([<<"put">>, Key, Value]) ->
    case put(<<Key/binary, " ", Value/binary>>) of
        settled -> "ok\n";
        rejected -> "no\n"
    end;
answer([<<"all">>]) ->
    [[[Message, "\n"] || Message <- messages(), Message =/= ?HELLO], ".\n"].

%% Who leads, for this node's replica. The first node makes the queue as soon as all nodes are there.
status() ->
    case {persistent_term:get(kilter_making, false), rabbit_amqqueue:lookup(name()), number()} of
        {true, _, _} -> "looking\n";
        {_, {ok, _}, _} -> leads();
        {_, _, 0} ->
            case all_run() of
                true -> make();
                false -> ok
            end,
            "looking\n";
        _ -> "looking\n"
    end.

%% Whether all nodes have come up to their end. A node that has not would never get its replica.
all_run() ->
    Wanted = length(string:lexemes(os:getenv("KILTER_PORTS"), ",")),
    {Answers, _} = rpc:multicall(rabbit_nodes:all_running(), rabbit, is_running, [], ?PATIENCE_MS),
    [true || true <- Answers] =:= lists:duplicate(Wanted, true).

leads() ->
    %% Without the leader, nobody answers.
    case ra:members(replica(), ?PATIENCE_MS) of
        {ok, _, {_, Node}} when Node =:= node() ->
            case publisher() of
                ok -> io_lib:format("leading ~b~n", [number(Node)]);
                none -> "looking\n"
            end;
        {ok, _, {_, Node}} -> io_lib:format("following ~b~n", [number(Node)]);
        _ -> "looking\n"
    end.

%% That there is a queue is written some time after it was made. Only what happens to its messages is of interest, so this must be on all disks first.
make() ->
    persistent_term:put(kilter_making, true),
    Arguments = [{<<"x-queue-type">>, longstr, <<"quorum">>}],
    rabbit_amqqueue:declare(name(), true, false, Arguments, none, <<"kilter">>),
    timer:sleep(?PATIENCE_MS),
    rpc:multicall(rabbit_nodes:all_running(), mnesia, sync_log, []),
    persistent_term:put(kilter_making, false).

%% Publishes a message, and waits until the queue has confirmed it.
put(Body) ->
    Reference = make_ref(),
    kilter_publisher ! {publish, self(), Reference, Body},
    receive {Reference, Answer} -> Answer end.

%% A publisher of the leader. A queue must know a publisher before it takes messages of it, and knowing takes a majority; so it says hello while there is one.
publisher() ->
    case whereis(kilter_publisher) of
        undefined ->
            Asker = self(),
            Publisher = spawn(fun() ->
                register(kilter_publisher, self()),
                publish(#{}, 1, rabbit_queue_type:init())
            end),
            Publisher ! {publish, Asker, hello, ?HELLO},
            receive {hello, settled} -> ok after ?PATIENCE_MS -> exit(Publisher, kill), none end;
        _ ->
            ok
    end.

%% `Open` has who waits for the confirm of which message.
publish(Open, Next, State) ->
    receive
        {publish, Asker, Reference, Body} ->
            {ok, Queue} = rabbit_amqqueue:lookup(name()),
            Exchange = rabbit_misc:r(<<"/">>, exchange, <<>>),
            Message = rabbit_basic:message(Exchange, ?QUEUE, [{delivery_mode, 2}], Body),
            Delivery = rabbit_basic:delivery(false, true, Message, Next),
            {ok, After, Actions} = rabbit_queue_type:deliver([Queue], Delivery, State),
            publish(told(Actions, Open#{Next => {Asker, Reference}}), Next + 1, After);
        {'$gen_cast', {queue_event, Queue, Event}} ->
            case rabbit_queue_type:handle_event(Queue, Event, State) of
                {ok, After, Actions} -> publish(told(Actions, Open), Next, After);
                _ -> publish(Open, Next, State)
            end
    end.

%% Tells who waits what became of their messages.
told(Actions, Open) ->
    Answers = [{Number, Answer} || {Answer, _Queue, Numbers} <- Actions, Number <- Numbers, Answer =:= settled orelse Answer =:= rejected],
    [begin {Asker, Reference} = maps:get(Number, Open), Asker ! {Reference, Answer} end || {Number, Answer} <- Answers],
    maps:without([Number || {Number, _} <- Answers], Open).

%% The messages that this node's replica has applied.
messages() ->
    {ok, {{Applied, _Term}, Count}, _Leader} = ra:local_query(replica(), fun rabbit_fifo:query_messages_total/1, ?PATIENCE_MS),
    %% Only the replica's own process can read its files.
    {Asker, Reference} = {self(), make_ref()},
    Read = fun(State) -> Asker ! {Reference, catch entries(log(State), Applied)}, State end,
    sys:replace_state(replica(), Read, ?PATIENCE_MS),
    Entries = receive {Reference, List} when is_list(List) -> List after ?PATIENCE_MS -> exit(unread) end,
    Found = lists:flatmap(fun body/1, Entries),
    %% The log must say what the state machine counts.
    Count = length(Found),
    Found.

entries(Log, Last) ->
    First = maps:get(first_index, ra_log:overview(Log)),
    {Entries, _} = ra_log:sparse_read(lists:seq(max(First, 1), Last), Log),
    Entries.

%% The log in the state of a process, wherever that is.
log(#{log := Log}) -> Log;
log(Tuple) when is_tuple(Tuple) -> first([log(Part) || Part <- tuple_to_list(Tuple)]);
log(_) -> none.

first([none | Rest]) -> first(Rest);
first([Log | _]) -> Log;
first([]) -> none.

%% The text of the message that an entry of the log puts into the queue.
body({_Index, _Term, {'$usr', _Meta, Command, _Reply}}) when element(1, Command) =:= enqueue ->
    Parts = [Part || Part <- tuple_to_list(Command), is_tuple(Part), element(1, Part) =:= basic_message],
    [text(Message) || Message <- Parts];
body(_) ->
    [].

text(Message) ->
    [Content] = [Part || Part <- tuple_to_list(Message), is_tuple(Part), element(1, Part) =:= content],
    %% Its parts are in reverse.
    iolist_to_binary(lists:reverse(element(tuple_size(Content), Content))).

name() -> rabbit_misc:r(<<"/">>, queue, ?QUEUE).

%% The process of this node's replica.
replica() -> {binary_to_atom(<<"%2F_", ?QUEUE/binary>>), node()}.

%% A node's number is in its address: 127.0.0.2 is the first.
number() -> number(node()).
number(Node) -> list_to_integer(lists:last(string:lexemes(atom_to_list(Node), "."))) - 2.
