//! The text of source files, found again after the tree was moved.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where to look for source files: rules in their order, then directories.
#[derive(Clone, Debug, Default)]
pub struct SourcePath {
    /// Prefixes of directories to replace (`set substitute-path FROM TO`).
    pub substitutions: Vec<(PathBuf, PathBuf)>,
    /// Further directories, tried with ever shorter ends of the file's path.
    pub directories: Vec<PathBuf>,
}

/// The lines of one source file.
#[derive(Clone, Debug)]
pub struct SourceText {
    pub path: PathBuf,
    text: Arc<str>,
    /// Where each line starts.
    starts: Arc<[usize]>,
}

impl SourcePath {
    /// The file on this machine that holds the source at `path` of the build machine.
    pub fn locate(&self, path: &Path) -> Option<PathBuf> {
        let mut wanted = path.to_owned();
        for (from, to) in &self.substitutions {
            if let Ok(rest) = path.strip_prefix(from) {
                wanted = to.join(rest);
                break;
            }
        }
        if wanted.is_file() {
            return Some(wanted);
        }
        let parts: Vec<_> = wanted
            .components()
            .filter(|part| matches!(part, std::path::Component::Normal(_)))
            .collect();
        self.directories.iter().find_map(|directory| {
            (0..parts.len()).find_map(|first| {
                let end: PathBuf = parts[first..].iter().collect();
                let candidate = directory.join(end);
                candidate.is_file().then_some(candidate)
            })
        })
    }

    /// Reads the source file; bytes that are not UTF-8 are replaced.
    pub fn read(&self, path: &Path) -> std::io::Result<SourceText> {
        let found = self.locate(path).unwrap_or_else(|| path.to_owned());
        let bytes = std::fs::read(&found)?;
        Ok(SourceText::new(
            found,
            String::from_utf8_lossy(&bytes).into(),
        ))
    }
}

impl SourceText {
    fn new(path: PathBuf, text: Arc<str>) -> SourceText {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts: Arc<[usize]> = std::iter::once(0)
            .chain(ends)
            .filter(|start| *start < text.len())
            .collect();
        SourceText { path, text, starts }
    }

    /// A line, counted from 1, without its end.
    pub fn line(&self, number: u64) -> Option<&str> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied();
        let line = &self.text[start..end.unwrap_or(self.text.len())];
        let line = line.strip_suffix('\n').unwrap_or(line);
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// How many lines there are.
    pub fn line_count(&self) -> u64 {
        self.starts.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one() {
        let text = SourceText::new(PathBuf::from("x.c"), "first\r\n\nthird".into());
        assert_eq!(text.line_count(), 3);
        assert_eq!(text.line(1), Some("first"));
        assert_eq!(text.line(2), Some(""));
        assert_eq!(text.line(3), Some("third"));
        assert_eq!(text.line(0), None);
        assert_eq!(text.line(4), None);
        assert_eq!(SourceText::new(PathBuf::new(), "".into()).line_count(), 0);
    }
}
