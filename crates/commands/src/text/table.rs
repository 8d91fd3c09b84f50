//! Columns that are as wide as what stands in them.

/// Lines up the cells of each column; the last column keeps its own width. Every row begins with `margin`.
pub fn align(rows: &[Vec<String>], gap: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            line.push_str(cell);
            if column + 1 < row.len() {
                let fill = widths[column] - cell.chars().count() + gap;
                line.extend(std::iter::repeat_n(' ', fill));
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::align;

    #[test]
    fn columns_line_up() {
        let rows = [
            vec!["a".into(), "b".into()],
            vec!["long".into(), "c".into()],
        ];
        assert_eq!(align(&rows, 2), "a     b\nlong  c\n");
    }
}
