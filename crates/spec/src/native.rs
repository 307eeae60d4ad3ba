//! The table of operators of the standard and community modules that the evaluator implements itself.
//!
//! The files in `modules/` define all operators in TLA+. An operator with a row in the table is evaluated natively
//! instead. Tests compare the number of arguments with definitions; `corpus/eval` has the values that TLC computes.
//!
//! To add an operator, define it in its module (a body such as `CHOOSE v : TRUE` will do), add a row here, and write
//! the method in `eval` that the row names.

/// The table. It calls `$with!` with all rows, so that this crate makes an enumeration of them, and `eval` a match.
///
/// A row is: the operator's name as the parser spells it; how many arguments it has; its
/// [`Purity`](crate::native::Purity); its [`Order`](crate::native::Order); its name in
/// [`Native`](crate::native::Native); and what evaluates it: `Call(method)` of `eval`'s `Worker`, or a `Binary`, `Test` or
/// `Value` that expressions have a form of their own for.
#[macro_export]
macro_rules! native_operators {
    ($with:ident) => {
        $with! {
            "Naturals" {
                "+"                         2 Pure     Any   Plus                   Binary(Add);
                "-"                         2 Pure     Any   Minus                  Binary(Sub);
                "*"                         2 Pure     Any   Times                  Binary(Mul);
                "^"                         2 Pure     Any   Power                  Binary(Pow);
                "\\div"                     2 Pure     Any   Div                    Binary(Div);
                "%"                         2 Pure     Any   Mod                    Binary(Mod);
                "<"                         2 Pure     Any   Less                   Test(Less);
                "<="                        2 Pure     Any   LessEq                 Test(LessEq);
                ">"                         2 Pure     Any   Greater                Test(Greater);
                ">="                        2 Pure     Any   GreaterEq              Test(GreaterEq);
                ".."                        2 Pure     Any   Range                  Binary(Range);
                "Nat"                       0 Pure     Any   Nat                    Value(NAT);
            }
            "Integers" {
                "-."                        1 Pure     Any   Negate                 Call(negate);
                "Int"                       0 Pure     Any   Int                    Value(INT);
            }
            "Reals" {
                "/"                         2 Pure     Any   Divide                 Call(divide);
                "Real"                      0 Pure     Any   Real                   Value(REAL);
                "Infinity"                  0 Pure     Any   Infinity               Call(infinity);
            }
            "Sequences" {
                "Seq"                       1 Pure     Any   Seq                    Call(seq_set);
                "Len"                       1 Pure     Any   Len                    Call(len);
                "\\circ"                    2 Pure     Any   Concat                 Call(concatenate);
                "Append"                    2 Pure     Any   Append                 Call(append);
                "Head"                      1 Pure     Any   Head                   Call(head);
                "Tail"                      1 Pure     Any   Tail                   Call(tail);
                "SubSeq"                    3 Pure     Any   SubSeq                 Call(sub_seq);
                "SelectSeq"                 2 Pure     Any   SelectSeq              Call(select_seq);
            }
            "FiniteSets" {
                "Cardinality"               1 Pure     Any   Cardinality            Call(cardinality);
                "IsFiniteSet"               1 Pure     Any   IsFiniteSet            Call(is_finite_set);
            }
            "TLC" {
                ":>"                        2 Pure     Any   Singleton              Call(singleton_function);
                "@@"                        2 Pure     Any   Merge                  Call(merge_functions);
                "Permutations"              1 Pure     Any   Permutations           Call(permutations);
                "SortSeq"                   2 Pure     Any   SortSeq                Call(sort_seq);
                "Print"                     2 Effect   Any   Print                  Call(print_both);
                "PrintT"                    1 Effect   Any   PrintT                 Call(print_one);
                "Assert"                    2 Pure     Any   Assert                 Call(assert);
                "ToString"                  1 Pure     Fixed ToString               Call(to_string);
                "TLCGet"                    1 Effect   Any   TlcGet                 Call(tlc_get);
                "TLCSet"                    2 Effect   Fixed TlcSet                 Call(tlc_set);
                "TLCEval"                   1 Pure     Any   TlcEval                Call(tlc_eval);
                "RandomElement"             1 Random   Fixed RandomElement          Call(random_element);
                "JavaTime"                  0 Effect   Any   JavaTime               Call(java_time);
                "Any"                       0 Pure     Any   Any                    Value(ANY);
            }
            "TLCExt" {
                "AssertEq"                  2 Effect   Any   AssertEq               Call(assert_eq);
                "AssertError"               2 Pure     Any   AssertError            Call(assert_error);
                "TLCModelValue"             1 Pure     Any   TlcModelValue          Call(tlc_model_value);
                "PickSuccessor"             1 Effect   Any   PickSuccessor          Call(always_true);
                "Trace"                     0 Behavior Any   Trace                  Call(trace_value);
                "TLCGetAndSet"              4 Effect   Fixed TlcGetAndSet           Call(tlc_get_and_set);
                "TLCGetOrDefault"           2 Effect   Any   TlcGetOrDefault        Call(tlc_get_or_default);
                "TLCFP"                     1 Pure     Any   TlcFp                  Call(tlc_fp);
                "TLCDefer"                  1 Pure     Any   TlcDefer               Call(always_true);
                "TLCCache"                  2 Pure     Any   TlcCache               Call(first_argument);
                "CounterExample"            0 Behavior Any   CounterExample         Call(counter_example);
                "ToTrace"                   1 Pure     Any   ToTrace                Call(trace_of);
                "TLCEvalDefinition"         1 Pure     Any   TlcEvalDefinition      Call(tlc_eval_definition);
            }
            "Randomization" {
                "RandomSubset"              2 Random   Fixed RandomSubset           Call(random_subset);
                "RandomSetOfSubsets"        3 Random   Fixed RandomSetOfSubsets     Call(random_set_of_subsets);
                "TestRandomSetOfSubsets"    3 Random   Fixed TestRandomSetOfSubsets Call(test_random_set_of_subsets);
            }
            "Bitwise" {
                "&"                         2 Pure     Any   BitAnd                 Call(bit_and);
                "|"                         2 Pure     Any   BitOr                  Call(bit_or);
                "^^"                        2 Pure     Any   BitXor                 Call(bit_xor);
                "Not"                       1 Pure     Any   BitNot                 Call(bit_not);
                "shiftR"                    2 Pure     Any   ShiftRight             Call(shift_right);
            }
            "FiniteSetsExt" {
                "FoldSet"                   3 Pure     Any   FoldSet                Call(fold_set);
                "MapThenSumSet"             2 Pure     Any   MapThenSumSet          Call(map_then_sum_set);
                "kSubset"                   2 Pure     Any   KSubset                Call(k_subset);
                "Quantify"                  2 Pure     Any   Quantify               Call(quantify);
                "Max"                       1 Pure     Any   MaxOfSet               Call(max_of_set);
                "Min"                       1 Pure     Any   MinOfSet               Call(min_of_set);
            }
            "Folds" {
                "MapThenFoldSet"            5 Pure     Any   MapThenFoldSet         Call(map_then_fold_set);
            }
            "Functions" {
                "FoldFunction"              3 Pure     Any   FoldFunction           Call(fold_function);
                "FoldFunctionOnSet"         4 Pure     Any   FoldFunctionOnSet      Call(fold_function_on_set);
            }
            "SequencesExt" {
                "FoldLeft"                  3 Pure     Any   FoldLeft               Call(fold_left);
                "FoldRight"                 3 Pure     Any   FoldRight              Call(fold_right);
                "FoldSeq"                   3 Pure     Any   FoldSeq                Call(fold_seq);
                "ToSet"                     1 Pure     Any   ToSet                  Call(to_set);
                "Reverse"                   1 Pure     Any   Reverse                Call(reverse);
                "SetToSeq"                  1 Pure     Any   SetToSeq               Call(set_to_seq);
                "IsPrefix"                  2 Pure     Any   IsPrefix               Call(is_prefix);
            }
            "Json" {
                "ToJson"                    1 Pure     Fixed ToJson                 Call(to_json);
                "ToJsonArray"               1 Pure     Fixed ToJsonArray            Call(to_json_array);
                "ToJsonObject"              1 Pure     Fixed ToJsonObject           Call(to_json_object);
                "JsonSerialize"             2 Effect   Any   JsonSerialize          Call(json_serialize);
                "JsonDeserialize"           1 Pure     Any   JsonDeserialize        Call(json_deserialize);
                "ndJsonSerialize"           2 Effect   Any   NdJsonSerialize        Call(nd_json_serialize);
                "ndJsonDeserialize"         1 Pure     Any   NdJsonDeserialize      Call(nd_json_deserialize);
            }
            "IOUtils" {
                "IOEnv"                     0 Pure     Any   IoEnv                  Call(io_env);
                "atoi"                      1 Pure     Any   Atoi                   Call(atoi);
                "zeroPadN"                  2 Pure     Any   ZeroPadN               Call(zero_pad_n);
                "Serialize"                 3 Effect   Any   IoSerialize            Call(io_serialize);
                "Deserialize"               2 Pure     Any   IoDeserialize          Call(io_deserialize);
                "IOExec"                    1 Effect   Any   IoExec                 Call(io_exec);
                "IOEnvExec"                 2 Effect   Any   IoEnvExec              Call(io_env_exec);
                "IOExecTemplate"            2 Effect   Any   IoExecTemplate         Call(io_exec_template);
                "IOEnvExecTemplate"         3 Effect   Any   IoEnvExecTemplate      Call(io_env_exec_template);
                "IOSerialize"               3 Effect   Any   IoSerializeBinary      Call(io_serialize_binary);
                "IODeserialize"             2 Pure     Any   IoDeserializeBinary    Call(io_deserialize_binary);
            }
            "CSV" {
                "CSVWrite"                  3 Effect   Any   CsvWrite               Call(csv_write);
                "CSVRecords"                1 Effect   Any   CsvRecords             Call(csv_records);
                "CSVWriteRecord"            4 Effect   Any   CsvWriteRecord         Call(csv_write_record);
                "CSVRead"                   3 Pure     Any   CsvRead                Call(csv_read);
            }
            "Bags" {
                "IsABag"                    1 Pure     Any   IsABag                 Call(is_a_bag);
                "\\oplus"                   2 Pure     Any   BagPlus                Call(bag_plus);
                "\\ominus"                  2 Pure     Any   BagMinus               Call(bag_minus);
                "BagUnion"                  1 Pure     Any   BagUnion               Call(bag_union);
                "BagCardinality"            1 Pure     Any   BagCardinality         Call(bag_cardinality);
            }
            "SVG" {
                "SVGElemToString"           1 Pure     Any   SvgElemToString        Call(svg_elem_to_string);
                "NodeOfRingNetwork"         5 Pure     Any   NodeOfRingNetwork      Call(node_of_ring_network);
                "NodesOfDirectedMultiGraph" 3 Pure     Any   NodesOfGraph           Call(nodes_of_graph);
            }
            "Statistics" {
                "ChiSquare"                 3 Pure     Any   ChiSquare              Call(chi_square);
            }
        }
    };
}

/// What the value of an operator depends on besides its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purity {
    /// On nothing.
    ///
    /// Reading a file counts as pure, although the file may change. The usual reader is a constant definition such as
    /// `Log == ndJsonDeserialize("log")`. TLC evaluates it once, and so must we. The environment does not change.
    Pure,
    /// On random numbers. An evaluation has no effect, so a value may be drawn once and kept where TLC keeps it.
    Random,
    /// On the behavior up to the current state.
    Behavior,
    /// On the state of the run; or an evaluation has an effect: it prints, stores or writes something.
    Effect,
}

/// Whether the result depends on the order in which states are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The result is the same for any number of workers.
    Any,
    /// Several workers would give another result than one. The operator draws random numbers, sets a register, or makes
    /// new strings, which are ordered by first appearance.
    Fixed,
}

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The module that defines it.
    pub module: &'static str,
    /// Its name in that module.
    pub name: &'static str,
    /// The number of its arguments.
    pub arity: u32,
    /// What its value depends on besides its arguments.
    pub purity: Purity,
    /// Whether the order of evaluation matters.
    pub order: Order,
}

macro_rules! enumerate {
    ($($module:literal { $($op:literal $arity:literal $purity:ident $order:ident $native:ident $how:ident($by:ident);)* })*) => {
        /// A natively implemented operator.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs, reason = "the table says which operator of which module each one is")]
        pub enum Native { $($($native,)*)* }

        impl Native {
            /// All operators, in the order of the table.
            pub const ALL: &[Native] = &[$($(Native::$native,)*)*];

            /// The native implementation of operator `op` of module `module`. `None` if there is none.
            pub fn find(module: &str, op: &str) -> Option<Native> {
                match (module, op) {
                    $($(($module, $op) => Some(Native::$native),)*)*
                    _ => None,
                }
            }

            /// The operator's row of the table.
            pub const fn row(self) -> Row {
                match self {
                    $($(Native::$native => Row {
                        module: $module,
                        name: $op,
                        arity: $arity,
                        purity: Purity::$purity,
                        order: Order::$order,
                    },)*)*
                }
            }

            /// The operator's name.
            pub const fn name(self) -> &'static str {
                self.row().name
            }
        }
    };
}

native_operators!(enumerate);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use kilter_base::Sources;
    use kilter_syntax::ast::{Expr, ExprKind, UnitKind};
    use kilter_syntax::parse_module;

    use super::*;
    use crate::builtin::MODULES;

    /// Definitions that look like placeholders but are meant as they are written.
    const MEANT: &[(&str, &str)] = &[
        // An explicit-state checker can only take some value, or the one that is chosen first.
        ("Apalache", "Gen"),
        ("Apalache", "Guess"),
        // The Toolbox replaces it by the trace that is explored.
        ("Toolbox", "_TETrace"),
    ];

    /// An operator's module and name.
    type Key = (&'static str, String);

    /// All operators of the built-in modules. For each, the number of its arguments, and whether its body is a
    /// placeholder.
    fn definitions() -> BTreeMap<Key, (u32, bool)> {
        let mut definitions = BTreeMap::new();
        for (module, text) in MODULES {
            let mut sources = Sources::default();
            let file = sources.add(*module, *text);
            let (tree, _) = parse_module(&sources, file);
            for unit in &tree.expect("our modules are modules").units {
                if let UnitKind::Operator(def) = &unit.kind {
                    let stands_in = stands_in(&def.body, &sources);
                    let of = (def.params.len() as u32, stands_in);
                    definitions.insert((*module, def.name.name.to_string()), of);
                }
            }
        }
        definitions
    }

    /// Whether a body is a placeholder: `TRUE`, or a CHOOSE without a set or without a condition. It cannot be
    /// evaluated as it is meant.
    fn stands_in(body: &Expr, sources: &Sources) -> bool {
        let is_true = |expr: &Expr| sources.text(expr.span) == "TRUE";
        match &*body.kind {
            ExprKind::Choose { set, body, .. } => set.is_none() || is_true(body),
            _ => is_true(body),
        }
    }

    #[test]
    fn every_row_has_a_definition() {
        let definitions = definitions();
        for native in Native::ALL {
            let row = native.row();
            let defined = definitions.get(&(row.module, row.name.to_owned()));
            assert_eq!(defined.map(|(arity, _)| *arity), Some(row.arity), "{row:?}");
            assert_eq!(Native::find(row.module, row.name), Some(*native));
        }
    }

    #[test]
    fn every_stand_in_has_a_row() {
        // TLAPS defines hints for provers, and these are true.
        let wanted = |(module, name): &Key| *module != "TLAPS" && !MEANT.contains(&(module, name.as_str()));
        let stand_ins: Vec<Key> =
            definitions().into_iter().filter(|(_, (_, stands_in))| *stands_in).map(|(key, _)| key).collect();
        assert!(stand_ins.len() > 40, "the modules have many of them: {stand_ins:?}");
        for key in stand_ins.iter().filter(|key| wanted(key)) {
            assert!(Native::find(key.0, &key.1).is_some(), "{key:?} has no row");
        }
        for (module, name) in MEANT {
            assert!(stand_ins.contains(&(*module, (*name).to_owned())), "{module}!{name} is no stand-in");
        }
    }
}
