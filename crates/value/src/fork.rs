//! Copies of a store, and values that move from one store to another.
//!
//! Values are not freed one by one. A search that may run for days begins again with a copy of its store as it was at the start,
//! and takes along the few values that it still needs.

use rustc_hash::FxHashMap;

use crate::handle::Value;
use crate::heap::Kind;
use crate::store::Store;
use crate::view::View;

/// What has moved already. It belongs to one pair of stores.
#[derive(Debug, Default)]
pub struct Moved {
    known: FxHashMap<Value, Value>,
}

impl Store {
    /// Takes over a value of another store. Both stores must be copies of one store, or have the same strings in the same
    /// order where these are compared.
    pub fn adopt(&self, value: Value, from: &Store, moved: &mut Moved) -> Value {
        match from.view(value) {
            View::String(_) => self.string(from.string_text(value).unwrap_or_default()),
            View::Model(_) => self.model_value(from.model_name(value).unwrap_or_default()),
            _ => match value.as_heap() {
                Some(place) => match moved.known.get(&value) {
                    Some(known) => *known,
                    None => {
                        let image = self.adopt_record(value, place, from, moved);
                        moved.known.insert(value, image);
                        image
                    }
                },
                None => value,
            },
        }
    }

    fn adopt_record(&self, value: Value, place: u32, from: &Store, moved: &mut Moved) -> Value {
        match from.view(value) {
            View::Int(number) => self.int(number),
            View::Interval { lo, hi } => self.interval(lo, hi),
            View::Set(elems) => {
                let mut images: Vec<Value> = elems.iter().map(|elem| self.adopt(elem, from, moved)).collect();
                // Elements that could be compared before can be compared now.
                self.set(&mut images).unwrap_or(Store::EMPTY_SET)
            }
            View::Record { shape, values } => {
                let pairs = shape.iter().zip(values);
                let mut fields: Vec<(Value, Value)> = pairs
                    .map(|(name, value)| (self.adopt(name, from, moved), self.adopt(value, from, moved)))
                    .collect();
                self.record(&mut fields)
            }
            View::Function { domain, values } => {
                let image = self.adopt(domain, from, moved);
                let mut images = vec![Value::FALSE; values.len()];
                let args = from.items(domain);
                for (arg, value) in args.iter().flat_map(|args| args.iter()).zip(values) {
                    let arg = self.adopt(arg, from, moved);
                    if let Ok(Some(index)) = self.index_in(image, arg) {
                        images[index] = self.adopt(value, from, moved);
                    }
                }
                self.function(image, &images)
            }
            View::RecordSet { shape, sets } => {
                let pairs = shape.iter().zip(sets);
                let fields: Vec<(Value, Value)> = pairs
                    .map(|(name, set)| (self.adopt(name, from, moved), self.adopt(set, from, moved)))
                    .collect();
                self.record_set(&fields)
            }
            View::Tuple(elems) => {
                let images: Vec<Value> = elems.iter().map(|elem| self.adopt(elem, from, moved)).collect();
                self.tuple(&images)
            }
            _ => {
                let words = from.words(place);
                let images: Vec<Value> = words.iter().map(|word| self.adopt(word, from, moved)).collect();
                self.intern_values(Kind::of(from.heap().header(place)), &images)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_same_values_and_grows_on_its_own() {
        let store = Store::new();
        let before = store.tuple(&[store.int(1), store.string("a")]);
        let copy = store.copy();
        assert_eq!(copy.tuple(&[copy.int(1), copy.string("a")]), before);
        let other = copy.string("only in the copy");
        assert!(!store.knows_name("only in the copy"));
        assert_eq!(copy.show(other), "\"only in the copy\"");
        assert_eq!(copy.show(before), "<<1, \"a\">>");
    }

    #[test]
    fn values_move_to_a_store_with_other_strings() {
        let base = Store::new();
        let (old, new) = (base.copy(), base.copy());
        // The same strings get other numbers, and so another order.
        let names = ["z", "b", "q"];
        for name in names {
            old.string(name);
        }
        for name in ["q", "z", "b"] {
            new.string(name);
        }
        let [z, b, q] = names.map(|name| old.string(name));
        let set = old.set(&mut vec![z, b, q]).expect("strings can be compared");
        let function = old.function(set, &[old.int(1), old.int(2), old.int(3)]);
        let record = old.record(&mut vec![(b, set), (z, function), (q, old.model_value("n1"))]);
        let value = old.tuple(&[record, old.int(1 << 30), old.interval(3, 9), old.powerset(set)]);
        let moved = new.adopt(value, &old, &mut Moved::default());
        let back = old.adopt(moved, &new, &mut Moved::default());
        assert_eq!(back, value);
        let View::Tuple(parts) = new.view(moved) else { panic!("it is a tuple") };
        let function = new.field(parts.get(0), new.string("z")).expect("it has this field");
        let applied = ["z", "b", "q"].map(|name| new.apply(function, new.string(name)).ok().flatten());
        assert_eq!(applied, [1, 2, 3].map(|number| Some(new.int(number))));
    }
}
