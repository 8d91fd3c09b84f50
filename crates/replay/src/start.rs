//! The payload of a `START` record: how a program image began.

use wayfarer_runtime_abi::encode::get_varint;
use wayfarer_runtime_abi::record::start::{
    ARGUMENTS, ENVIRONMENT, EXECFN, EXECUTABLE, FIELDS, MODULES, WORKING_DIRECTORY,
};
use wayfarer_trace::Text;

/// A file that was mapped as code when the image began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    pub path: Text,
    pub base: u64,
    /// Empty: the file has none.
    pub build_id: Vec<u8>,
}

/// How a program image began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The ELF file, never a script.
    pub executable: Text,
    pub working_directory: Text,
    /// What the kernel calls AT_EXECFN: the path as it was given to execve.
    pub given_path: Text,
    pub arguments: Vec<Text>,
    /// Without Wayfarer's own variables.
    pub environment: Vec<Text>,
    pub modules: Vec<Module>,
}

impl Start {
    /// Reads the payload; `None`: it is damaged.
    pub fn parse(payload: &[u8]) -> Option<Self> {
        let mut fields: [&[u8]; FIELDS] = [&[]; FIELDS];
        let mut position = 0;
        for field in &mut fields {
            let (length, start) = get_varint(payload, position)?;
            let end = start.checked_add(usize::try_from(length).ok()?)?;
            *field = payload.get(start..end)?;
            position = end;
        }
        let executable = Text(without_end(fields[EXECUTABLE]).to_vec());
        let mut modules = parse_modules(fields[MODULES])?;
        // The loader's list begins with the program itself, which it does not name.
        if let Some(program) = modules
            .first_mut()
            .filter(|module| module.path.0.is_empty())
        {
            program.path = executable.clone();
        }
        Some(Self {
            executable,
            working_directory: Text(without_end(fields[WORKING_DIRECTORY]).to_vec()),
            given_path: Text(without_end(fields[EXECFN]).to_vec()),
            arguments: strings(fields[ARGUMENTS]),
            environment: strings(fields[ENVIRONMENT]),
            modules,
        })
    }
}

fn without_end(text: &[u8]) -> &[u8] {
    text.strip_suffix(&[0]).unwrap_or(text)
}

/// Zero terminated strings, one after the other.
fn strings(bytes: &[u8]) -> Vec<Text> {
    let mut texts: Vec<Text> = bytes
        .split(|&byte| byte == 0)
        .map(|text| Text(text.to_vec()))
        .collect();
    // After the last zero there is nothing.
    texts.pop();
    texts
}

fn parse_modules(mut bytes: &[u8]) -> Option<Vec<Module>> {
    let mut modules = Vec::new();
    while !bytes.is_empty() {
        let end = bytes.iter().position(|&byte| byte == 0)?;
        let (path, rest) = (bytes.get(..end)?, bytes.get(end + 1..)?);
        let base = u64::from_le_bytes(rest.get(..8)?.try_into().ok()?);
        let id_length = usize::from(*rest.get(8)?);
        let build_id = rest.get(9..9 + id_length)?.to_vec();
        modules.push(Module {
            path: Text(path.to_vec()),
            base,
            build_id,
        });
        bytes = rest.get(9 + id_length..)?;
    }
    Some(modules)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload() -> Vec<u8> {
        let mut modules = vec![0; 10];
        modules.extend_from_slice(b"/lib/libc.so.6\0");
        modules.extend_from_slice(&0x7fff_0000_1000u64.to_le_bytes());
        modules.extend_from_slice(&[2, 0xab, 0xcd]);
        let mut fields = [const { Vec::new() }; FIELDS];
        fields[EXECUTABLE] = b"/bin/true".to_vec();
        fields[WORKING_DIRECTORY] = b"/tmp".to_vec();
        fields[EXECFN] = b"./true".to_vec();
        fields[ARGUMENTS] = b"true\0-x\0".to_vec();
        fields[ENVIRONMENT] = b"A=1\0\0B=\0".to_vec();
        fields[MODULES] = modules;
        let mut bytes = Vec::new();
        for field in &fields {
            bytes.push(field.len() as u8);
            bytes.extend_from_slice(field);
        }
        bytes
    }

    #[test]
    fn all_fields_are_read() {
        let start = Start::parse(&payload()).unwrap();
        assert_eq!(start.executable, Text::from("/bin/true"));
        assert_eq!(start.modules[0].path, start.executable);
        assert_eq!(start.arguments, [Text::from("true"), Text::from("-x")]);
        assert_eq!(
            start.environment,
            [Text::from("A=1"), Text::from(""), Text::from("B=")]
        );
        assert_eq!(start.modules[1].build_id, [0xab, 0xcd]);
        assert_eq!(start.modules[1].base, 0x7fff_0000_1000);
    }

    #[test]
    fn every_cut_is_refused() {
        let payload = payload();
        for length in 0..payload.len() {
            assert!(Start::parse(&payload[..length]).is_none(), "{length} bytes");
        }
    }
}
