//! Operators of the standard and community modules that the evaluator implements itself.
//!
//! The modules' text in `modules/` defines all operators in TLA+; one that is listed here is evaluated natively
//! instead. Where the text has a full definition, a test compares the two.

macro_rules! natives {
    ($($module:literal { $($op:literal => $variant:ident,)* })*) => {
        /// A natively implemented operator.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs, reason = "the table says which operator of which module each one is")]
        pub enum Native { $($($variant,)*)* }

        impl Native {
            /// The native implementation of operator `op` of module `module`.
            pub fn find(module: &str, op: &str) -> Option<Native> {
                match (module, op) {
                    $($(($module, $op) => Some(Native::$variant),)*)*
                    _ => None,
                }
            }

            /// The operator's name.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Native::$variant => $op,)*)*
                }
            }
        }
    };
}

natives! {
    "Naturals" {
        "+" => Plus, "-" => Minus, "*" => Times, "^" => Power, "\\div" => Div, "%" => Mod,
        "<" => Less, "<=" => LessEq, ">" => Greater, ">=" => GreaterEq, ".." => Range, "Nat" => Nat,
    }
    "Integers" { "-." => Negate, "Int" => Int, }
    "Reals" { "/" => Divide, "Real" => Real, "Infinity" => Infinity, }
    "Sequences" {
        "Seq" => Seq, "Len" => Len, "\\circ" => Concat, "Append" => Append, "Head" => Head, "Tail" => Tail,
        "SubSeq" => SubSeq, "SelectSeq" => SelectSeq,
    }
    "FiniteSets" { "Cardinality" => Cardinality, "IsFiniteSet" => IsFiniteSet, }
    "TLC" {
        ":>" => Singleton, "@@" => Merge, "Permutations" => Permutations, "SortSeq" => SortSeq, "Print" => Print,
        "PrintT" => PrintT, "Assert" => Assert, "ToString" => ToString, "TLCGet" => TlcGet, "TLCSet" => TlcSet,
        "TLCEval" => TlcEval, "RandomElement" => RandomElement, "JavaTime" => JavaTime, "Any" => Any,
    }
    "TLCExt" {
        "AssertEq" => AssertEq, "AssertError" => AssertError, "TLCModelValue" => TlcModelValue,
        "PickSuccessor" => PickSuccessor, "Trace" => Trace, "TLCGetAndSet" => TlcGetAndSet,
        "TLCGetOrDefault" => TlcGetOrDefault, "TLCFP" => TlcFp, "TLCDefer" => TlcDefer, "TLCCache" => TlcCache,
        "CounterExample" => CounterExample, "ToTrace" => ToTrace, "TLCEvalDefinition" => TlcEvalDefinition,
    }
    "Randomization" {
        "RandomSubset" => RandomSubset, "RandomSetOfSubsets" => RandomSetOfSubsets,
        "RandomSubsetSet" => RandomSubsetSet, "TestRandomSetOfSubsets" => TestRandomSetOfSubsets,
    }
    "Bitwise" {
        "&" => BitAnd, "|" => BitOr, "^^" => BitXor, "Not" => BitNot, "shiftR" => ShiftRight, "shiftL" => ShiftLeft,
    }
    "FiniteSetsExt" {
        "FoldSet" => FoldSet, "MapThenSumSet" => MapThenSumSet, "kSubset" => KSubset, "Quantify" => Quantify,
        "Max" => MaxOfSet, "Min" => MinOfSet,
    }
    "Folds" { "MapThenFoldSet" => MapThenFoldSet, }
    "Functions" { "FoldFunction" => FoldFunction, "FoldFunctionOnSet" => FoldFunctionOnSet, }
    "SequencesExt" {
        "FoldLeft" => FoldLeft, "FoldRight" => FoldRight, "FoldSeq" => FoldSeq, "ToSet" => ToSet, "Reverse" => Reverse,
        "SetToSeq" => SetToSeq, "IsPrefix" => IsPrefix,
    }
    "Json" {
        "ToJson" => ToJson, "ToJsonArray" => ToJsonArray, "ToJsonObject" => ToJsonObject,
        "JsonSerialize" => JsonSerialize, "JsonDeserialize" => JsonDeserialize,
        "ndJsonSerialize" => NdJsonSerialize, "ndJsonDeserialize" => NdJsonDeserialize,
    }
    "IOUtils" {
        "IOEnv" => IoEnv, "atoi" => Atoi, "zeroPadN" => ZeroPadN, "Serialize" => IoSerialize, "Deserialize" => IoDeserialize,
        "IOExec" => IoExec, "IOEnvExec" => IoEnvExec, "IOExecTemplate" => IoExecTemplate,
        "IOEnvExecTemplate" => IoEnvExecTemplate, "IOSerialize" => IoSerializeBinary,
        "IODeserialize" => IoDeserializeBinary,
    }
    "CSV" {
        "CSVWrite" => CsvWrite, "CSVRecords" => CsvRecords, "CSVWriteRecord" => CsvWriteRecord, "CSVRead" => CsvRead,
    }
    "Bags" {
        "IsABag" => IsABag, "\\oplus" => BagPlus, "\\ominus" => BagMinus, "BagUnion" => BagUnion,
        "BagCardinality" => BagCardinality,
    }
    "SVG" { "SVGElemToString" => SvgElemToString, "NodeOfRingNetwork" => NodeOfRingNetwork, }
    "Statistics" { "ChiSquare" => ChiSquare, }
}
