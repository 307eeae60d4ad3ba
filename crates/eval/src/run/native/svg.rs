//! The modules SVG and Statistics.

use std::f64::consts::TAU;

use kilter_value::{Value, View};

use super::ordinal;
use crate::error::Eval;
use crate::node::NativeCall;
use crate::origin::OriginId;
use crate::run::Worker;

impl Worker<'_> {
    pub(super) fn svg_elem_to_string(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let elem = self.eval_canonical(&call.args[0])?;
        let text = self.svg_text(elem, origin)?;
        Ok(self.store.string(&text))
    }

    /// The text of an SVG element, which is a record with the fields `name`, `attrs`, `children` and `innerText`.
    fn svg_text(&mut self, elem: Value, origin: OriginId) -> Eval<String> {
        let store = self.store;
        let field = |name| store.field(elem, store.string(name));
        let (Some(name), Some(attrs), Some(children), Some(inner)) =
            (field("name"), field("attrs"), field("children"), field("innerText"))
        else {
            let what = "a record with the fields name, attrs, children and innerText";
            return self.expected("argument", "SVGElemToString", what, elem, origin);
        };
        let name = self.unquoted(name);
        let mut text = format!("<{name}");
        if let View::Record { shape, values } = store.view(attrs) {
            for (attr, value) in shape.iter().zip(values) {
                // Names of fields in TLA+ cannot contain `-`, so `_` stands for it.
                text.extend([" ", &self.unquoted(attr).replace('_', "-"), "='", &self.unquoted(value), "'"]);
            }
        }
        text.push('>');
        text += &self.unquoted(inner).replace("<<", "&lt;&lt;").replace(">>", "&gt;&gt;");
        let Some(children) = store.range_elems(children) else {
            return self.expected("children of an element", "SVG", "a sequence", children, origin);
        };
        for child in children {
            text += &self.svg_text(child, origin)?;
        }
        text.extend(["</", &name, ">"]);
        Ok(text)
    }

    /// `NodeOfRingNetwork(cx, cy, r, n, m)`: point n of m points on a circle.
    pub(super) fn node_of_ring_network(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let mut numbers = [0; 5];
        for (index, arg) in call.args.iter().enumerate() {
            let value = self.eval(arg)?;
            numbers[index] = match self.store.as_int(value) {
                Some(i) => i,
                None => return self.expected("argument", "NodeOfRingNetwork", "an integer", value, origin),
            };
        }
        let [cx, cy, radius, n, m] = numbers.map(f64::from);
        let (sin, cos) = (TAU * n / m).sin_cos();
        let store = self.store;
        let mut fields = vec![
            (store.string("x"), store.int((cx + radius * cos) as i32)),
            (store.string("y"), store.int((cy + radius * sin) as i32)),
        ];
        Ok(store.record(&mut fields))
    }

    pub(super) fn nodes_of_graph(&mut self, _: &NativeCall, origin: OriginId) -> Eval<Value> {
        self.fail(origin, "NodesOfDirectedMultiGraph is not supported: give each node its place yourself")
    }

    /// ChiSquare(expected, actual, alpha)
    pub(super) fn chi_square(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let expected = self.counts_arg(call, 0)?;
        let actual = self.counts_arg(call, 1)?;
        let alpha = self.text_arg(call, 2)?;
        let Some(alpha) = alpha.parse().ok().filter(|alpha| (0.0..=0.5).contains(alpha)) else {
            return self.fail(
                origin,
                format!(
                    "the third argument of ChiSquare should be a number from 0 to 0.5, but it is {alpha:?}"
                ),
            );
        };
        if expected.len() != actual.len() || expected.len() < 2 {
            return self.fail(
                origin,
                "ChiSquare compares two functions with the same number of values, at least two",
            );
        }
        if expected.iter().any(|n| *n <= 0.0) || actual.iter().any(|n| *n < 0.0) {
            return self
                .fail(origin, "ChiSquare needs positive expected counts, and no negative actual ones");
        }
        Ok(Value::bool(p_value(&expected, &actual) >= alpha))
    }

    fn counts_arg(&mut self, call: &NativeCall, index: usize) -> Eval<Vec<f64>> {
        let value = self.eval_canonical(&call.args[index])?;
        let store = self.store;
        let counts = store
            .range_elems(value)
            .and_then(|counts| counts.iter().map(|n| store.as_int(n).map(f64::from)).collect());
        match counts {
            Some(counts) => Ok(counts),
            None => self.expected(
                ordinal(index),
                "ChiSquare",
                "a function to integers",
                value,
                call.args[index].origin,
            ),
        }
    }
}

/// The probability of counts at least this far from the expected ones. These are first scaled to the same total.
fn p_value(expected: &[f64], actual: &[f64]) -> f64 {
    let ratio = actual.iter().sum::<f64>() / expected.iter().sum::<f64>();
    if ratio == 0.0 {
        return 1.0;
    }
    let scaled = expected.iter().map(|n| n * ratio);
    let distance: f64 =
        scaled.zip(actual).map(|(expected, actual)| (actual - expected).powi(2) / expected).sum();
    let freedom = f64::from(expected.len() as u32 - 1);
    1.0 - gamma_share(freedom / 2.0, distance / 2.0)
}

/// The regularized lower incomplete gamma function P(a, x), for `a` a multiple of 1/2.
fn gamma_share(a: f64, x: f64) -> f64 {
    // For such an x the sum below would take long, and the result differs from 1 by less than any alpha.
    if x > 700.0 + 8.0 * a {
        return 1.0;
    }
    if x <= 0.0 {
        return 0.0;
    }
    // x^a e^-x / Gamma(a + 1) * (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...)
    let log_front = a * x.ln() - x - ln_gamma(a + 1.0);
    let (mut term, mut sum, mut n) = (1.0, 1.0, a);
    while term > sum * 1e-17 {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    (log_front + f64::ln(sum)).exp().min(1.0)
}

/// The logarithm of the gamma function at a multiple of 1/2, by its recurrence.
fn ln_gamma(a: f64) -> f64 {
    let mut at = a;
    let mut sum = 0.0;
    while at > 1.0 {
        at -= 1.0;
        sum += at.ln();
    }
    // Gamma(1/2) is the square root of pi, Gamma(1) is 1.
    if at < 0.75 { sum + std::f64::consts::PI.ln() / 2.0 } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_agree_with_tables() {
        // The 5 % points for 1, 4 and 9 degrees of freedom.
        for (a, x) in [(0.5, 3.841), (2.0, 9.488), (4.5, 16.919)] {
            assert!((gamma_share(a, x / 2.0) - 0.95).abs() < 1e-4);
        }
        assert!(p_value(&[10.0, 10.0], &[20.0, 20.0]) > 0.999);
        assert!(p_value(&[10.0, 10.0], &[1000.0, 1.0]) < 1e-9);
    }
}
