//! Natively implemented operators: which function evaluates which, and those of Integers, `FiniteSets`, TLC and Bitwise.

use kilter_spec::native::Native;
use kilter_value::{SetError, Value};

use super::Worker;
use crate::error::{ErrorKind, Eval};
use crate::node::{Node, Operator, OriginId};

impl Worker<'_> {
    pub(super) fn native(
        &mut self,
        native: Native,
        args: &[Node],
        operators: &[Operator],
        node: &Node,
    ) -> Eval<Value> {
        use Native as N;
        let origin = node.origin;
        match native {
            N::Negate => {
                let value = self.eval(&args[0])?;
                let i = self.int_operand(value, "-", true, origin)?;
                match i.checked_neg() {
                    Some(i) => Ok(self.store.int(i)),
                    None => self.fail(
                        origin,
                        format!("overflow when computing the value -({i}): integers have 32 bits"),
                    ),
                }
            }
            N::Len | N::Head | N::Tail | N::Append | N::Concat | N::SubSeq | N::Seq => {
                self.sequence_native(native, args, node)
            }
            N::Cardinality => {
                let set = self.eval(&args[0])?;
                match self.store.cardinality(set) {
                    Ok(size) => self.size_value(size, origin),
                    Err(SetError::TooLarge(_)) => self.fail(
                        origin,
                        "overflow: the set has more elements than an integer of 32 bits can count",
                    ),
                    Err(_) => {
                        let shown = self.show(set);
                        self.fail(origin, format!("the argument of Cardinality must be a finite set, but instead it is:\n{shown}"))
                    }
                }
            }
            N::IsFiniteSet => {
                let set = self.eval_set(&args[0])?;
                match self.store.is_finite(set) {
                    Ok(finite) => Ok(Value::bool(finite)),
                    Err(error) => self.fail_set(origin, &error),
                }
            }
            N::Singleton => {
                let arg = self.eval_canonical(&args[0])?;
                let value = self.eval_canonical(&args[1])?;
                Ok(self.store.singleton_function(arg, value))
            }
            N::Merge => {
                let left = self.eval_canonical(&args[0])?;
                let right = self.eval_canonical(&args[1])?;
                match self.store.merge(left, right) {
                    Ok(Some(value)) => Ok(value),
                    Ok(None) if self.store.is_function(left) => {
                        self.expected("second argument", "@@", "a function", right, origin)
                    }
                    Ok(None) => self.expected("first argument", "@@", "a function", left, origin),
                    Err(mismatch) => self.fail_mismatch(origin, &mismatch),
                }
            }
            N::Permutations => self.permutations(&args[0], origin),
            N::Print | N::PrintT => {
                let shown = self.eval_shown(&args[0])?;
                if native == N::PrintT {
                    self.printed.push(shown);
                    return Ok(Value::TRUE);
                }
                let value = self.eval(&args[1])?;
                let second = self.show(value);
                self.printed.push(format!("{shown}  {second}"));
                Ok(value)
            }
            N::Assert => {
                let value = self.eval(&args[0])?;
                if value == Value::TRUE {
                    return Ok(Value::TRUE);
                }
                let shown = self.eval_shown(&args[1])?;
                let message = format!(
                    "the first argument of Assert evaluated to FALSE; the second argument was:\n{shown}"
                );
                self.raise(ErrorKind::Assertion, Some(origin), message)
            }
            N::ToString => {
                let shown = self.eval_shown(&args[0])?;
                Ok(self.store.string(&shown))
            }
            N::TlcGet | N::TlcSet | N::TlcGetOrDefault | N::TlcGetAndSet => {
                self.register_native(native, args, operators, node)
            }
            N::TlcEval => {
                let value = self.eval(&args[0])?;
                self.canonical(value, origin)
            }
            N::TlcCache => self.eval(&args[0]),
            N::TlcDefer | N::PickSuccessor => Ok(Value::TRUE),
            N::AssertEq => {
                let a = self.eval(&args[0])?;
                let b = self.eval(&args[1])?;
                if self.equal(a, b, origin)? {
                    return Ok(Value::TRUE);
                }
                let (a, b) = (self.show(a), self.show(b));
                self.printed.push(format!("\"AssertEq failed:\" {a} # {b}"));
                Ok(Value::FALSE)
            }
            N::TlcModelValue => {
                let name = self.eval(&args[0])?;
                match self.store.string_text(name) {
                    Some(text) => Ok(self.store.model_value(text)),
                    None => self.expected("argument", "TLCModelValue", "a string", name, origin),
                }
            }
            N::TlcFp => {
                let value = self.eval_canonical(&args[0])?;
                Ok(self.store.int(self.store.hash(value) as i32))
            }
            N::Trace => Ok(self.trace_value()),
            N::AssertError => self.assert_error(args),
            N::CounterExample => Ok(self.counter_example()),
            N::ToTrace => self.trace_of(&args[0], origin),
            N::TlcEvalDefinition => self
                .fail(origin, "TLCEvalDefinition is not supported; write the name of the definition instead"),
            N::Divide => self
                .fail(origin, "division of reals (/) cannot be evaluated; integers are divided with \\div"),
            N::Infinity => self.fail(origin, "Infinity cannot be evaluated: there are integers only"),
            N::BitAnd | N::BitOr | N::BitXor | N::BitNot | N::ShiftRight | N::ShiftLeft => {
                self.bitwise(native, args, origin)
            }
            N::SelectSeq
            | N::SortSeq
            | N::FoldSet
            | N::MapThenSumSet
            | N::KSubset
            | N::Quantify
            | N::MapThenFoldSet
            | N::FoldFunction
            | N::FoldFunctionOnSet
            | N::FoldLeft
            | N::FoldRight
            | N::FoldSeq
            | N::ToSet
            | N::Reverse
            | N::SetToSeq
            | N::IsPrefix => self.fold_native(native, args, operators, node),
            N::MaxOfSet | N::MinOfSet => self.extremum(native, &args[0], origin),
            N::IsABag | N::BagPlus | N::BagMinus | N::BagUnion | N::BagCardinality => {
                self.bag_native(native, args, node)
            }
            N::RandomElement
            | N::RandomSubset
            | N::RandomSetOfSubsets
            | N::RandomSubsetSet
            | N::TestRandomSetOfSubsets
            | N::JavaTime => self.random_native(native, args, node),
            N::ToJson
            | N::ToJsonArray
            | N::ToJsonObject
            | N::JsonSerialize
            | N::JsonDeserialize
            | N::NdJsonSerialize
            | N::NdJsonDeserialize => self.json_native(native, args, node),
            N::IoEnv
            | N::Atoi
            | N::ZeroPadN
            | N::IoSerialize
            | N::IoDeserialize
            | N::IoExec
            | N::IoEnvExec
            | N::IoExecTemplate
            | N::IoEnvExecTemplate
            | N::IoSerializeBinary
            | N::IoDeserializeBinary => self.io_native(native, args, node),
            N::CsvWrite | N::CsvWriteRecord | N::CsvRead | N::CsvRecords => {
                self.csv_native(native, args, node)
            }
            N::SvgElemToString => {
                let elem = self.eval_canonical(&args[0])?;
                let text = self.svg_text(elem, origin)?;
                Ok(self.store.string(&text))
            }
            N::NodeOfRingNetwork => self.node_of_ring(args, origin),
            N::ChiSquare => self.chi_square(args, origin),
            N::Plus
            | N::Minus
            | N::Times
            | N::Power
            | N::Div
            | N::Mod
            | N::Less
            | N::LessEq
            | N::Greater
            | N::GreaterEq
            | N::Range
            | N::Nat
            | N::Int
            | N::Real
            | N::Any => {
                unreachable!("the compiler has nodes of their own for arithmetic and the sets of numbers")
            }
        }
    }

    pub(super) fn eval_canonical(&mut self, node: &Node) -> Eval<Value> {
        let value = self.eval(node)?;
        self.canonical(value, node.origin)
    }

    fn eval_shown(&mut self, node: &Node) -> Eval<String> {
        let value = self.eval(node)?;
        let value = match self.store.is_finite(value) {
            Ok(false) | Err(_) => self.explicit(value, node.origin)?,
            Ok(true) => self.canonical(value, node.origin)?,
        };
        Ok(self.store.show(value))
    }

    pub(super) fn size_value(&mut self, size: usize, origin: OriginId) -> Eval<Value> {
        match i32::try_from(size) {
            Ok(size) => Ok(self.store.int(size)),
            Err(_) => self.fail(origin, "overflow: the size does not fit into an integer of 32 bits"),
        }
    }

    #[cold]
    pub(super) fn expected<T>(
        &mut self,
        which: &str,
        op: &str,
        what: &str,
        value: Value,
        origin: OriginId,
    ) -> Eval<T> {
        let shown = self.show(value);
        self.fail(origin, format!("the {which} of {op} should be {what}, but instead it is:\n{shown}"))
    }

    fn permutations(&mut self, set: &Node, origin: OriginId) -> Eval<Value> {
        let domain = self.eval_canonical(set)?;
        let Some(items) = self.store.items(domain) else {
            return self.expected("argument", "Permutations", "a finite set", domain, origin);
        };
        let elems: Vec<Value> = items.iter().collect();
        if elems.len() > 9 {
            return self
                .fail(origin, format!("Permutations of a set with {} elements are too many", elems.len()));
        }
        let mut functions = Vec::new();
        let mut images = elems.clone();
        let store = self.store;
        permute(&mut images, 0, &mut |images| functions.push(store.function(domain, images)));
        store.set(&mut functions).or_else(|mismatch| self.fail_mismatch(origin, &mismatch))
    }

    fn bitwise(&mut self, native: Native, args: &[Node], origin: OriginId) -> Eval<Value> {
        let name = match native {
            Native::BitAnd => "&",
            Native::BitOr => "|",
            Native::BitXor => "^^",
            Native::BitNot => "Not",
            Native::ShiftRight => "shiftR",
            _ => "shiftL",
        };
        let mut operands = [0; 2];
        for (index, arg) in args.iter().enumerate() {
            let value = self.eval(arg)?;
            operands[index] = self.int_operand(value, name, index == 0, origin)?;
        }
        let [a, b] = operands;
        Ok(self.store.int(match native {
            Native::BitAnd => a & b,
            Native::BitOr => a | b,
            Native::BitXor => a ^ b,
            // All bits up to the highest one that is set.
            Native::BitNot => {
                !a & 1i32.checked_shl(32 - a.leading_zeros()).map_or(-1, |bit| bit.wrapping_sub(1))
            }
            // As in Java, the sign bit is a bit like others, and only the last five bits of the distance count.
            Native::ShiftRight => (a as u32).wrapping_shr(b as u32) as i32,
            _ => a.wrapping_shl(b as u32),
        }))
    }
}

/// Calls `visit` with every order of `items`.
fn permute(items: &mut Vec<Value>, fixed: usize, visit: &mut dyn FnMut(&[Value])) {
    if fixed == items.len() {
        return visit(items);
    }
    for i in fixed..items.len() {
        items.swap(fixed, i);
        permute(items, fixed + 1, visit);
        items.swap(fixed, i);
    }
}
