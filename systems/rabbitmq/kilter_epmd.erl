%% Where nodes of Erlang find each other. Erlang's own daemon for that would go on running after the nodes. Here each node has an address of its
%% own on the loopback, 127.0.0.2 and so on, and KILTER_PORTS has its port.
-module(kilter_epmd).
-export([start_link/0, register_node/2, register_node/3, port_please/2, port_please/3,
         listen_port_please/2, address_please/3, names/1]).

-define(PROTOCOL_VERSION, 5).

start_link() -> ignore.

register_node(Name, Port) -> register_node(Name, Port, inet).
%% The number tells apart the processes that had this name one after the other.
register_node(_Name, _Port, _Family) -> {ok, rand:uniform(1 bsl 30)}.

port_please(Name, Host) -> port_please(Name, Host, infinity).
port_please(_Name, {_, _, _, N}, _Timeout) -> {port, port(N - 1), ?PROTOCOL_VERSION};
port_please(Name, Host, Timeout) ->
    {ok, Address} = inet:getaddr(Host, inet),
    port_please(Name, Address, Timeout).

listen_port_please(_Name, _Host) -> {ok, port(list_to_integer(os:getenv("KILTER_NODE")) + 1)}.

address_please(_Name, Host, Family) -> inet:getaddr(Host, Family).

names(_Host) -> {ok, []}.

port(Nth) -> list_to_integer(lists:nth(Nth, string:lexemes(os:getenv("KILTER_PORTS"), ","))).
