//! The naive twin of the chunked reader: one line at a time, one hash map of names.

use std::collections::HashMap;

use super::line::{Feature, Line};
use crate::error::{Error, Result};
use crate::io::{Fault, Found, Lines, count, show};
use crate::message::Message;
use crate::read::{KnownLabels, NeedLabels, Parts};
use crate::rows::{LabelCollector, Labels, Matrix, Schema, SparseMatrix, Table};

/// Reads labelled examples and collects the names of their features.
pub(crate) fn read(mut lines: Lines<'_>, positive: Option<&str>) -> Result<Parts> {
    let file = lines.name().to_string();
    let mut collector = LabelCollector::default();
    let (mut rows, mut label_ids) = (Rows::new(HashMap::new(), true), Vec::new());
    while lines.advance()? {
        let Some(line) = Line::split(lines.line(), lines.number()).map_err(|f| f.of(&file))? else { continue };
        let Some(label) = line.label else { return Err(line.no_label().of(&file)) };
        label_ids.push(collector.collect(label));
        rows.push(&line).map_err(|f| f.of(&file))?;
    }
    let fingerprint = lines.fingerprint();
    if label_ids.is_empty() {
        return Err(Error::bad_data("no examples: no line holds one"));
    }
    let (names, matrix) = rows.sorted();
    if names.is_empty() {
        return Err(Error::bad_data("no features: nothing follows the bars"));
    }
    let (labels, order) = collector.finish(positive)?;
    let classes = label_ids.iter().map(|&id| order[id as usize]).collect();
    let weights = rows.weighed.then_some(rows.weights);
    let table = Table { matrix: Matrix::Sparse(matrix), classes, labels, weights, schema: Schema::Named { names } };
    Ok(Parts { table, notes: rows.notes, fingerprint })
}

/// Reads examples for a model of these features.
pub(crate) fn read_for(mut lines: Lines<'_>, names: &[String], labels: &Labels, need: NeedLabels) -> Result<Parts> {
    let file = lines.name().to_string();
    let ids = names.iter().zip(0..).map(|(name, id)| (name.as_bytes().into(), id)).collect();
    let (mut rows, mut classes) = (Rows::new(ids, false), Vec::new());
    let mut known = KnownLabels::new(labels);
    while lines.advance()? {
        let Some(line) = Line::split(lines.line(), lines.number()).map_err(|f| f.of(&file))? else { continue };
        if need == NeedLabels::Yes {
            let Some(label) = line.label else { return Err(line.no_label().of(&file)) };
            classes.push(known.class(label.as_bytes()).map_err(|message| Fault::line(line.number, message).of(&file))?);
        }
        rows.push(&line).map_err(|f| f.of(&file))?;
    }
    let fingerprint = lines.fingerprint();
    if rows.weights.is_empty() {
        return Err(Error::bad_data("no examples: no line holds one"));
    }
    let mut notes = rows.notes;
    if rows.unknown > 0 {
        let values = count(rows.unknown, "value");
        notes.push(format!("ignored {values} of features that the model does not know").into());
    }
    let weights = rows.weighed.then_some(rows.weights);
    let matrix = SparseMatrix { features: names.len(), ..rows.matrix };
    let schema = Schema::Named { names: names.to_vec() };
    let table = Table { matrix: Matrix::Sparse(matrix), classes, labels: labels.clone(), weights, schema };
    Ok(Parts { table, notes, fingerprint })
}

struct Rows {
    ids: HashMap<Box<[u8]>, u32>,
    /// Whether new names are added.
    learning: bool,
    matrix: SparseMatrix,
    weights: Vec<f64>,
    weighed: bool,
    unknown: u64,
    notes: Vec<Message>,
    row: Vec<(u32, f64)>,
    name: Vec<u8>,
}

impl Rows {
    fn new(ids: HashMap<Box<[u8]>, u32>, learning: bool) -> Self {
        let (matrix, weights, notes, row, name) = Default::default();
        Rows { ids, learning, matrix, weights, weighed: false, unknown: 0, notes, row, name }
    }

    fn push(&mut self, line: &Line<'_>) -> Found<()> {
        self.row.clear();
        line.each_feature(|feature| {
            let value = feature.scale * feature.value;
            if !value.is_finite() {
                return Err(
                    line.fault(&feature, format!("{} times its namespace's weight overflows", show(feature.token)))
                );
            }
            self.add(&feature, value);
            Ok(())
        })?;
        self.row.sort_by_key(|&(id, _)| id);
        for same in self.row.chunk_by(|a, b| a.0 == b.0) {
            let value: f64 = same.iter().map(|(_, v)| v).sum();
            if !value.is_finite() {
                return Err(Fault::line(line.number, "a feature that comes several times adds up to infinity"));
            }
            if value != 0.0 {
                self.matrix.indices.push(same[0].0);
                self.matrix.values.push(value);
            }
        }
        self.matrix.end_row();
        if line.base && self.notes.is_empty() {
            let message = format!("a base prediction (the third number) is ignored, first on line {}", line.number);
            self.notes.push(message.into());
        }
        self.weighed |= line.importance.is_some();
        self.weights.push(line.importance.unwrap_or(1.0));
        Ok(())
    }

    fn add(&mut self, feature: &Feature<'_>, value: f64) {
        feature.write_name(&mut self.name);
        match self.ids.get(&self.name[..]) {
            Some(&id) => self.row.push((id, value)),
            None if self.learning => {
                let id = self.ids.len() as u32;
                self.ids.insert(self.name[..].into(), id);
                self.row.push((id, value));
            }
            None => self.unknown += 1,
        }
    }

    /// The sorted names, and the rows with features renumbered to match.
    fn sorted(&mut self) -> (Vec<String>, SparseMatrix) {
        let mut names: Vec<(Box<[u8]>, u32)> = std::mem::take(&mut self.ids).into_iter().collect();
        names.sort_unstable();
        let mut places = vec![0; names.len()];
        (0..).zip(&names).for_each(|(place, (_, id))| places[*id as usize] = place);
        let mut matrix = std::mem::take(&mut self.matrix);
        matrix.features = names.len();
        let mut row: Vec<(u32, f64)> = Vec::new();
        for ends in matrix.offsets.windows(2) {
            let range = ends[0]..ends[1];
            row.clear();
            row.extend(range.clone().map(|at| (places[matrix.indices[at] as usize], matrix.values[at])));
            row.sort_unstable_by_key(|&(place, _)| place);
            for (at, &(place, value)) in range.zip(&row) {
                (matrix.indices[at], matrix.values[at]) = (place, value);
            }
        }
        let text = |(name, _): (Box<[u8]>, u32)| String::from_utf8_lossy(&name).into_owned();
        (names.into_iter().map(text).collect(), matrix)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::io::{Input, Pace};
    use crate::read::vw;

    /// What a reader returns, to compare.
    fn shown(read: Result<Parts>) -> std::result::Result<String, String> {
        read.map(|parts| format!("{:?} {:?} {:?}", parts.table, parts.notes, parts.fingerprint))
            .map_err(|e| e.to_string())
    }

    fn lines(input: &Input) -> Lines<'_> {
        Lines::new(input.open().unwrap()).unwrap()
    }

    /// Lines as users write them, and now and then one with a fault.
    fn text() -> impl Strategy<Value = String> {
        let feature = r"[ab^é]{1,2}(:-?[0-9]{1,2}(\.[0-9]{1,3}(e-0[1-9])?)?)?|0:1e300|x:zz|:3|long_name_of_a_feature:2";
        let namespace = prop_oneof![Just("".to_string()), Just("n".into()), Just("n^\\".into()), Just("m:0.5".into())];
        let features = prop::collection::vec(
            prop_oneof![40 => r"[ab^é]{1,2}(:-?[0-9]{1,2}(\.[0-9]{1,3}(e-0[1-9])?)?)?", 1 => feature],
            0..6,
        );
        let head = prop_oneof![20 => "(1|-1|red)( 2\\.5)?( '?tag)?", 1 => "(1:2)?|1 -2|1 2 3|1 2 3 4|\u{0}"];
        let part = (namespace, features).prop_map(|(n, f)| format!("|{n} {}", f.join(" ")));
        let line = (
            head,
            prop::collection::vec(part, 1..3),
            prop_oneof![9 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\n \n")],
        );
        let line = line.prop_map(|(head, parts, end)| format!("{head} {}{end}", parts.join(" ")));
        prop::collection::vec(line, 0..12).prop_map(|lines| lines.concat())
    }

    proptest! {
        /// Any chunks on any threads give the table of the twin, its notes and its errors.
        #[test]
        fn chunks_agree_with_the_twin(text in text(), chunk in 1..200usize, threads in 1..4usize) {
            let input = Input::memory("m.vw", text.as_bytes());
            let pace = Pace { chunk, threads };
            let expected = shown(read(lines(&input), None));
            prop_assert_eq!(shown(vw::read(lines(&input), None, pace)), expected);
            let names: Vec<String> = ["a", "b", "n^a", "n^b"].map(String::from).to_vec();
            let labels = Labels::new(vec!["-1".into(), "1".into()]);
            for need in [NeedLabels::Yes, NeedLabels::No] {
                let expected = shown(read_for(lines(&input), &names, &labels, need));
                prop_assert_eq!(shown(vw::read_for(lines(&input), &names, &labels, need, pace)), expected);
            }
        }
    }
}
