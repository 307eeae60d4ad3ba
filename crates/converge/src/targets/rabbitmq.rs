//! Drives RabbitMQ: a quorum queue with a replica on each node.
//!
//! A write is a message that a client publishes and the server confirms ([`super::amqp`]). What a replica holds is what
//! its own state machine has in the queue, and not what the leader's has. A module of Erlang that is loaded into each
//! server reads that without taking messages away (`{peek, N}`, a command that quorum queues have for operators). The
//! module also tells each node where the others are, so that no `epmd` runs.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::amqp::Connection;
use crate::nodes::Seat;
use crate::store::{Client, Contents, Quorum, Store};
use crate::trouble::Trouble;

/// Where Debian has the server. The script in its path would change the user.
pub const DEBIAN: &str = "/usr/lib/rabbitmq/bin/rabbitmq-server";
const PATIENCE: Duration = Duration::from_secs(5);
const QUEUE: &str = "kilter";
/// The ports of a node.
const CLIENTS: usize = 0;
const PEERS: usize = 1;
const QUESTIONS: usize = 2;
/// The module that is loaded into each node. The name of a node has the port on which others reach it. It answers
/// `state` (the leader, the index that was applied, the term, how many nodes run) and `read` (all messages).
const MODULE: &str = r#"-module(kilter_node).
-export([start/0, start_link/0, stop/0, register_node/2, register_node/3, port_please/2, port_please/3,
         listen_port_please/2, address_please/3, names/0, names/1]).
start() -> ignore.
start_link() -> ignore.
stop() -> ok.
register_node(Name, Port) -> register_node(Name, Port, inet).
register_node(Name, _Port, _Family) ->
    case port(Name) of
        0 -> ok;
        _ -> spawn(fun() -> listen(list_to_integer(os:getenv("KILTER_PORT"))) end)
    end,
    {ok, rand:uniform(3)}.
port_please(Name, Host) -> port_please(Name, Host, infinity).
port_please(Name, _Host, _Timeout) -> case port(Name) of 0 -> noport; Port -> {port, Port, 5} end.
listen_port_please(Name, _Host) -> {ok, port(Name)}.
address_please(Name, _Host, _Family) ->
    case port(Name) of 0 -> {ok, {127, 0, 0, 1}}; Port -> {ok, {127, 0, 0, 1}, Port, 5} end.
names() -> names(localhost).
names(_Host) -> {ok, []}.
port(Name) when is_atom(Name) -> port(atom_to_list(Name));
port(Name) ->
    case string:split(Name, "-") of
        ["kilter", Text] -> case string:to_integer(Text) of {Port, ""} -> Port; _ -> 0 end;
        _ -> 0
    end.
listen(Port) ->
    {ok, Socket} = gen_tcp:listen(Port, [list, {ip, {127, 0, 0, 1}}, {packet, line}, {active, false}, {reuseaddr, true}]),
    accept(Socket).
accept(Socket) ->
    {ok, Client} = gen_tcp:accept(Socket),
    Answer = fun() ->
        {ok, Line} = gen_tcp:recv(Client, 0, 5000),
        Text = try answer(string:trim(Line)) catch _:_ -> "not yet" end,
        gen_tcp:send(Client, [Text, "\n"]),
        gen_tcp:close(Client)
    end,
    Pid = spawn(Answer),
    gen_tcp:controlling_process(Client, Pid),
    accept(Socket).
id() -> {'%2F_kilter', node()}.
answer("state") ->
    Running = length(rabbit_nodes:all_running()),
    case whereis(element(1, id())) of
        undefined -> io_lib:format("none ~b", [Running]);
        _ ->
            {ok, {{Index, Term}, _}, {_, Leader}} = ra:local_query(id(), fun erlang:is_tuple/1, 2000),
            io_lib:format("~s ~b ~b ~b", [Leader, Index, Term, Running])
    end;
answer("read") -> ["held", read(1)].
read(Position) ->
    case ra:aux_command(id(), {peek, Position}) of
        {ok, {_Header, Message}} ->
            Content = element(4, Message),
            [" ", lists:reverse(element(6, Content)) | read(Position + 1)];
        {error, no_message_at_pos} -> []
    end.
"#;
/// Starts a node. All crash at once here, so that a node can't know who was the last: it loads what it has.
const RUN: &str = r#"
program=$1
shift
base=$RABBITMQ_MNESIA_BASE/$RABBITMQ_NODENAME
if [ -e "$base/schema.DAT" ]; then : > "$base/force_load"; fi
exec "$program" "$@"
"#;

/// How RabbitMQ is started.
pub struct RabbitMq {
    /// The program and its first arguments.
    pub command: Vec<String>,
    /// Lines of rabbitmq.conf.
    pub options: Vec<String>,
}

fn name(seat: &Seat) -> String {
    format!("kilter-{}@localhost", seat.ports[PEERS])
}

/// Asks the module in a node.
fn ask(seat: &Seat, question: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(seat.address(QUESTIONS))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    writeln!(stream, "{question}")?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer)?;
    match answer.strip_suffix('\n') {
        Some(answer) => Ok(answer.to_owned()),
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

impl Client for Connection {
    fn send(&mut self, key: &str, value: &str) -> Result<(), Trouble> {
        let sent = self.publish(QUEUE, &format!("{key}={value}"));
        sent.map_err(|error| Trouble::NotDriven(format!("publish {key}: {error}")))
    }

    fn is_acknowledged(&mut self, patience: Duration) -> bool {
        self.confirmed(patience).is_ok()
    }
}

impl RabbitMq {
    fn config(&self, seats: &[Seat]) -> String {
        let mut lines = vec!["cluster_formation.peer_discovery_backend = classic_config".to_owned()];
        for seat in seats {
            lines.push(format!("cluster_formation.classic_config.nodes.{} = {}", seat.index + 1, name(seat)));
        }
        // On a busy machine the others take a while.
        lines.push("cluster_formation.discovery_retry_limit = 200".to_owned());
        lines.extend(self.options.clone());
        lines.join("\n") + "\n"
    }
}

fn furnish(seat: &Seat, config: &str) -> io::Result<()> {
    fs::write(seat.dir.join("rabbitmq.conf"), config)?;
    fs::write(seat.dir.join("plugins"), "[].\n")?;
    let cookie = seat.dir.join(".erlang.cookie");
    fs::write(&cookie, "kilter")?;
    fs::set_permissions(cookie, fs::Permissions::from_mode(0o400))
}

/// Compiles the module, once for a cluster.
fn compile(folder: &Path) -> Result<(), Trouble> {
    if folder.join("kilter_node.beam").exists() {
        return Ok(());
    }
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(folder.join("kilter_node.erl"), MODULE));
    written.map_err(Trouble::own("writing a module of Erlang"))?;
    let ran = Command::new("erlc").arg("kilter_node.erl").current_dir(folder).output();
    match ran.map_err(Trouble::own("running erlc"))? {
        ran if ran.status.success() => Ok(()),
        ran => Err(Trouble::NotDriven(format!("erlc: {}", String::from_utf8_lossy(&ran.stdout).trim()))),
    }
}

impl Store for RabbitMq {
    fn ports(&self) -> usize {
        3
    }

    fn check(&self) -> Result<(), Trouble> {
        let program = self.command.first().cloned().unwrap_or_default();
        if Path::new(&program).exists() {
            Ok(())
        } else {
            Err(Trouble::Missing { program, package: "rabbitmq-server" })
        }
    }

    fn prepare(&self, seats: &[Seat]) -> Result<(), Trouble> {
        let Some(root) = seats.first().and_then(|seat| seat.dir.parent()) else { return Ok(()) };
        compile(&root.join("module"))?;
        let config = self.config(seats);
        seats.iter().try_for_each(|seat| furnish(seat, &config).map_err(Trouble::own("preparing a node")))
    }

    fn command(&self, seats: &[Seat], node: usize, _source: Option<usize>) -> Command {
        let seat = &seats[node];
        let (peers, module) = (seat.ports[PEERS], seat.dir.with_file_name("module"));
        let flags = format!(
            "-start_epmd false -epmd_module kilter_node -erl_epmd_port {peers} -pa {} -kernel inet_dist_use_interface {{127,0,0,1}}",
            module.display()
        );
        let mut command = Command::new("/bin/sh");
        command.args(["-c", RUN, "kilter-rabbitmq"]).args(&self.command);
        command.env("ERL_AFLAGS", flags).env("HOME", &seat.dir);
        command.env("KILTER_PORT", seat.ports[QUESTIONS].to_string());
        command.env("RABBITMQ_NODENAME", name(seat));
        command.env("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1");
        command.env("RABBITMQ_NODE_PORT", seat.ports[CLIENTS].to_string());
        command.env("RABBITMQ_DIST_PORT", peers.to_string());
        command.env("RABBITMQ_MNESIA_BASE", seat.dir.join("mnesia"));
        command.env("RABBITMQ_LOG_BASE", seat.dir.join("log")).env("RABBITMQ_LOGS", "-");
        command.env("RABBITMQ_CONFIG_FILE", seat.dir.join("rabbitmq"));
        command.env("RABBITMQ_CONF_ENV_FILE", seat.dir.join("none"));
        command.env("RABBITMQ_ENABLED_PLUGINS_FILE", seat.dir.join("plugins"));
        // A scheduler for each core of the machine would mean many threads that only wait for each other.
        command.env("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "+S 1:1 +A 2");
        command
    }

    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble> {
        let connection = Connection::open(seats[node].address(CLIENTS));
        Ok(Box::new(connection.map_err(|error| Trouble::NotDriven(format!("connecting: {error}")))?))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        let answer = ask(seat, "read").ok()?;
        let mut contents = Contents::new();
        for (number, message) in (1..).zip(answer.strip_prefix("held")?.split(' ').skip(1)) {
            let (key, value) = message.split_once('=')?;
            // Replicas must also agree on the order.
            contents.insert(format!("message {number}"), key.to_owned());
            contents.insert(key.to_owned(), value.to_owned());
        }
        Some(contents)
    }

    fn resyncs(&self) -> &'static [(&'static str, &'static str)] {
        &[("follower", "detected a new leader"), ("leader", "candidate -> leader in term")]
    }

    fn is_interesting(&self, line: &str) -> bool {
        ["queue '", "[error]", "[warning]"].iter().any(|word| line.contains(word))
    }
}

impl Quorum for RabbitMq {
    fn leader(&self, seats: &[&Seat]) -> Option<usize> {
        let answers: Vec<String> = seats.iter().map(|seat| ask(seat, "state").ok()).collect::<Option<_>>()?;
        if answers.iter().all(|answer| *answer == format!("none {}", seats.len())) {
            // All have found each other, so all of them get a replica of the queue.
            Connection::open(seats[0].address(CLIENTS)).and_then(|mut it| it.declare(QUEUE)).ok()?;
            return None;
        }
        let states: Vec<Vec<&str>> =
            answers.iter().map(|answer| answer.split(' ').take(3).collect()).collect();
        let leader = seats.iter().find(|seat| states[0].first() == Some(&name(seat).as_str()))?;
        states.iter().all(|state| *state == states[0]).then_some(leader.index)
    }
}
