//! Translates offers into the specification's words. Translations are remembered.

use std::hash::{Hash, Hasher};

use kilter_testbed::Offer;
use kilter_value::Value;
use rustc_hash::{FxHashMap, FxHasher};

use crate::plan::{Plan, Step};
use kilter_mapping::mapping::Place;
use kilter_mapping::translate::{Envelope, Translator, shortened};

/// The number of an offer's content. Offers with the same content have the same number.
pub type ReadId = u32;

/// An offer in the specification's words.
#[derive(Clone, Debug)]
pub struct Read {
    offer: Offer,
    from: Option<usize>,
    /// The node that makes the offer.
    pub node: usize,
    /// The actions that it can mean.
    pub readings: Vec<Reading>,
    /// Why it can't mean any action. `None` if it can.
    pub problem: Option<String>,
    /// Whether it need not be allowed, because the mapping ignores it or only the bounds of the model forbid it.
    pub is_exempt: bool,
}

/// An action that an offer can mean.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The index of the action's rule in the mapping.
    pub rule: usize,
    /// The message that it takes in.
    pub message: Option<Value>,
    /// The arguments that the offer gives, as pairs of parameter index and value.
    pub args: Vec<(usize, Value)>,
}

impl Read {
    /// Whether the offer can mean a step.
    pub fn fits(&self, step: &Step) -> bool {
        step.node.is_none_or(|node| node == self.node)
            && self.readings.iter().any(|reading| reading.fits(step))
    }

    /// Whether the offer would take in this message, by any action.
    pub fn takes(&self, message: Value, node: Option<usize>) -> bool {
        node.is_none_or(|node| node == self.node)
            && self.readings.iter().any(|reading| reading.message == Some(message))
    }

    /// The name that the node gave it.
    pub fn name(&self) -> &str {
        &self.offer.action
    }

    /// The action with its arguments, in the specification's words if there are any.
    pub fn show(&self, plan: &Plan<'_>, translator: Translator<'_>) -> String {
        let Some(reading) = self.readings.first() else {
            let mut args: Vec<String> = self.offer.args.iter().map(shortened).collect();
            args.extend(self.offer.message.iter().map(shortened));
            return format!("{}({})", self.offer.action, args.join(", "));
        };
        let rule = &plan.mapping.rules[reading.rule];
        let mut args: Vec<(usize, Value)> = reading.args.clone();
        args.extend(rule.message.zip(reading.message));
        if let Some(Place::Part(part)) = &rule.node
            && part.path.is_empty()
            && args.iter().all(|(param, _)| *param != part.param)
        {
            args.push((part.param, plan.mapping.words.nodes()[self.node].1));
        }
        args.sort_by_key(|(param, _)| *param);
        let shown: Vec<String> = args
            .iter()
            .map(|(param, value)| format!("{} = {}", rule.params[*param], translator.store.show(*value)))
            .collect();
        if shown.is_empty() { rule.action.clone() } else { format!("{}({})", rule.action, shown.join(", ")) }
    }
}

impl Reading {
    fn fits(&self, step: &Step) -> bool {
        self.rule == step.rule
            && (self.message.is_none() || self.message == step.message)
            && self.args.iter().all(|(param, value)| step.args[*param] == *value)
    }
}

/// All offers that have been translated.
#[derive(Debug, Default)]
pub struct Library {
    reads: Vec<Read>,
    by_hash: FxHashMap<u64, Vec<ReadId>>,
}

impl Library {
    /// The offer with a number.
    pub fn get(&self, id: ReadId) -> &Read {
        &self.reads[id as usize]
    }

    /// Translates an offer. `from` is the sender of its message.
    pub fn read(
        &mut self,
        offer: &Offer,
        from: Option<usize>,
        plan: &Plan<'_>,
        translator: Translator<'_>,
    ) -> ReadId {
        let mut hasher = FxHasher::default();
        (&offer.node, &offer.action, &offer.args, &offer.message, from).hash(&mut hasher);
        let known = self.by_hash.entry(hasher.finish()).or_default();
        let same = known.iter().find(|id| {
            let read = &self.reads[**id as usize];
            read.offer == *offer && read.from == from
        });
        if let Some(id) = same {
            return *id;
        }
        let id = self.reads.len() as ReadId;
        known.push(id);
        self.reads.push(read(offer, from, plan, translator));
        id
    }
}

fn read(offer: &Offer, from: Option<usize>, plan: &Plan<'_>, translator: Translator<'_>) -> Read {
    let node = plan.mapping.words.node_named(&offer.node);
    let mut read = Read {
        offer: offer.clone(),
        from,
        node: node.unwrap_or(usize::MAX),
        readings: Vec::new(),
        problem: None,
        is_exempt: plan.mapping.system.ignore.contains(&offer.action),
    };
    let rules = plan.rules_offered_as(&offer.action);
    if rules.is_empty() {
        read.problem = Some(format!("no action of the mapping is offered as `{}`", offer.action));
    }
    for rule in rules {
        match reading(offer, *rule, Envelope { from, to: node }, plan, translator) {
            Ok(reading) => read.readings.push(reading),
            Err(problem) => read.problem = Some(problem),
        }
    }
    // One name may stand for several actions. Those that never happen at this node, with this message, are not meant.
    let at = read.node;
    let is_possible = |reading: &Reading| plan.happens(reading.rule, at, reading.message);
    if read.readings.iter().any(is_possible) {
        read.readings.retain(is_possible);
    }
    if !read.readings.is_empty() {
        read.problem = None;
        read.is_exempt |= read.readings.iter().all(|reading| plan.mapping.rules[reading.rule].is_bounded);
    }
    read
}

fn reading(
    offer: &Offer,
    index: usize,
    envelope: Envelope,
    plan: &Plan<'_>,
    translator: Translator<'_>,
) -> Result<Reading, String> {
    let rule = &plan.mapping.rules[index];
    let message =
        match (rule.message, &offer.message) {
            (None, _) => None,
            (Some(param), Some(json)) => {
                let value = translator.value(&rule.shapes[param], json, envelope);
                Some(value.map_err(|misfit| {
                    format!("the message of `{}` cannot be read: {misfit}", offer.action)
                })?)
            }
            (Some(_), None) => return Err(format!("`{}` is offered without a message", offer.action)),
        };
    let params = rule.params_of(offer.args.len()).map_err(|wanted| {
        format!(
            "`{}` is offered with {} arguments, the mapping expects {wanted}",
            rule.action,
            offer.args.len()
        )
    })?;
    let mut args = Vec::with_capacity(params.len());
    for (param, json) in params.into_iter().zip(&offer.args) {
        let value = translator.value(&rule.shapes[param], json, Envelope::default());
        let name = &rule.params[param];
        let value = value.map_err(|misfit| {
            format!("the argument {name} of `{}` cannot be read: {misfit}", offer.action)
        })?;
        args.push((param, value));
    }
    Ok(Reading { rule: index, message, args })
}
