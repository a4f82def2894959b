//! The strongest weights for and against each tag.

use serde::Serialize;

use super::tagger::Tagger;

/// A feature, or a previous tag, with its weight.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Strength {
    /// Its name.
    pub feature: String,
    /// Its weight.
    pub weight: f64,
}

/// The strongest features and transitions of a tag.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TagStrengths {
    /// The tag.
    pub class: String,
    /// Features with positive weights, the largest first.
    pub supports: Vec<Strength>,
    /// Features with negative weights.
    pub opposes: Vec<Strength>,
    /// Previous tags with positive weights.
    pub after: Vec<Strength>,
    /// Previous tags with negative weights.
    pub not_after: Vec<Strength>,
}

impl Tagger {
    /// The `top` strongest of each tag, in the order of the tags. Of equal weights the earlier comes first.
    pub fn strongest(&self, top: usize) -> Vec<TagStrengths> {
        let tags = self.labels.len();
        let mut features: Vec<Vec<(f64, u32)>> = vec![Vec::new(); tags];
        for feature in 0..self.weights.emissions.len() as u32 {
            for entry in self.weights.emissions.row(feature) {
                features[entry.slot as usize].push((entry.weight, feature));
            }
        }
        let transitions = self.weights.transitions();
        let before = |b: u32| self.labels.get(b as usize).map_or("(start)", String::as_str).to_string();
        let strengths = |class: usize| {
            let own = &features[class];
            let previous = (0..=tags as u32).filter_map(|b| Some((*transitions.get(b as usize * tags + class)?, b)));
            let previous: Vec<(f64, u32)> = previous.filter(|(weight, _)| *weight != 0.0).collect();
            TagStrengths {
                class: self.labels[class].clone(),
                supports: strongest(own, 1.0, top, |f| self.emission_name(f)),
                opposes: strongest(own, -1.0, top, |f| self.emission_name(f)),
                after: strongest(&previous, 1.0, top, before),
                not_after: strongest(&previous, -1.0, top, before),
            }
        };
        (0..tags).map(strengths).collect()
    }
}

/// The first of those whose weight has this sign.
fn strongest(all: &[(f64, u32)], sign: f64, top: usize, name: impl Fn(u32) -> String) -> Vec<Strength> {
    let mut own: Vec<&(f64, u32)> = all.iter().filter(|(weight, _)| weight * sign > 0.0).collect();
    own.sort_by(|a, b| (b.0 * sign).total_cmp(&(a.0 * sign)).then(a.1.cmp(&b.1)));
    own.iter().take(top).map(|&&(weight, number)| Strength { feature: name(number), weight }).collect()
}
