//! The module `IOUtils`: files, processes and the environment.

use kilter_value::{Value, View};

use super::format::format_as_java;
use super::ordinal;
use crate::error::Eval;
use crate::node::NativeCall;
use crate::origin::OriginId;
use crate::outside::{Ended, Trouble, Writing};
use crate::run::Worker;

/// Replaces the content of a file, or creates it.
pub(super) const WHOLE: Writing =
    Writing { append: false, create: true, create_new: false, truncate: true, folders: true };
/// Appends to a file, or creates it.
pub(super) const APPENDED: Writing =
    Writing { append: true, create: true, create_new: false, truncate: false, folders: true };

impl Worker<'_> {
    pub(super) fn io_env(&mut self, _: &NativeCall, _: OriginId) -> Eval<Value> {
        let store = self.store;
        let mut variables = self.program.outside.environment();
        variables.sort();
        let mut fields =
            variables.iter().map(|(name, value)| (store.string(name), store.string(value))).collect();
        Ok(store.record(&mut fields))
    }

    pub(super) fn atoi(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let text = self.text_arg(call, 0)?;
        match text.parse() {
            Ok(i) => Ok(self.store.int(i)),
            Err(_) => self.fail(
                origin,
                format!("the argument of atoi should spell an integer of 32 bits, but it is {text:?}"),
            ),
        }
    }

    pub(super) fn zero_pad_n(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let number = self.eval_canonical(&call.args[0])?;
        let width = self.eval(&call.args[1])?;
        let width = self.int_operand(width, "zeroPadN", false, origin)?;
        let digits = self.show(number);
        let n_zeros = usize::try_from(width).unwrap_or(0).saturating_sub(digits.chars().count());
        Ok(self.store.string(&("0".repeat(n_zeros) + &digits)))
    }

    pub(super) fn io_exec(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let command = self.texts_arg(call, 0)?;
        self.execute(&command, &[], call, origin)
    }

    pub(super) fn io_env_exec(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let env = self.environment(call)?;
        let command = self.texts_arg(call, 1)?;
        self.execute(&command, &env, call, origin)
    }

    pub(super) fn io_exec_template(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let command = self.command_from_template(call, 0, origin)?;
        self.execute(&command, &[], call, origin)
    }

    pub(super) fn io_env_exec_template(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let env = self.environment(call)?;
        let command = self.command_from_template(call, 1, origin)?;
        self.execute(&command, &env, call, origin)
    }

    /// `IOSerialize(value, path, compress)`. TLC writes a binary form that only it can read. We write ITF, which loses
    /// nothing, and do not compress it.
    pub(super) fn io_serialize_binary(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let value = self.eval_canonical(&call.args[0])?;
        let path = self.text_arg(call, 1)?;
        let text = self.store.to_itf(value).to_string();
        self.write_file(&path, &text, WHOLE, call, origin)
    }

    /// IODeserialize(path, compressed)
    pub(super) fn io_deserialize_binary(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let path = self.text_arg(call, 0)?;
        let text = self.read_file(&path, call, origin)?;
        let value = serde_json::from_str(&text)
            .map_err(|error| error.to_string())
            .and_then(|itf| self.store.from_itf(&itf).map_err(|error| error.message));
        value.or_else(|error| {
            self.fail(origin, format!("the file {path} was not written by IOSerialize: {error}"))
        })
    }

    /// Reads a file. Fails if there is none.
    pub(super) fn read_file(&mut self, path: &str, call: &NativeCall, origin: OriginId) -> Eval<String> {
        match self.read_if_there(path, call, origin)? {
            Some(text) => Ok(text),
            None => self.fail(origin, format!("cannot read the file {path}: there is no such file")),
        }
    }

    /// Reads a file. Returns `None` if there is none.
    pub(super) fn read_if_there(
        &mut self,
        path: &str,
        call: &NativeCall,
        origin: OriginId,
    ) -> Eval<Option<String>> {
        match self.program.outside.read(path) {
            Ok(text) => Ok(text),
            Err(Trouble::Failed(why)) => self.fail(origin, format!("cannot read the file {path}: {why}")),
            Err(Trouble::Forbidden(why)) => self.forbidden(call, &why, origin),
        }
    }

    /// Writes a file as `how` says. The value is TRUE.
    pub(super) fn write_file(
        &mut self,
        path: &str,
        text: &str,
        how: Writing,
        call: &NativeCall,
        origin: OriginId,
    ) -> Eval<Value> {
        match self.program.outside.write(path, text, how) {
            Ok(()) => Ok(Value::TRUE),
            Err(Trouble::Failed(why)) => self.fail(origin, format!("cannot write the file {path}: {why}")),
            Err(Trouble::Forbidden(why)) => self.forbidden(call, &why, origin),
        }
    }

    /// Raises the error for an operation that specifications may not do.
    #[cold]
    fn forbidden<T>(&mut self, call: &NativeCall, why: &str, origin: OriginId) -> Eval<T> {
        self.fail(origin, format!("{} {why}", call.native.name()))
    }

    /// Evaluates an argument that must be a sequence of strings.
    pub(super) fn texts_arg(&mut self, call: &NativeCall, index: usize) -> Eval<Vec<String>> {
        let (arg, op) = (&call.args[index], call.native.name());
        let elems = self.sequence_of(arg, ordinal(index), op)?;
        let store = self.store;
        let texts =
            elems.iter().map(|elem| store.string_text(*elem).map(str::to_owned)).collect::<Option<_>>();
        texts.map_or_else(
            || {
                let shown = store.tuple(&elems);
                self.expected(ordinal(index), op, "a sequence of strings", shown, arg.origin)
            },
            Ok,
        )
    }

    /// Serialize(payload, path, options)
    pub(super) fn io_serialize(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let payload = self.eval_canonical(&call.args[0])?;
        let path = self.text_arg(call, 1)?;
        let options = self.eval_canonical(&call.args[2])?;
        let format = self.format_option(options, "Serialize", origin)?;
        let text = if format == "NDJSON" {
            let Some(values) = self.sequence(payload, origin)? else {
                return self.expected("first argument", "Serialize", "a sequence", payload, origin);
            };
            self.json_lines(&values, origin)?
        } else {
            self.unquoted(payload)
        };
        let open = self.open_options(options, origin)?;
        match self.program.outside.write(&path, &text, open) {
            Ok(()) if format == "NDJSON" => Ok(Value::TRUE),
            Ok(()) => Ok(self.outcome(0, "Finish writing to the file with success!", "")),
            Err(Trouble::Failed(why)) => {
                Ok(self.outcome(1, "", &format!("Serialize error writing to the file: {path}: {why}")))
            }
            Err(Trouble::Forbidden(why)) => self.forbidden(call, &why, origin),
        }
    }

    /// Deserialize(path, options)
    pub(super) fn io_deserialize(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let path = self.text_arg(call, 0)?;
        let options = self.eval_canonical(&call.args[1])?;
        let format = self.format_option(options, "Deserialize", origin)?;
        if format != "TXT" {
            return self.fail(
                origin,
                format!("Deserialize reads the format \"TXT\"; for {format} there is the module Json"),
            );
        }
        let why = match self.program.outside.read(&path) {
            Ok(Some(text)) => return Ok(self.outcome(0, &text, "")),
            Ok(None) => "there is no such file".to_owned(),
            Err(Trouble::Failed(why)) => why,
            Err(Trouble::Forbidden(why)) => return self.forbidden(call, &why, origin),
        };
        Ok(self.outcome(1, "", &format!("Deserialize error reading the file: {path}: {why}")))
    }

    /// The option `format`. Fails if the option `charset` asks for anything but UTF-8 or ASCII.
    fn format_option(&mut self, options: Value, op: &str, origin: OriginId) -> Eval<String> {
        let charset = self.text_option(options, "charset");
        if !["UTF-8", "UTF8", "US-ASCII", "ASCII"]
            .contains(&charset.as_deref().unwrap_or("UTF-8").to_uppercase().as_str())
        {
            return self.fail(origin, format!("{op} knows the charset \"UTF-8\" only"));
        }
        match self.text_option(options, "format").as_deref() {
            Some(format @ ("TXT" | "NDJSON")) => Ok(format.to_owned()),
            _ => self.expected(
                "last argument",
                op,
                "a record with the field format, which is \"TXT\" or \"NDJSON\"",
                options,
                origin,
            ),
        }
    }

    fn text_option(&self, options: Value, name: &str) -> Option<String> {
        let value = self.store.field(options, self.store.string(name))?;
        self.store.string_text(value).map(str::to_owned)
    }

    /// The option `openOptions`, with Java's names. Without it, the file is created or overwritten.
    fn open_options(&mut self, options: Value, origin: OriginId) -> Eval<Writing> {
        let mut open = Writing::default();
        let Some(names) = self.store.field(options, self.store.string("openOptions")) else {
            return Ok(Writing { create: true, truncate: true, ..open });
        };
        let store = self.store;
        let View::Tuple(names) = store.view(names) else {
            return self.expected("option openOptions", "Serialize", "a sequence of strings", names, origin);
        };
        for name in names {
            match store.string_text(name) {
                Some("WRITE") => {}
                Some("APPEND") => open.append = true,
                Some("CREATE") => open.create = true,
                Some("CREATE_NEW") => open.create_new = true,
                Some("TRUNCATE_EXISTING") => open.truncate = true,
                _ => {
                    let shown = self.show(name);
                    let known = "WRITE, APPEND, CREATE, CREATE_NEW and TRUNCATE_EXISTING";
                    return self.fail(
                        origin,
                        format!("Serialize does not know the open option {shown}; it knows {known}"),
                    );
                }
            }
        }
        Ok(open)
    }

    /// The extra environment variables: the fields of the first argument.
    fn environment(&mut self, call: &NativeCall) -> Eval<Vec<(String, String)>> {
        let env = self.eval_canonical(&call.args[0])?;
        let store = self.store;
        match store.view(env) {
            View::Record { shape, values } => {
                let name = |name| store.string_text(name).unwrap_or_default().to_owned();
                Ok(shape
                    .iter()
                    .zip(values)
                    .map(|(field, value)| (name(field), self.unquoted(value)))
                    .collect())
            }
            View::Tuple(elems) if elems.is_empty() => Ok(Vec::new()),
            _ => self.expected("first argument", call.native.name(), "a record", env, call.args[0].origin),
        }
    }

    /// A command. In its words, `%s` and the like stand for the parameters in the next argument.
    fn command_from_template(&mut self, call: &NativeCall, at: usize, origin: OriginId) -> Eval<Vec<String>> {
        let op = call.native.name();
        let template = self.texts_arg(call, at)?;
        let parameters = self.sequence_of(&call.args[at + 1], ordinal(at + 1), op)?;
        let parameters: Vec<String> = parameters.into_iter().map(|value| self.unquoted(value)).collect();
        let command: Result<_, String> =
            template.iter().map(|part| format_as_java(part, &parameters)).collect();
        command.or_else(|why| self.fail(origin, format!("{op} cannot fill in its template: {why}")))
    }

    fn execute(
        &mut self,
        command: &[String],
        env: &[(String, String)],
        call: &NativeCall,
        origin: OriginId,
    ) -> Eval<Value> {
        if command.is_empty() {
            return self.fail(origin, "the command to execute is empty");
        }
        match self.program.outside.execute(command, env) {
            Ok(Ended { code, stdout, stderr }) => Ok(self.outcome(code, &stdout, &stderr)),
            Err(Trouble::Failed(why)) => {
                self.fail(origin, format!("cannot execute the command {command:?}: {why}"))
            }
            Err(Trouble::Forbidden(why)) => self.forbidden(call, &why, origin),
        }
    }

    fn outcome(&self, exit_value: i32, stdout: &str, stderr: &str) -> Value {
        let store = self.store;
        store.record(&mut vec![
            (store.string("exitValue"), store.int(exit_value)),
            (store.string("stdout"), store.string(stdout)),
            (store.string("stderr"), store.string(stderr)),
        ])
    }
}
