//! Source files, read once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wayfarer_symbols::source::{SourcePath, SourceText};

use crate::view::{SourceLineView, SourceView};
use crate::{DebuggerError, Result};

/// The source files of the session.
#[derive(Default)]
pub(crate) struct Sources {
    path: SourcePath,
    read: HashMap<PathBuf, Option<Arc<SourceText>>>,
}

/// Lines of source that a front end showed: `list` goes on from there, and bare line numbers are of that file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// As the compiler was given it.
    pub file: String,
    pub full_path: PathBuf,
    pub first: u32,
    pub last: u32,
}

impl Listed {
    /// What that view shows, if there are lines in it.
    pub fn of(view: &SourceView) -> Option<Listed> {
        Some(Listed {
            file: view.file.clone(),
            full_path: PathBuf::from(&view.full_path),
            first: view.lines.first()?.line,
            last: view.lines.last()?.line,
        })
    }
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
