//! Exchanges model values in values, for symmetry.

use crate::handle::Value;
use crate::heap::Kind;
use crate::store::Store;
use crate::view::View;
use rustc_hash::FxHashMap;

/// A permutation of model values.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Permutation {
    /// The images by the number of the model value. `None` if it stays. Model values past the end stay too.
    images: Vec<Option<Value>>,
}

impl Permutation {
    /// The permutation that takes the left model value of each pair to the right one. All other model values stay.
    pub fn new(pairs: impl IntoIterator<Item = (Value, Value)>) -> Permutation {
        let mut permutation = Permutation::default();
        for (from, to) in pairs {
            permutation.put(from, to);
        }
        permutation
    }

    fn put(&mut self, from: Value, to: Value) {
        let Some(number) = from.as_model_number() else { return };
        let index = number as usize;
        if from != to {
            self.images.resize(self.images.len().max(index + 1), None);
            self.images[index] = Some(to);
        }
    }

    /// The model value that replaces `model`.
    #[inline]
    pub fn image(&self, model: Value) -> Value {
        let Some(number) = model.as_model_number() else { return model };
        self.images.get(number as usize).copied().flatten().unwrap_or(model)
    }

    /// The values that move, each with the value that replaces it.
    pub fn pairs(&self) -> impl Iterator<Item = (Value, Value)> {
        let moved = self.images.iter().enumerate().filter_map(|(number, image)| Some((number, (*image)?)));
        moved.map(|(number, image)| (Value::model_number(number as u32), image))
    }

    /// Whether all model values stay.
    pub fn is_identity(&self) -> bool {
        self.images.iter().all(Option::is_none)
    }

    /// The permutation that applies `self` first and then `other`.
    #[must_use]
    pub fn then(&self, other: &Permutation) -> Permutation {
        let n = self.images.len().max(other.images.len());
        Permutation::new((0..n as u32).map(|number| {
            let model = Value::model_number(number);
            (model, other.image(self.image(model)))
        }))
    }
}

/// The images under one permutation that are known already.
#[derive(Clone, Debug, Default)]
pub struct PermuteCache {
    images: FxHashMap<Value, Value>,
}

impl PermuteCache {
    /// Forgets all images, so that the cache can be used for another permutation.
    pub fn clear(&mut self) {
        self.images.clear();
    }
}

impl Store {
    /// The value with its model values exchanged. Sets and domains are sorted again. Their new elements can be compared
    /// if each model value is exchanged for one of the same type. Otherwise the set or function stays as it is.
    pub fn permute(&self, value: Value, permutation: &Permutation, cache: &mut PermuteCache) -> Value {
        if value.as_model_number().is_some() {
            return permutation.image(value);
        }
        let Some(place) = value.as_heap() else { return value };
        if let Some(image) = cache.images.get(&value) {
            return *image;
        }
        let image = match self.view(value) {
            View::Int(_) | View::Interval { .. } => value,
            View::Set(elems) => {
                let mut images = elems.iter().map(|elem| self.permute(elem, permutation, cache)).collect();
                self.set(&mut images).unwrap_or(value)
            }
            View::Function { domain, values } => {
                let values: Vec<Value> = values.iter().map(|v| self.permute(v, permutation, cache)).collect();
                self.permute_function(domain, &values, permutation, cache).unwrap_or(value)
            }
            View::Tuple(elems) => {
                let images: Vec<Value> =
                    elems.iter().map(|elem| self.permute(elem, permutation, cache)).collect();
                self.tuple(&images)
            }
            _ => {
                let words = self.words(place);
                let images: Vec<Value> =
                    words.iter().map(|word| self.permute(word, permutation, cache)).collect();
                self.intern_values(Kind::of(self.heap().header(place)), &images)
            }
        };
        cache.images.insert(value, image);
        image
    }

    fn permute_function(
        &self,
        domain: Value,
        values: &[Value],
        permutation: &Permutation,
        cache: &mut PermuteCache,
    ) -> Option<Value> {
        let image = self.permute(domain, permutation, cache);
        let mut moved = values.to_vec();
        for (elem, value) in self.items(domain)?.iter().zip(values) {
            let to = self.permute(elem, permutation, cache);
            *moved.get_mut(self.index_in(image, to).ok()??)? = *value;
        }
        Some(self.function(image, &moved))
    }
}
