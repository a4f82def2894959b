//! Words of a small text, with their places.

/// The words of a text, separated by spaces and commas, each with its line and column from 1.
pub fn words(text: &str) -> impl Iterator<Item = (u64, u64, &str)> {
    (1..).zip(text.lines()).flat_map(|(number, line)| {
        line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).map(move |word| {
            let column = word.as_ptr() as usize - line.as_ptr() as usize + 1;
            (number, column as u64, word)
        })
    })
}
