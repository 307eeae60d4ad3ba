//! A class: its methods with the calls in them, and its fields.

use cafebabe::ClassFile;
use cafebabe::attributes::{AttributeData, CodeData};
use cafebabe::bytecode::Opcode;
use cafebabe::constant_pool::MemberRef;
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

/// A field of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The type of its value.
    pub kind: Type,
    /// Whether the class has it, and not each of its instances.
    pub is_static: bool,
}

/// A method of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// The types of its parameters.
    pub parameters: Vec<Type>,
    /// The type of its result. `None` if it has none.
    pub result: Option<Type>,
    /// Whether it has no `this`.
    pub is_static: bool,
    /// The calls in it, in the order of its code.
    pub calls: Vec<Call>,
    /// Whether it makes functions of lambda expressions or of other methods.
    pub makes_lambdas: bool,
    /// Its code as text, the same for the same code whatever else is in the class.
    pub code: String,
}

/// A call of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The class of the method.
    pub class: String,
    /// The name of the method.
    pub method: String,
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
        });
        Ok(Class {
            name: dotted(&file.this_class),
            parents,
            fields: fields.collect(),
            methods: methods(&file),
        })
    }
}

fn methods(file: &ClassFile<'_>) -> Vec<Method> {
    let methods = file.methods.iter().map(|method| {
        let code = method.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::Code(code) => Some(code),
            _ => None,
        });
        Method {
            name: method.name.to_string(),
            parameters: method.descriptor.parameters.iter().map(Type::of).collect(),
            result: match &method.descriptor.return_type {
                ReturnDescriptor::Return(kind) => Some(Type::of(kind)),
                ReturnDescriptor::Void => None,
            },
            is_static: method.access_flags.contains(cafebabe::MethodAccessFlags::STATIC),
            calls: code.map(calls).unwrap_or_default(),
            makes_lambdas: code.is_some_and(makes_lambdas),
            code: code.map(code_text).unwrap_or_default(),
        }
    });
    methods.collect()
}

fn calls(code: &CodeData<'_>) -> Vec<Call> {
    let opcodes = code.bytecode.iter().flat_map(|code| &code.opcodes);
    let called = opcodes.filter_map(|(_, opcode)| match opcode {
        Opcode::Invokeinterface(method, _)
        | Opcode::Invokespecial(method)
        | Opcode::Invokestatic(method)
        | Opcode::Invokevirtual(method) => Some(call(method)),
        _ => None,
    });
    called.collect()
}

fn makes_lambdas(code: &CodeData<'_>) -> bool {
    let mut opcodes = code.bytecode.iter().flat_map(|code| &code.opcodes);
    opcodes.any(|(_, opcode)| matches!(opcode, Opcode::Invokedynamic(_)))
}

fn call(method: &MemberRef<'_>) -> Call {
    Call { class: dotted(&method.class_name), method: method.name_and_type.name.to_string() }
}

/// The instructions with what they refer to, and the handlers of exceptions. Numbers of constants and of lines are not in it.
fn code_text(code: &CodeData<'_>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (at, opcode) in code.bytecode.iter().flat_map(|code| &code.opcodes) {
        // Whether a constant's number needs one byte or two depends on the rest of the class.
        let opcode = match opcode {
            Opcode::LdcW(constant) => format!("{:?}", Opcode::Ldc(constant.clone())),
            other => format!("{other:?}"),
        };
        lines.push(format!("{at} {opcode}"));
    }
    for handler in &code.exception_table {
        lines.push(format!("{handler:?}"));
    }
    lines.join("\n")
}

/// A name with dots, as people write it.
pub(crate) fn dotted(name: &str) -> String {
    name.replace('/', ".")
}
