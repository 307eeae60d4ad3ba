//! A world of small machines: a pot of coins that is passed around.

use kilter_testbed::{
    Call, Command, Fault, InProcess, Machine, NodeName, OfferId, Outbox, Trouble, Waited, World,
};
use serde_json::{Map, Value as Json, json};

/// A node with coins. It can give one away. Its disk has the number of coins that it last saved.
#[derive(Clone)]
struct Purse {
    name: NodeName,
    coins: u64,
    saved: u64,
}

#[derive(Clone, PartialEq)]
enum Deed {
    Give,
    Save,
}

impl Machine for Purse {
    type Action = Deed;
    type Message = u64;

    fn actions(&self) -> Vec<Deed> {
        if self.coins > 0 { vec![Deed::Give, Deed::Save] } else { vec![] }
    }

    fn call(&self, deed: &Deed) -> Call {
        Call::new(if *deed == Deed::Give { "Give" } else { "Save" }, [json!(*self.name)])
    }

    fn act(&mut self, deed: Deed, outbox: &mut Outbox<u64>) -> Result<(), String> {
        match deed {
            Deed::Save => self.saved = self.coins,
            Deed::Give => {
                self.coins -= 1;
                outbox.send(if *self.name == *"a" { "b" } else { "a" }, 1);
            }
        }
        Ok(())
    }

    fn handler(&self, _: &u64) -> Option<Call> {
        (self.coins < 3).then(|| Call::new("Take", [json!(*self.name)]))
    }

    fn handle(&mut self, coins: u64, _: &mut Outbox<u64>) -> Result<(), String> {
        self.coins += coins;
        Ok(())
    }

    fn request(&mut self, action: &str, args: &[Json], _: &mut Outbox<u64>) -> Result<(), String> {
        let coins = args.first().and_then(Json::as_u64).ok_or("a number of coins")?;
        assert!(coins < 100, "nobody has {coins} coins");
        self.coins += coins;
        if action == "Earn" { Ok(()) } else { Err(format!("what is {action}?")) }
    }

    fn variables(&self) -> Map<String, Json> {
        Map::from_iter([("coins".to_owned(), self.coins.into())])
    }

    fn show(coins: &u64) -> Json {
        json!({ "coins": coins })
    }

    fn restart(&mut self) -> Result<(), String> {
        self.coins = self.saved;
        Ok(())
    }
}

fn started() -> InProcess<Purse> {
    let mut world = InProcess::new(["a", "b"], |name| Purse { name: name.clone(), coins: 2, saved: 2 });
    world.start().expect("purses start");
    world
}

fn find(world: &impl World, node: &str, action: &str) -> OfferId {
    let mut offers = world.offers().iter();
    let found = offers.find(|(_, offer)| *offer.node == *node && offer.action == action);
    *found.unwrap_or_else(|| panic!("{node} offers no {action}: {:?}", world.offers())).0
}

fn does(world: &impl World, node: &str, action: &str) -> bool {
    world.offers().values().any(|offer| *offer.node == *node && offer.action == action)
}

fn go(world: &mut impl World, node: &str, action: &str) {
    let id = find(world, node, action);
    world.perform(&Command::Go(id)).expect("an offer can be let go");
}

fn coins(world: &impl World, node: &str) -> u64 {
    world.variables(node).expect("the node is up")["coins"].as_u64().expect("a number")
}

fn copies(world: &impl World) -> u32 {
    world.flights().iter().map(|flight| flight.copies).sum()
}

#[test]
fn a_message_is_in_flight_until_it_is_taken() {
    let mut world = started();
    go(&mut world, "a", "Give");
    assert_eq!((coins(&world, "a"), coins(&world, "b"), copies(&world)), (1, 2, 1));
    assert_eq!(world.flights()[0].from.as_deref(), Some("a"));
    go(&mut world, "b", "Take");
    assert_eq!((coins(&world, "a"), coins(&world, "b"), copies(&world)), (1, 3, 0));
    assert_eq!(world.wait(), Ok(Waited::Still));
}

#[test]
fn an_offer_keeps_its_number_while_it_stands_and_is_withdrawn_when_its_guard_fails() {
    let mut world = started();
    let save = find(&world, "b", "Save");
    go(&mut world, "a", "Give");
    assert_eq!(find(&world, "b", "Save"), save);
    world
        .perform(&Command::Request { node: "b".into(), action: "Earn".into(), args: vec![json!(1)] })
        .expect("b earns");
    assert!(!does(&world, "b", "Take"), "a full purse takes nothing");
    assert_eq!(copies(&world), 1, "the message waits all the same");
    go(&mut world, "b", "Give");
    assert!(does(&world, "b", "Take"));
}

#[test]
fn messages_are_lost_and_doubled() {
    let mut world = started();
    go(&mut world, "a", "Give");
    let take = find(&world, "b", "Take");
    world.perform(&Command::on_message(Fault::Duplicate, take)).expect("a message can be doubled");
    assert_eq!(copies(&world), 2);
    world.perform(&Command::on_message(Fault::Drop, take)).expect("a message can be lost");
    assert_eq!(copies(&world), 1);
    assert!(matches!(world.perform(&Command::Go(take)), Err(Trouble::Impossible(_))), "it has been answered");
    go(&mut world, "b", "Take");
    assert_eq!((coins(&world, "b"), copies(&world)), (3, 0));
}

#[test]
fn two_equal_messages_are_one_flight_with_two_copies() {
    let mut world = started();
    go(&mut world, "a", "Give");
    go(&mut world, "a", "Give");
    assert_eq!((world.flights().len(), copies(&world)), (1, 2));
    go(&mut world, "b", "Take");
    assert_eq!((world.flights().len(), copies(&world)), (1, 1));
}

#[test]
fn a_crashed_node_forgets_what_it_had_not_saved_and_its_messages_wait() {
    let mut world = started();
    go(&mut world, "a", "Give");
    go(&mut world, "b", "Give");
    world.perform(&Command::on_node(Fault::Crash, "b")).expect("b crashes");
    assert_eq!(world.variables("b"), None);
    assert!(!does(&world, "b", "Take") && !does(&world, "b", "Give"));
    assert!(matches!(world.perform(&Command::on_node(Fault::Crash, "b")), Err(Trouble::Impossible(_))));
    world.perform(&Command::on_node(Fault::Start, "b")).expect("b starts again");
    assert_eq!(coins(&world, "b"), 2);
    assert!(does(&world, "b", "Take"));
}

#[test]
fn nothing_comes_from_a_paused_node_or_over_a_cut() {
    let mut world = started();
    go(&mut world, "a", "Give");
    world.perform(&Command::on_node(Fault::Pause, "b")).expect("b pauses");
    assert!(!does(&world, "b", "Take") && !does(&world, "b", "Give") && does(&world, "a", "Give"));
    world.perform(&Command::on_node(Fault::Resume, "b")).expect("b goes on");
    world.perform(&Command::on_link(Fault::Cut, "b", "a")).expect("a cut");
    assert!(!does(&world, "b", "Take") && does(&world, "b", "Give"));
    world.perform(&Command::on_link(Fault::Mend, "a", "b")).expect("mended");
    assert!(does(&world, "b", "Take"));
}

#[test]
fn a_machine_that_fails_or_panics_is_trouble() {
    for (action, coins, how) in
        [("Steal", 1, "what is Steal?"), ("Earn", 1000, "it panicked: nobody has 1000 coins")]
    {
        let mut world = started();
        let args = vec![json!(coins)];
        let result = world.perform(&Command::Request { node: "a".into(), action: action.into(), args });
        let Err(Trouble::Exited { node, how: said, .. }) = result else { panic!("{result:?}") };
        assert_eq!((&*node, &*said), ("a", how));
        world.start().expect("it can be started again");
        assert_eq!(crate::coins(&world, "a"), 2);
    }
}

#[test]
fn a_copy_of_the_world_goes_its_own_way_from_the_same_place() {
    let mut world = started();
    go(&mut world, "a", "Give");
    let before = world.clone();
    go(&mut world, "b", "Take");
    assert_eq!((coins(&before, "b"), copies(&before)), (2, 1));
    let mut again = before.clone();
    go(&mut again, "b", "Take");
    assert_eq!(again.offers(), world.offers());
}
