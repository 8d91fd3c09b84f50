//! The file-length ratchet: one idea per file shows in how long files are.

/// No file is longer.
const MAX_LINES: usize = 600;
/// Nine files of ten are shorter.
const P90_LINES: usize = 400;

/// Complaints about the lengths of `files`, given as name and number of lines.
pub fn violations(files: &[(String, usize)]) -> Vec<String> {
    let mut found: Vec<String> = files
        .iter()
        .filter(|(_, lines)| *lines > MAX_LINES)
        .map(|(name, lines)| format!("{name} has {lines} lines; {MAX_LINES} is the most"))
        .collect();
    if let Some(lines) = p90(files).filter(|lines| *lines >= P90_LINES) {
        found.push(format!(
            "the ninetieth percentile of file lengths is {lines} lines; it must be below {P90_LINES}"
        ));
    }
    found
}

/// The length that nine files of ten do not exceed.
fn p90(files: &[(String, usize)]) -> Option<usize> {
    let mut lengths: Vec<usize> = files.iter().map(|(_, lines)| *lines).collect();
    lengths.sort_unstable();
    let rank = (lengths.len() * 9).div_ceil(10);
    lengths.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(lengths: &[usize]) -> Vec<(String, usize)> {
        lengths
            .iter()
            .map(|lines| ("file.rs".to_string(), *lines))
            .collect()
    }

    #[test]
    fn the_ninetieth_percentile_is_the_ninth_of_ten() {
        assert_eq!(p90(&files(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10])), Some(9));
        assert_eq!(p90(&files(&[])), None);
    }

    #[test]
    fn one_long_file_is_tolerated_a_longer_one_not() {
        let mut lengths = [100; 20];
        lengths[0] = 600;
        assert!(violations(&files(&lengths)).is_empty());
        lengths[0] = 601;
        assert_eq!(violations(&files(&lengths)).len(), 1);
    }

    #[test]
    fn many_middling_files_are_too_many() {
        assert_eq!(violations(&files(&[100, 100, 100, 450, 450])).len(), 1);
    }
}
