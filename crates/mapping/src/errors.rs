//! The wording of all diagnostics about `kilter.toml`.

use kilter_base::{Diagnostic, Span};
use kilter_system::{Fault, Struck};

fn did_you_mean(similar: Option<&str>, otherwise: &str) -> String {
    match similar {
        Some(name) => format!("did you mean `{name}`?"),
        None => otherwise.to_owned(),
    }
}

pub(crate) fn no_nodes(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the system has no nodes").help("name them: nodes = [\"n1\", \"n2\", \"n3\"]")
}

pub(crate) fn node_twice(span: Span, node: &str) -> Diagnostic {
    Diagnostic::error(span, format!("there are two nodes `{node}`"))
}

pub(crate) fn no_command(span: Span) -> Diagnostic {
    Diagnostic::error(span, "nothing says how a node is started")
        .help("add to [system]: command = [\"my-node\", \"--id\", \"{node}\", \"--listen\", \"{address}\"]; if there are only logs, add a section [follow] instead")
}

pub(crate) fn empty_command(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the command is empty").help("its first word is the program to start")
}

pub(crate) fn unknown_place(span: Span, place: &str, similar: Option<&str>, known: &[&str]) -> Diagnostic {
    let all: Vec<String> = known.iter().map(|place| format!("{{{place}}}")).collect();
    Diagnostic::error(span, format!("nothing is known that `{{{place}}}` could stand for"))
        .help(did_you_mean(similar, &format!("there are {}", all.join(", "))))
}

pub(crate) fn place_in_build(span: Span, place: &str) -> Diagnostic {
    Diagnostic::error(span, format!("nothing is filled in for `{{{place}}}` in `build`"))
        .help("`build` runs once for all nodes, in the folder of this file: write paths from there")
}

pub(crate) fn command_and_world(span: Span) -> Diagnostic {
    Diagnostic::error(span, "there is a command and a world; the system can only be one of them")
}

pub(crate) fn unknown_constant(span: Span, name: &str, similar: Option<&str>) -> Diagnostic {
    let message = format!("`{name}` is no constant, model value or string of the specification");
    Diagnostic::error(span, message).help(did_you_mean(
        similar,
        "the left side is what the specification says, the right side what the implementation says",
    ))
}

pub(crate) fn constant_value(span: Span) -> Diagnostic {
    Diagnostic::error(span, "this has no counterpart in JSON, so no node can report it")
}

pub(crate) fn unknown_variable(span: Span, name: &str, similar: Option<&str>) -> Diagnostic {
    Diagnostic::error(span, format!("the specification has no variable `{name}`"))
        .help(did_you_mean(similar, "take it out"))
}

pub(crate) fn unmapped_variable(name: &str) -> Diagnostic {
    let help = format!(
        "add to [variables]: {name} = {{ kind = \"node\" }}, or \"global\", \"messages\"; \"counter\" and \"auxiliary\" are not compared"
    );
    Diagnostic::global(format!("the variable `{name}` is not mapped")).help(help)
}

pub(crate) fn unknown_action(span: Span, name: &str, similar: Option<&str>) -> Diagnostic {
    Diagnostic::error(span, format!("the specification has no action `{name}`")).help(did_you_mean(
        similar,
        "take it out; what nodes offer beside the specification belongs into `ignore`",
    ))
}

pub(crate) fn unknown_event(span: Span, name: &str, similar: Option<&str>) -> Diagnostic {
    Diagnostic::error(span, format!("no event `{name}` stands for a step"))
        .help(did_you_mean(similar, "say in [follow.events] which steps it stands for"))
}

pub(crate) fn event_without_steps(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("nothing says which steps the event `{name}` stands for"))
        .help("name them: steps = [\"Action\"], or say that it is no step: observes = true")
}

pub(crate) fn unknown_event_param(span: Span, event: &str, param: &str, similar: Option<&str>) -> Diagnostic {
    Diagnostic::error(span, format!("no step of the event `{event}` has a parameter `{param}`"))
        .help(did_you_mean(similar, "take it out"))
}

pub(crate) fn unknown_compared(span: Span, event: &str, what: &str, similar: Option<&str>) -> Diagnostic {
    Diagnostic::error(span, format!("the event `{event}` compares `{what}`, which is no variable"))
        .help(did_you_mean(similar, "name variables, or expressions of [follow.values]"))
}

pub(crate) fn unmapped_action(name: &str, params: &[String]) -> Diagnostic {
    let shown = if params.is_empty() { name.to_owned() } else { format!("{name}({})", params.join(", ")) };
    let node = params.first().map(|param| format!(", node = \"{param}\"")).unwrap_or_default();
    let help = format!(
        "add to [actions]: {name} = {{ kind = \"node\"{node} }}, or \"message\", \"fault\", \"request\", \"internal\""
    );
    Diagnostic::global(format!("the action `{shown}` is not mapped")).help(help)
}

pub(crate) fn unknown_param(span: Span, action: &str, name: &str, params: &[String]) -> Diagnostic {
    let help = match params {
        [] => format!("`{action}` has no parameters"),
        params => format!("`{action}` has the parameters {}", params.join(", ")),
    };
    Diagnostic::error(span, format!("the action `{action}` has no parameter `{name}`")).help(help)
}

pub(crate) fn unknown_field(span: Span, field: &str) -> Diagnostic {
    Diagnostic::error(span, format!("the specification has no record with a field `{field}`"))
        .help("after the dot, write the name that the specification gives to the field")
}

pub(crate) fn unknown_node(span: Span, name: &str, known: &[String]) -> Diagnostic {
    Diagnostic::error(span, format!("there is no node `{name}`"))
        .help(format!("the nodes are {}", known.join(", ")))
}

pub(crate) fn nodes_of_nothing(span: Span, variable: &str) -> Diagnostic {
    Diagnostic::error(span, format!("`nodes` names no node, so nothing of `{variable}` would be compared"))
        .help("name the nodes that have a part, or take `nodes` out; the kind \"auxiliary\" is for what is not compared")
}

pub(crate) fn key_without_use(span: Span, key: &str, what: &str) -> Diagnostic {
    Diagnostic::error(span, format!("`{key}` means nothing for this kind of {what}"))
        .help("take it out, or change the kind")
}

pub(crate) fn fault_in_action(span: Span, fault: Fault) -> Diagnostic {
    Diagnostic::error(span, format!("`{fault}` strikes an action, which only `kilter explore` can do"))
        .help("make the action a request, and let the node fail it")
}

pub(crate) fn missing_key(span: Span, action: &str, key: &str) -> Diagnostic {
    let faults = || {
        let fit = Fault::ALL.iter().filter(|fault| fault.strikes() != Struck::Action);
        fit.map(|fault| fault.word()).collect::<Vec<_>>().join(", ")
    };
    let one_of_them = format!("fault = \"restart\"; there are {}", faults());
    let (what, example) = match key {
        "message" => ("which parameter is the message", "message = \"m\""),
        "fault" => ("which fault it is", &*one_of_them),
        "other" => ("the other node", "other = \"j\""),
        _ => ("where it happens", "node = \"i\", a parameter or a node's name"),
    };
    Diagnostic::error(span, format!("`{action}` does not say {what}")).help(format!("add {example}"))
}

pub(crate) fn bad_shape(span: Span, message: &str, similar: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(span, message);
    match similar {
        Some(name) => diagnostic.help(format!("did you mean `{name}`?")),
        None => diagnostic,
    }
}
