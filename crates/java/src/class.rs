//! A class: its methods with the calls in them, and its fields.

use std::collections::BTreeMap;

use cafebabe::ClassFile;
use cafebabe::attributes::{AnnotationElementValue, AttributeData, BootstrapMethodEntry, CodeData};
use cafebabe::bytecode::Opcode;
use cafebabe::constant_pool::{
    BootstrapArgument, LiteralConstant, Loadable, NameAndType, ObjectArrayType, ReferenceKind,
};
use cafebabe::descriptors::{FieldDescriptor, FieldType, ReturnDescriptor};

/// A class, by names as they are written in a source: `org.example.Peer$Worker`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its full name.
    pub name: String,
    /// The class that it extends, and the interfaces that it implements.
    pub parents: Vec<String>,
    /// Its own fields.
    pub fields: Vec<Field>,
    /// Its own methods. A constructor is called `<init>`.
    pub methods: Vec<Method>,
}

/// The annotation that makes a field a variable of the node.
pub(crate) const VARIABLE: &str = "Ldev/kilter/Variable;";

/// A field of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The type of its value.
    pub kind: Type,
    /// Whether the class has it, and not each of its instances.
    pub is_static: bool,
    /// The variable of the node that it is, if the annotation of the agent says so.
    pub variable: Option<String>,
}

/// A method of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// Its name and the types of its parameters, as class files have them: what a method has in common with those that override it.
    pub key: String,
    /// The types of its parameters.
    pub parameters: Vec<Type>,
    /// The type of its result. `None` if it has none.
    pub result: Option<Type>,
    /// Whether it has no `this`.
    pub is_static: bool,
    /// Whether a thread holds a monitor while it is in it.
    pub is_synchronized: bool,
    /// Whether somebody has written code for it: it is not abstract, native, or only a bridge to another one.
    pub has_code: bool,
    /// The calls in it, in the order of its code.
    pub calls: Vec<Call>,
    /// The integers and texts in its code, in order, as a mutation changes them.
    pub constants: Vec<Constant>,
    /// The methods of which it makes functions: lambda expressions, and references to methods.
    pub functions: Vec<Call>,
    /// Its code as text, the same for the same code whatever else is in the class.
    pub code: String,
}

/// A constant in the code of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    /// An integer of any size. `true` and `false` are 1 and 0.
    Number(i64),
    /// A text.
    Text(String),
}

/// A call of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The class of the method.
    pub class: String,
    /// The name of the method.
    pub method: String,
    /// Its name and the types of its parameters, as in [`Method::key`].
    pub key: String,
    /// The types of its parameters and of its result, as class files have them.
    pub descriptor: String,
    /// Whether it needs no object.
    pub is_static: bool,
    /// Whether it is this method and no other: a constructor, a static or a private one, or one of the class above.
    pub is_exact: bool,
    /// The class that its result is cast to, as it is where the result is of a type that only the source knows.
    pub cast: Option<String>,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number, a truth value or a character, by the word of the language.
    Primitive(&'static str),
    /// An object of this class.
    Object(String),
    /// An array of these.
    Array(Box<Type>),
}

impl Type {
    /// The type as it is written in a source.
    pub fn text(&self) -> String {
        match self {
            Type::Primitive(word) => (*word).to_owned(),
            Type::Object(class) => class.clone(),
            Type::Array(element) => element.text() + "[]",
        }
    }

    fn of(descriptor: &FieldDescriptor<'_>) -> Type {
        let element = match &descriptor.field_type {
            FieldType::Byte => Type::Primitive("byte"),
            FieldType::Char => Type::Primitive("char"),
            FieldType::Double => Type::Primitive("double"),
            FieldType::Float => Type::Primitive("float"),
            FieldType::Integer => Type::Primitive("int"),
            FieldType::Long => Type::Primitive("long"),
            FieldType::Short => Type::Primitive("short"),
            FieldType::Boolean => Type::Primitive("boolean"),
            FieldType::Object(class) => Type::Object(dotted(class)),
        };
        (0..descriptor.dimensions).fold(element, |element, _| Type::Array(Box::new(element)))
    }
}

impl Call {
    /// The types of its parameters and of its result, for messages.
    pub fn signature(&self) -> String {
        let kind = if self.is_static { "static " } else { "" };
        let (parameters, result) = self.descriptor.rsplit_once(')').unwrap_or_default();
        let parameters = types_of(parameters.trim_start_matches('('));
        format!("{kind}{} {}({})", types_of(result).concat(), self.method, parameters.join(", "))
    }
}

impl Method {
    /// The method with its parameters, as it is written in a table.
    pub fn text(&self) -> String {
        let parameters: Vec<String> = self.parameters.iter().map(Type::text).collect();
        format!("{}({})", self.name, parameters.join(", "))
    }
}

impl Class {
    /// Reads the content of a class file.
    pub fn read(bytes: &[u8]) -> Result<Class, cafebabe::ParseError> {
        let file = cafebabe::parse_class(bytes)?;
        let parents = file.super_class.iter().chain(&file.interfaces).map(|name| dotted(name)).collect();
        let fields = file.fields.iter().map(|field| Field {
            name: field.name.to_string(),
            kind: Type::of(&field.descriptor),
            is_static: field.access_flags.contains(cafebabe::FieldAccessFlags::STATIC),
            variable: field.attributes.iter().find_map(|attribute| variable(&attribute.data)),
        });
        Ok(Class {
            name: dotted(&file.this_class),
            parents,
            fields: fields.collect(),
            methods: methods(&file),
        })
    }
}

/// The name in the annotation that makes a field a variable. It is for the agent alone, so it is invisible to the program.
fn variable(attribute: &AttributeData<'_>) -> Option<String> {
    let AttributeData::RuntimeInvisibleAnnotations(all) = attribute else { return None };
    let ours = all.iter().find(|annotation| annotation.type_descriptor.to_string() == VARIABLE)?;
    ours.elements.iter().find_map(|element| match &element.value {
        AnnotationElementValue::StringConstant(name) => Some(name.to_string()),
        _ => None,
    })
}

fn methods(file: &ClassFile<'_>) -> Vec<Method> {
    let lambdas = Lambdas::of(file);
    let bootstraps = file.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::BootstrapMethods(methods) => Some(&methods[..]),
        _ => None,
    });
    let code_of = Code { bootstraps: bootstraps.unwrap_or_default(), lambdas: &lambdas };
    let methods = file.methods.iter().map(|method| {
        let code = method.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::Code(code) => Some(code),
            _ => None,
        });
        let name = lambdas.name(&method.name);
        Method {
            key: key(&name, &method.descriptor.to_string()),
            name,
            parameters: method.descriptor.parameters.iter().map(Type::of).collect(),
            result: match &method.descriptor.return_type {
                ReturnDescriptor::Return(kind) => Some(Type::of(kind)),
                ReturnDescriptor::Void => None,
            },
            is_static: method.access_flags.contains(cafebabe::MethodAccessFlags::STATIC),
            is_synchronized: method.access_flags.contains(cafebabe::MethodAccessFlags::SYNCHRONIZED),
            has_code: code.is_some() && !method.access_flags.contains(cafebabe::MethodAccessFlags::BRIDGE),
            calls: code.map(|code| code_of.calls(code)).unwrap_or_default(),
            constants: code.map(constants).unwrap_or_default(),
            functions: code.map(|code| code_of.functions(code)).unwrap_or_default(),
            code: code.map(|code| code_of.text(code)).unwrap_or_default(),
        }
    });
    methods.collect()
}

/// A name with the parameters of a descriptor.
fn key(name: &str, descriptor: &str) -> String {
    let parameters = descriptor.split_inclusive(')').next().unwrap_or_default();
    format!("{name}{parameters}")
}

/// The methods of lambda expressions. A compiler numbers them through the whole class, so that one more changes the names of many. Here
/// they are numbered by the method that they are in.
struct Lambdas {
    names: BTreeMap<String, String>,
}

impl Lambdas {
    fn of(file: &ClassFile<'_>) -> Lambdas {
        let mut by_method: BTreeMap<&str, BTreeMap<u32, &str>> = BTreeMap::new();
        for method in &file.methods {
            if let Some((inside, number)) = method.name.rsplit_once('$')
                && inside.starts_with("lambda$")
                && let Ok(number) = number.parse()
            {
                by_method.entry(inside).or_default().insert(number, &method.name);
            }
        }
        let names = by_method.into_iter().flat_map(|(inside, all)| {
            let numbered = all.into_values().enumerate();
            numbered.map(move |(place, name)| (name.to_owned(), format!("{inside}${}", place + 1)))
        });
        Lambdas { names: names.collect() }
    }

    fn name(&self, name: &str) -> String {
        self.names.get(name).map_or(name, String::as_str).to_owned()
    }
}

/// Reads the code of methods of one class.
struct Code<'c> {
    /// What makes functions, by number.
    bootstraps: &'c [BootstrapMethodEntry<'c>],
    lambdas: &'c Lambdas,
}

impl Code<'_> {
    fn calls(&self, code: &CodeData<'_>) -> Vec<Call> {
        let mut calls: Vec<Call> = Vec::new();
        let mut is_result_on_top = false;
        for (_, opcode) in code.bytecode.iter().flat_map(|code| &code.opcodes) {
            let n_before = calls.len();
            match opcode {
                Opcode::Invokeinterface(method, _) | Opcode::Invokevirtual(method) => {
                    calls.push(self.call(&method.class_name, &method.name_and_type, false));
                }
                Opcode::Invokespecial(method) | Opcode::Invokestatic(method) => {
                    let is_static = matches!(opcode, Opcode::Invokestatic(_));
                    let call = self.call(&method.class_name, &method.name_and_type, true);
                    calls.push(Call { is_static, ..call });
                }
                Opcode::Checkcast(class) if is_result_on_top => {
                    if let Some(call) = calls.last_mut() {
                        call.cast = class_of(class);
                    }
                }
                _ => {}
            }
            is_result_on_top = calls.len() > n_before;
        }
        calls
    }

    fn functions(&self, code: &CodeData<'_>) -> Vec<Call> {
        let opcodes = code.bytecode.iter().flat_map(|code| &code.opcodes);
        let made = opcodes.filter_map(|(_, opcode)| match opcode {
            Opcode::Invokedynamic(made) => self.bootstraps.get(usize::from(made.attr_index)),
            _ => None,
        });
        let arguments = made.flat_map(|made| &made.arguments);
        let handles = arguments.filter_map(|argument| match argument {
            BootstrapArgument::MethodHandle(handle) => {
                let is_exact =
                    !matches!(handle.kind, ReferenceKind::InvokeVirtual | ReferenceKind::InvokeInterface);
                Some(self.call(&handle.class_name, &handle.member_ref, is_exact))
            }
            _ => None,
        });
        handles.collect()
    }

    fn call(&self, class: &str, method: &NameAndType<'_>, is_exact: bool) -> Call {
        let name = self.lambdas.name(&method.name);
        Call {
            class: dotted(class),
            key: key(&name, &method.descriptor),
            method: name,
            descriptor: method.descriptor.to_string(),
            is_static: false,
            is_exact,
            cast: None,
        }
    }

    /// The instructions with what they refer to, and the handlers of exceptions. Numbers of constants and of lines are not in it.
    fn text(&self, code: &CodeData<'_>) -> String {
        let mut lines: Vec<String> = Vec::new();
        for (at, opcode) in code.bytecode.iter().flat_map(|code| &code.opcodes) {
            let opcode = match opcode {
                // Whether a constant's number needs one byte or two depends on the rest of the class.
                Opcode::Ldc(constant) | Opcode::LdcW(constant) => format!("Ldc {}", loaded(constant)),
                Opcode::Invokedynamic(made) => {
                    let how = self.bootstraps.get(usize::from(made.attr_index));
                    let how = how.map(|how| (&how.method, self.arguments(how)));
                    format!("Invokedynamic {:?} {how:?}", made.name_and_type)
                }
                other => format!("{other:?}"),
            };
            lines.push(format!("{at} {opcode}"));
        }
        for handler in &code.exception_table {
            lines.push(format!("{handler:?}"));
        }
        lines.join("\n")
    }

    fn arguments(&self, how: &BootstrapMethodEntry<'_>) -> Vec<String> {
        let text = |argument: &BootstrapArgument<'_>| match argument {
            BootstrapArgument::MethodHandle(handle) => {
                let name = self.lambdas.name(&handle.member_ref.name);
                format!("{:?} {}.{name}{}", handle.kind, handle.class_name, handle.member_ref.descriptor)
            }
            other => format!("{other:?}"),
        };
        how.arguments.iter().map(text).collect()
    }
}

/// The types of a descriptor, as they are written in a source.
fn types_of(descriptor: &str) -> Vec<String> {
    let (mut types, mut rest, mut n_dimensions) = (Vec::new(), descriptor, 0);
    while let Some(first) = rest.chars().next() {
        let end =
            if first == 'L' { rest.find(';').map_or(rest.len(), |end| end + 1) } else { first.len_utf8() };
        let (kind, behind) = rest.split_at(end);
        rest = behind;
        let text = match first {
            '[' => {
                n_dimensions += 1;
                continue;
            }
            'B' => "byte".to_owned(),
            'C' => "char".to_owned(),
            'D' => "double".to_owned(),
            'F' => "float".to_owned(),
            'I' => "int".to_owned(),
            'J' => "long".to_owned(),
            'S' => "short".to_owned(),
            'Z' => "boolean".to_owned(),
            'V' => "void".to_owned(),
            _ => dotted(kind.trim_start_matches('L').trim_end_matches(';')),
        };
        types.push(text + &"[]".repeat(n_dimensions));
        n_dimensions = 0;
    }
    types
}

/// The integers and texts that instructions push.
fn constants(code: &CodeData<'_>) -> Vec<Constant> {
    let opcodes = code.bytecode.iter().flat_map(|code| &code.opcodes);
    opcodes.filter_map(|(_, opcode)| pushed(opcode)).collect()
}

fn pushed(opcode: &Opcode<'_>) -> Option<Constant> {
    let number = |number: i64| Some(Constant::Number(number));
    match opcode {
        Opcode::IconstM1 => number(-1),
        Opcode::Iconst0 | Opcode::Lconst0 => number(0),
        Opcode::Iconst1 | Opcode::Lconst1 => number(1),
        Opcode::Iconst2 => number(2),
        Opcode::Iconst3 => number(3),
        Opcode::Iconst4 => number(4),
        Opcode::Iconst5 => number(5),
        Opcode::Bipush(value) => number(i64::from(*value)),
        Opcode::Sipush(value) => number(i64::from(*value)),
        Opcode::Ldc(loaded) | Opcode::LdcW(loaded) | Opcode::Ldc2W(loaded) => match loaded {
            Loadable::LiteralConstant(LiteralConstant::Integer(value)) => number(i64::from(*value)),
            Loadable::LiteralConstant(LiteralConstant::Long(value)) => number(*value),
            Loadable::LiteralConstant(LiteralConstant::String(text)) => {
                Some(Constant::Text(text.to_string()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// A constant as text. What only says which build this is looks the same in all of them.
fn loaded(constant: &Loadable<'_>) -> String {
    match constant {
        Loadable::LiteralConstant(LiteralConstant::String(text)) if names_build(text) => "build".to_owned(),
        other => format!("{other:?}"),
    }
}

/// Whether a text is the version (3.9.4), the date (2025-08-19 19:53 UTC) or the hash of a build, and nothing else.
fn names_build(text: &str) -> bool {
    let numbers = |text: &str, separator| {
        let parts = text.split(separator);
        parts
            .map(|part| part.bytes().all(|byte| byte.is_ascii_digit()).then_some(part.len()))
            .collect::<Option<Vec<_>>>()
    };
    let number = text.strip_suffix("-SNAPSHOT").unwrap_or(text);
    let is_version = numbers(number, '.').is_some_and(|parts| parts.len() == 3 && !parts.contains(&0));
    let is_hash = text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let date = text.split([' ', 'T']).next().unwrap_or_default();
    is_version || is_hash || numbers(date, '-').is_some_and(|parts| parts == [4, 2, 2])
}

/// The class that something is cast to. `None` if it is an array.
fn class_of(cast: &ObjectArrayType<'_>) -> Option<String> {
    match cast {
        ObjectArrayType::BinaryName(class) => Some(dotted(class)),
        ObjectArrayType::ArrayType(_) => None,
    }
}

/// A name with dots, as people write it.
pub(crate) fn dotted(name: &str) -> String {
    name.replace('/', ".")
}
