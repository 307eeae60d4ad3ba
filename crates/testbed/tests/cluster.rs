//! Clusters of real processes that behave well.

mod support;

use std::fs;

use kilter_testbed::{Cluster, Command, Control, Fault, Interrupt, Lives, Setup, Trouble, Waited, World};
use serde_json::json;
use support::{ask, copies, count, does, find, go, ping, setup, started};

#[test]
fn play() {
    support::play();
}

#[test]
fn a_message_travels_and_is_in_flight_until_it_is_taken() {
    let mut cluster = started(setup(3, "good"));
    assert_eq!(cluster.offers().len(), 6);
    ping(&mut cluster, "n1", "n2");
    assert_eq!((copies(&cluster), count(&cluster, "n2")), (1, 0));
    assert_eq!(cluster.flights()[0].from.as_deref(), Some("n1"));
    assert_eq!(cluster.wait(), Ok(Waited::Still));
    go(&mut cluster, "n2", "Take");
    assert_eq!((copies(&cluster), count(&cluster, "n2")), (0, 1));
    assert!(cluster.waited().is_zero());
}

#[test]
fn what_a_node_does_not_know_is_said() {
    let mut cluster = started(setup(2, "good"));
    let said = ask(&mut cluster, "n1", "Subtract", &[]);
    assert_eq!(said, Err(Trouble::Impossible("node n1 does not know the request `Subtract`".to_owned())));
    ask(&mut cluster, "n1", "Add", &[json!(2)]).expect("it goes on");
    assert_eq!(count(&cluster, "n1"), 2);
}

#[test]
fn it_also_works_over_tcp() {
    let mut cluster = started(Setup { control: Control::Tcp, ..setup(2, "good") });
    ping(&mut cluster, "n1", "n2");
    go(&mut cluster, "n2", "Take");
    assert_eq!(count(&cluster, "n2"), 1);
}

#[test]
fn a_doubled_message_is_taken_twice_and_a_dropped_one_never() {
    let mut cluster = started(setup(2, "good"));
    ping(&mut cluster, "n1", "n2");
    cluster
        .perform(&Command::on_message(Fault::Duplicate, find(&cluster, "n2", "Take")))
        .expect("it is doubled");
    cluster
        .perform(&Command::on_message(Fault::Duplicate, find(&cluster, "n2", "Take")))
        .expect("it is doubled");
    assert_eq!(copies(&cluster), 3);
    go(&mut cluster, "n2", "Take");
    assert_eq!((copies(&cluster), count(&cluster, "n2")), (2, 1));
    cluster
        .perform(&Command::on_message(Fault::Drop, find(&cluster, "n2", "Take")))
        .expect("one copy is lost");
    assert_eq!((copies(&cluster), count(&cluster, "n2")), (1, 1));
    go(&mut cluster, "n2", "Take");
    assert_eq!((copies(&cluster), count(&cluster, "n2")), (0, 2));
    assert!(!does(&cluster, "n2", "Take"));

    ping(&mut cluster, "n1", "n2");
    cluster.perform(&Command::on_message(Fault::Drop, find(&cluster, "n2", "Take"))).expect("it is lost");
    assert_eq!((copies(&cluster), count(&cluster, "n2")), (0, 2));
    assert!(!does(&cluster, "n2", "Take"));
}

#[test]
fn a_crashed_node_keeps_what_it_had_stored_and_gets_its_messages_again() {
    let mut cluster = started(setup(3, "good"));
    ask(&mut cluster, "n2", "Add", &[json!(5)]).expect("it adds");
    ask(&mut cluster, "n2", "Save", &[]).expect("it saves");
    ask(&mut cluster, "n2", "Add", &[json!(1)]).expect("it adds");
    ping(&mut cluster, "n1", "n2");
    cluster.perform(&Command::on_node(Fault::Crash, "n2")).expect("it crashes");
    assert_eq!(cluster.variables("n2"), None);
    assert!(!does(&cluster, "n2", "Take"));
    ping(&mut cluster, "n3", "n2");
    assert_eq!(copies(&cluster), 2, "a message to a node that is down waits");
    cluster.perform(&Command::on_node(Fault::Start, "n2")).expect("it starts again");
    assert_eq!(count(&cluster, "n2"), 5);
    go(&mut cluster, "n2", "Take");
    go(&mut cluster, "n2", "Take");
    assert_eq!((copies(&cluster), count(&cluster, "n2")), (0, 7));
    ping(&mut cluster, "n1", "n2");
    go(&mut cluster, "n2", "Take");
    assert_eq!(count(&cluster, "n2"), 8);
}

#[test]
fn without_delivery_messages_die_with_the_node() {
    let mut setup = setup(2, "good");
    setup.env.push(("TAKES_DELIVERY".to_owned(), "no".to_owned()));
    let mut cluster = started(setup);
    ping(&mut cluster, "n1", "n2");
    cluster.perform(&Command::on_node(Fault::Crash, "n2")).expect("it crashes");
    assert_eq!(copies(&cluster), 0);
    ping(&mut cluster, "n1", "n2");
    assert_eq!(copies(&cluster), 0);
}

#[test]
fn nothing_passes_a_cut_and_nothing_comes_from_a_paused_node() {
    let mut cluster = started(setup(3, "good"));
    cluster.perform(&Command::on_link(Fault::Cut, "n1", "n2")).expect("cut");
    ping(&mut cluster, "n1", "n2");
    assert!(!does(&cluster, "n2", "Take"));
    ping(&mut cluster, "n3", "n2");
    assert!(does(&cluster, "n2", "Take"));
    go(&mut cluster, "n2", "Take");
    assert_eq!(cluster.flights()[0].from.as_deref(), Some("n1"));
    cluster.perform(&Command::on_link(Fault::Mend, "n2", "n1")).expect("mended");
    go(&mut cluster, "n2", "Take");

    cluster.perform(&Command::on_node(Fault::Pause, "n2")).expect("paused");
    assert!(!does(&cluster, "n2", "Ping"));
    ping(&mut cluster, "n1", "n2");
    assert_eq!(cluster.wait(), Ok(Waited::Still));
    assert!(ask(&mut cluster, "n2", "Add", &[json!(1)]).is_err());
    cluster.perform(&Command::on_node(Fault::Resume, "n2")).expect("it goes on");
    go(&mut cluster, "n2", "Take");
    assert_eq!(count(&cluster, "n2"), 3);
}

#[test]
fn nodes_that_do_not_say_still_are_waited_for() {
    let mut setup = setup(2, "good");
    setup.env.push(("SAYS_STILL".to_owned(), "no".to_owned()));
    let mut cluster = started(setup);
    let wait_for = |cluster: &mut Cluster, node: &str, action: &str| {
        while !does(cluster, node, action) {
            assert_eq!(cluster.wait(), Ok(Waited::Changed));
        }
    };
    wait_for(&mut cluster, "n1", "Ping");
    ping(&mut cluster, "n1", "n2");
    wait_for(&mut cluster, "n2", "Take");
    go(&mut cluster, "n2", "Take");
    assert_eq!((copies(&cluster), count(&cluster, "n2")), (0, 1));
    assert!(cluster.waited().is_zero());
}

#[test]
fn a_fresh_start_forgets_everything_and_a_reset_keeps_the_processes() {
    for reset in [None, Some("Reset".to_owned())] {
        let mut cluster = started(Setup { reset: reset.into_iter().collect(), ..setup(2, "good") });
        let offers = cluster.offers().len();
        for _ in 0..3 {
            ask(&mut cluster, "n1", "Add", &[json!(5)]).expect("it adds");
            ask(&mut cluster, "n1", "Save", &[]).expect("it saves");
            ping(&mut cluster, "n1", "n2");
            cluster.start().expect("it starts again");
            assert_eq!((count(&cluster, "n1"), copies(&cluster), cluster.offers().len()), (0, 0, offers));
        }
        cluster.perform(&Command::on_node(Fault::Crash, "n1")).expect("it crashes");
        cluster.start().expect("a cluster with a node missing is started, too");
        assert_eq!(cluster.offers().len(), offers);
    }
}

/// How many processes were started since the cluster was started the last time.
fn n_processes(cluster: &Cluster) -> usize {
    let folder = tempfile::tempdir().expect("a directory");
    cluster.write_logs(folder.path()).expect("logs");
    let conversation = fs::read_to_string(folder.path().join("conversation.txt")).expect("a conversation");
    conversation.matches("its process is started").count()
}

#[test]
fn a_reset_replaces_processes_of_nodes_that_are_down_and_keeps_the_others() {
    let mut cluster = started(Setup { reset: vec!["Reset".to_owned()], ..setup(3, "good") });
    assert_eq!(n_processes(&cluster), 3);
    let offers = cluster.offers().len();
    for node in ["n2", "n3"] {
        ask(&mut cluster, node, "Add", &[json!(5)]).expect("it adds");
        ask(&mut cluster, node, "Save", &[]).expect("it saves");
    }
    ping(&mut cluster, "n1", "n2");
    cluster.perform(&Command::on_node(Fault::Crash, "n2")).expect("it crashes");
    cluster.start().expect("all are there again");
    assert_eq!((n_processes(&cluster), cluster.offers().len(), copies(&cluster)), (1, offers, 0));
    assert_eq!((count(&cluster, "n2"), count(&cluster, "n3")), (0, 0));
    ping(&mut cluster, "n1", "n2");
    go(&mut cluster, "n2", "Take");
    assert_eq!(count(&cluster, "n2"), 1);
}

#[test]
fn a_node_with_several_lives_crashes_in_its_process() {
    let lives = Lives { crash: "Crash".to_owned(), clean: "Clean".to_owned(), begin: "Begin".to_owned() };
    let setup = Setup { reset: vec!["Reset".to_owned()], lives: Some(lives), ..setup(3, "good") };
    let mut cluster = started(setup);
    let offers = cluster.offers().len();
    for _ in 0..2 {
        ping(&mut cluster, "n1", "n2");
        go(&mut cluster, "n2", "Take");
        ask(&mut cluster, "n2", "Add", &[json!(4)]).expect("it adds");
        ask(&mut cluster, "n2", "Save", &[]).expect("it saves");
        ask(&mut cluster, "n2", "Add", &[json!(1)]).expect("it adds");
        ping(&mut cluster, "n1", "n2");
        cluster.perform(&Command::on_node(Fault::Crash, "n2")).expect("it crashes");
        assert_eq!(cluster.variables("n2"), None);
        assert!(!does(&cluster, "n2", "Ping"));
        for refused in [Command::on_node(Fault::Crash, "n2"), Command::on_node(Fault::Pause, "n2")] {
            let said = cluster.perform(&refused);
            assert_eq!(said, Err(Trouble::Impossible("node n2 is down".to_owned())));
        }
        assert!(ask(&mut cluster, "n2", "Add", &[json!(1)]).is_err());
        cluster.perform(&Command::on_node(Fault::Start, "n2")).expect("it starts again");
        assert_eq!(count(&cluster, "n2"), 5);
        go(&mut cluster, "n2", "Take");
        ping(&mut cluster, "n3", "n2");
        go(&mut cluster, "n2", "Take");
        assert_eq!(count(&cluster, "n2"), 7);
        // The next case begins while it is down, with nothing on its disk.
        cluster.perform(&Command::on_node(Fault::Crash, "n2")).expect("it crashes");
        cluster.start().expect("all are there again");
        assert_eq!((count(&cluster, "n2"), cluster.offers().len(), n_processes(&cluster)), (0, offers, 0));
    }
    assert!(cluster.waited().is_zero());
}

#[test]
fn a_node_that_can_not_crash_in_its_process_is_killed() {
    let lives = Lives { crash: "Die".to_owned(), clean: "Clean".to_owned(), begin: "Begin".to_owned() };
    let mut cluster = started(Setup { lives: Some(lives), ..setup(2, "good") });
    ask(&mut cluster, "n2", "Add", &[json!(5)]).expect("it adds");
    ask(&mut cluster, "n2", "Save", &[]).expect("it saves");
    cluster.perform(&Command::on_node(Fault::Crash, "n2")).expect("it crashes");
    assert_eq!((cluster.variables("n2"), does(&cluster, "n2", "Ping")), (None, false));
    cluster.perform(&Command::on_node(Fault::Start, "n2")).expect("it starts again");
    assert_eq!((count(&cluster, "n2"), n_processes(&cluster)), (5, 3));
}

#[test]
fn offers_have_the_same_numbers_each_time() {
    let run = || {
        let mut cluster = started(setup(3, "good"));
        for (from, to) in [("n1", "n2"), ("n3", "n2"), ("n2", "n3")] {
            ping(&mut cluster, from, to);
        }
        cluster.offers().clone()
    };
    assert_eq!(run(), run());
}

#[test]
fn several_clusters_run_side_by_side() {
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut cluster = started(setup(3, "good"));
                for _ in 0..3 {
                    ping(&mut cluster, "n1", "n3");
                    go(&mut cluster, "n3", "Take");
                    assert_eq!(count(&cluster, "n3"), 1);
                    cluster.start().expect("it starts again");
                }
            });
        }
    });
}

#[test]
fn what_was_interrupted_ends_at_once() {
    let interrupt = Interrupt::new().expect("a flag");
    let mut cluster = started(Setup { interrupt: Some(interrupt.clone()), ..setup(1, "good") });
    std::thread::scope(|scope| {
        scope.spawn(|| interrupt.raise());
        assert_eq!(ask(&mut cluster, "n1", "Hang", &[]), Err(Trouble::Interrupted));
    });
    assert!(interrupt.is_raised());
    assert!(matches!(cluster.wait(), Err(Trouble::Impossible(_))), "it has to be started again");
}

#[test]
fn notes_are_handed_over_once() {
    let mut cluster = started(setup(1, "good"));
    ask(&mut cluster, "n1", "Note", &[]).expect("it notes");
    assert_eq!(cluster.take_notes(), ["n1: noted"]);
    assert!(cluster.take_notes().is_empty());
}

#[test]
fn directories_are_where_they_are_wanted_and_gone_in_the_end() {
    let scratch = tempfile::tempdir().expect("a directory");
    let mut cluster = started(Setup { scratch: Some(scratch.path().to_owned()), ..setup(2, "good") });
    let entries = || fs::read_dir(scratch.path()).expect("it is readable").count();
    assert_eq!(entries(), 1);
    cluster.stop();
    assert_eq!(entries(), 0);
}

#[test]
fn messages_for_a_node_that_is_down_can_be_lost_and_doubled() {
    let mut cluster = started(setup(2, "good"));
    ping(&mut cluster, "n1", "n2");
    let message = cluster.flights()[0].message.clone();
    let (drop, double) = (
        Command::on_unread(Fault::Drop, "n2", message.clone()),
        Command::on_unread(Fault::Duplicate, "n2", message),
    );
    assert!(matches!(cluster.perform(&drop), Err(Trouble::Impossible(_))), "it is up, and offers to take it");
    cluster.perform(&Command::on_node(Fault::Crash, "n2")).expect("it crashes");
    cluster.perform(&double).expect("it is doubled");
    assert_eq!(copies(&cluster), 2);
    cluster.perform(&Command::on_node(Fault::Start, "n2")).expect("it starts");
    go(&mut cluster, "n2", "Take");
    go(&mut cluster, "n2", "Take");
    assert_eq!((copies(&cluster), count(&cluster, "n2")), (0, 2));

    ping(&mut cluster, "n1", "n2");
    cluster.perform(&Command::on_node(Fault::Crash, "n2")).expect("it crashes");
    cluster.perform(&drop).expect("it is lost");
    assert!(matches!(cluster.perform(&drop), Err(Trouble::Impossible(_))), "there was one");
    cluster.perform(&Command::on_node(Fault::Start, "n2")).expect("it starts");
    assert_eq!(copies(&cluster), 0);
    assert!(!does(&cluster, "n2", "Take"));
}
