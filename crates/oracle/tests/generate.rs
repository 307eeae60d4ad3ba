//! Random models are worth a search, and use everything that a configuration can ask for.

use kilter_oracle::generate;
use kilter_oracle::model::{Model, Property};

/// Enough seeds for shares that mean something.
const SEEDS: u64 = 200;

fn refines(model: &Model) -> bool {
    model.properties.iter().any(|(_, property)| matches!(property, Property::Refines))
}

#[test]
fn each_kind_of_check_is_in_a_tenth_of_the_models_with_more_than_a_few_states() {
    let models: Vec<Model> = (1..=SEEDS)
        .map(generate::model)
        .filter(|(_, answer)| answer.distinct >= 5)
        .map(|(model, _)| model)
        .collect();
    assert!(models.len() as u64 >= SEEDS * 8 / 10, "{} of {SEEDS}", models.len());
    let share = |name: &str, has: &dyn Fn(&Model) -> bool| {
        let found = models.iter().filter(|model| has(model)).count();
        assert!(found * 10 >= models.len(), "{name}: {found} of {}", models.len());
    };
    share("constraints", &|model| !model.constraints.is_empty());
    share("action constraints", &|model| !model.action_constraints.is_empty());
    share("views", &|model| model.view.is_some());
    share("symmetry", &|model| !model.symmetry.is_empty());
    share("invariants", &|model| !model.invariants.is_empty());
    share("refinement", &refines);
    share("temporal properties", &Model::has_temporal);
    share("weak fairness", &|model| model.behaviors.fairness.iter().any(|one| !one.strong));
    share("strong fairness", &|model| model.behaviors.fairness.iter().any(|one| one.strong));
}
