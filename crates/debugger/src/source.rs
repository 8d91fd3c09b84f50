//! Source files, read once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wayfarer_symbols::source::{SourcePath, SourceText};

use crate::view::SourceLineView;
use crate::{DebuggerError, Result};

/// The source files of the session, and where `list` is.
#[derive(Default)]
pub(crate) struct Sources {
    path: SourcePath,
    read: HashMap<PathBuf, Option<Arc<SourceText>>>,
    /// File (as shown and with its directory) and the lines shown last.
    pub listed: Option<Listed>,
}

/// What `list` showed last.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub file: String,
    pub full_path: PathBuf,
    pub first: u32,
    pub last: u32,
}

impl Sources {
    /// The text of a file.
    pub fn text(&mut self, path: &Path) -> Result<Arc<SourceText>> {
        if let Some(Some(known)) = self.read.get(path) {
            return Ok(known.clone());
        }
        let read = self.path.read(path).map(Arc::new);
        self.read
            .insert(path.to_owned(), read.as_ref().ok().cloned());
        read.map_err(|error| DebuggerError::File {
            path: path.display().to_string(),
            error,
        })
    }

    /// One line, when it can be read.
    pub fn line(&mut self, path: &Path, line: u32) -> Option<SourceLineView> {
        if let Some(None) = self.read.get(path) {
            return None;
        }
        let text = self.text(path).ok()?;
        let text = text.line(u64::from(line))?.to_owned();
        Some(SourceLineView { line, text })
    }
}
