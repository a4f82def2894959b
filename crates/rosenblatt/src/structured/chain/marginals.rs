//! The share of each tag at each token, when a sequence counts as e to the power of its score: forwards and backwards.
//!
//! α_i(t) = emission_i(t) + ln Σ_p exp(α_{i−1}(p) + transition_i(p, t)) and
//! β_i(p) = ln Σ_t exp(transition_{i+1}(p, t) + emission_{i+1}(t) + β_{i+1}(t)); the share is exp(α + β − ln Z).

use super::lattice::Lattice;
use super::{Chain, Reach, Scratch, Sentence, Weights};
use crate::error::{Error, Result};
use crate::limits;
use crate::message::Message;
use crate::structured::Structure;
use crate::structured::meter::Meter;

const NEVER: f64 = f64::NEG_INFINITY;

/// ln Σ exp of numbers that may be −∞, without overflow.
fn ln_sum_exp(of: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = of.clone().fold(NEVER, f64::max);
    if most == NEVER { NEVER } else { most + of.map(|one| (one - most).exp()).sum::<f64>().ln() }
}

impl Chain {
    /// Appends the shares of a sentence, token by token, a number for each tag. An error within the [`limits`], or if tags look
    /// back to two others.
    pub fn marginals(&self, w: &Weights, x: Sentence<'_>, scratch: &mut Scratch, shares: &mut Vec<f64>) -> Result<()> {
        if self.reach == Reach::Second {
            return Err(Error::settings(
                "a tag that looks back to two others has no marginals: leave out tag[-2] tag[-1]",
            ));
        }
        let cells = x.len() * self.tags;
        limits::room_for::<f64>(3 * cells as u128, || Message::new("the marginals of a sentence"))?;
        let Scratch { lattice, meter, .. } = &mut *scratch;
        meter.start();
        let begin = shares.len();
        // If fixed tags and bars allow no sequence, the fixed tags are dropped: as in the search.
        for fixed in [x.fixed, &[]] {
            let x = Sentence { fixed, ..x };
            lattice.load(self, w, x, meter);
            shares.truncate(begin);
            shares.resize(begin + cells, 0.0);
            if self.add_shares(w, x, lattice, meter, &mut shares[begin..]) || fixed.is_empty() || meter.stopped() {
                break;
            }
        }
        if Self::stopped(scratch) { limits::check() } else { Ok(()) }
    }

    /// Whether there is a sequence, and the limits have not passed.
    fn add_shares(
        &self,
        w: &Weights,
        x: Sentence<'_>,
        lattice: &mut Lattice,
        meter: &mut Meter,
        shares: &mut [f64],
    ) -> bool {
        let (tags, width, length) = (self.tags, lattice.width, x.len());
        for i in 0..length {
            if !meter.go_on(tags * tags) {
                return false;
            }
            lattice.enter(self, w, x, i);
            let (before, now) = shares.split_at_mut(i * tags);
            for (t, share) in now[..tags].iter_mut().enumerate() {
                let enter = |p: usize| lattice.transitions()[p * width + t];
                let reached = match i {
                    0 => enter(tags),
                    _ => ln_sum_exp((0..tags).map(|p| before[(i - 1) * tags + p] + enter(p))),
                };
                *share = reached + lattice.token(i)[t];
            }
        }
        let total = ln_sum_exp(shares[shares.len() - tags.min(shares.len())..].iter().copied());
        let (mut after, mut now) = (vec![0.0; tags], vec![0.0; tags]);
        for i in (0..length).rev() {
            if i + 1 < length {
                if !meter.go_on(tags * tags) {
                    return false;
                }
                lattice.enter(self, w, x, i + 1);
                for (p, now) in now.iter_mut().enumerate() {
                    let row = &lattice.transitions()[p * width..][..tags];
                    let next = row.iter().zip(lattice.token(i + 1)).zip(&after);
                    *now = ln_sum_exp(next.map(|((transition, emission), after)| transition + emission + after));
                }
                std::mem::swap(&mut after, &mut now);
            }
            for (share, after) in shares[i * tags..][..tags].iter_mut().zip(&after) {
                *share = (*share + after - total).exp();
            }
        }
        length == 0 || total > NEVER
    }
}
