//! The kernel perceptron: the same rules as in the space of the features, in the space of a kernel.
//!
//! v = Σ_j scale_j φ(x_j), so v·φ(x) = Σ_j scale_j K(x_j, x): φ itself is never needed.    Aizerman, Braverman, Rozonoér 1964
//!
//! Examples are judged one by one, as the textbook does; only the arithmetic is done in blocks. Before a block its
//! scores are brought up to date with all updates so far ([`Cache`]); within it, an update is added to the scores of
//! the block at once, a kernel column long. Classes share all kernel values: ten machines cost little more than one.
//!
//! Novikoff's bound holds word for word: R² = max K(x, x), γ = min y v·φ(x)/‖v‖ for any v that separates.

use super::cache::{Cache, TileScores};
use super::function::{Biased, Kernel};
use super::hypothesis::KernelMachine;
use super::path::{Path, add};
use super::products::products;
use super::reading::{PathReader, Reading};
use super::score_judge::ScoreJudge;
use super::support::Support;
use super::tile::ROWS;
use crate::error::{Error, Result};
use crate::learn::keep::KeepKind;
use crate::learn::machine::Tie;
use crate::learn::{AnyLearner, AnyRule, Array, Geometry, Hypothesis, PassEnd, State, Tally, Weights};
use crate::limits;
use crate::rows::{Examples, Rows};

/// Examples whose scores are brought up to date together.
const BLOCK: usize = 512;

/// A kernel learner: any [`ScoreJudge`] and any [`Rule`](crate::learn::Rule), on any [`Kernel`].
pub struct Dual<K, J> {
    kernel: K,
    judge: J,
    rule: Box<dyn AnyRule>,
    keep: KeepKind,
    tie: Tie,
    support: Support,
    path: Path,
    /// ‖v‖² of each output now, and of the output that moved after each move.
    sq_norm: Vec<f64>,
    sq_norms: Vec<f64>,
    presented: u64,
    /// By machine.
    updates: Vec<u64>,
    /// Buffers reused from run to run.
    works: Vec<TileScores>,
    /// The scores of the examples that all runs present, after [`attend`](Self::attend).
    cache: Option<Cache>,
}

impl<K: Kernel, J: ScoreJudge> Dual<K, J> {
    /// Starts at zero.
    pub fn new(kernel: K, judge: J, rule: Box<dyn AnyRule>, keep: KeepKind, tie: Tie, features: usize) -> Self {
        let (outputs, machines) = (judge.outputs(), judge.machines());
        Dual {
            kernel,
            judge,
            rule,
            keep,
            tie,
            support: Support::new(features),
            path: Path::default(),
            sq_norm: vec![0.0; outputs],
            sq_norms: Vec::new(),
            presented: 0,
            updates: vec![0; machines],
            works: Vec::new(),
            cache: None,
        }
    }

    /// The distinct examples of all updates.
    pub fn support(&self) -> &Support {
        &self.support
    }

    /// Every update so far.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path, for scoring with any [`Reading`].
    pub fn reader(&self) -> PathReader<'_, K> {
        PathReader {
            kernel: &self.kernel,
            support: &self.support,
            path: &self.path,
            sq_norms: &self.sq_norms,
            presented: self.presented,
            outputs: self.judge.outputs(),
            ballot: self.judge.ballot(),
            tie: self.tie,
        }
    }

    /// Announces the examples that all later runs present; their scores are cached.
    pub fn attend(&mut self, examples: Examples<'_>) -> Result<()> {
        // The cache, and two copies when the last scores are measured.
        self.room_for_scores(examples.len(), 3)?;
        self.cache = Some(Cache::new(examples.len(), self.judge.outputs()));
        Ok(())
    }

    fn room_for_scores(&self, rows: usize, copies: u128) -> Result<()> {
        let outputs = self.judge.outputs();
        let what = || format!("the kernel scores of {rows} rows × {outputs} classes").into();
        limits::room_for::<f64>(copies * rows as u128 * outputs as u128, what)
    }

    /// Presents the examples numbered in `order`: see [`AnyLearner::run`].
    pub fn present(&mut self, examples: Examples<'_>, order: &[u32], mut failures: Option<&mut [u32]>) -> Tally {
        // Without `attend` the scores are cached for this run alone.
        let known = self.cache.take().filter(|cache| cache.scores().len() == examples.len() * self.judge.outputs());
        let lasting = known.is_some();
        let mut cache = known.unwrap_or_else(|| Cache::new(examples.len(), self.judge.outputs()));
        let mut works = std::mem::take(&mut self.works);
        let mut tally = Tally { presented: order.len() as u64, ..Tally::default() };
        for block in order.chunks(BLOCK) {
            let tiles = block.len().div_ceil(ROWS);
            if works.len() < tiles {
                works.resize_with(tiles, || TileScores::new(self.support.features(), self.judge.outputs()));
            }
            let works = &mut works[..tiles];
            cache.open(examples.rows, block, &self.kernel, &self.support, &self.path, works);
            for (at, &i) in block.iter().enumerate() {
                let (class, weight) = (examples.classes[i as usize], examples.weight(i as usize));
                let (work, r) = (&works[at / ROWS], at % ROWS);
                let outcome = self.judge(work, r, class, weight);
                if outcome.mistakes > 0 {
                    tally.mistakes += u64::from(outcome.mistakes);
                    if let Some(failures) = &mut failures {
                        failures[i as usize] = failures[i as usize].saturating_add(1);
                    }
                }
                tally.last_margin = outcome.margin;
                if !outcome.moves.is_empty() {
                    tally.updates += u64::from(outcome.updates);
                    let slot = self.support.slot(examples.rows.row(i as usize));
                    self.path.push(self.presented, slot, outcome.moves.into_iter());
                    self.spread(slot, works);
                }
            }
            cache.close(block, &self.path, works);
        }
        self.works = works;
        self.cache = lasting.then_some(cache);
        tally
    }

    /// Judges one row of a tile, and asks the rule how far each output moves.
    fn judge(&mut self, work: &TileScores, r: usize, class: u32, weight: f64) -> Outcome {
        self.presented += 1;
        let scores: Vec<f64> = (0..self.judge.outputs()).map(|k| work.scores[k * ROWS + r]).collect();
        let sq = work.tile.sq()[r];
        let sq_len = self.kernel.value(sq, sq, sq);
        let mut outcome = Outcome { margin: 0.0, mistakes: 0, updates: 0, moves: Vec::new() };
        let Dual { judge, rule, updates, sq_norm, sq_norms, .. } = self;
        let margin = judge.judge(&scores, class, |machine, judged, moves| {
            outcome.mistakes += u32::from(judged.mistake);
            let tau = rule.weighted_tau(judged, updates[machine] + 1, judged.stretch * sq_len, weight);
            if tau > 0.0 {
                updates[machine] += 1;
                outcome.updates += 1;
                for step in moves {
                    let scale = tau * step.by;
                    sq_norm[step.output] += 2.0 * scale * scores[step.output] + scale * scale * sq_len;
                    sq_norms.push(sq_norm[step.output]);
                    outcome.moves.push((step.output as u32, scale));
                }
            }
        });
        Outcome { margin, ..outcome }
    }

    /// Adds the last update to the scores of the current block.
    fn spread(&self, slot: u32, works: &mut [TileScores]) {
        let last = self.path.len() - 1;
        for TileScores { tile, scores, lines } in works {
            lines.resize(ROWS.max(lines.len()), 0.0);
            let line = &mut lines[..ROWS];
            products(tile, &self.support, &[slot], line);
            self.kernel.apply(&mut line[..tile.len()], tile.sq(), self.support.sq(slot as usize));
            for (k, scale) in self.path.moves_of(last) {
                add(&mut scores[k * ROWS..][..ROWS], line, scale);
            }
        }
    }

    /// The scores of the last vectors on all examples.
    fn last_scores(&self, examples: Examples<'_>) -> Vec<f64> {
        let mut cache = match &self.cache {
            Some(cache) if cache.scores().len() == examples.len() * self.judge.outputs() => cache.clone(),
            _ => Cache::new(examples.len(), self.judge.outputs()),
        };
        cache.catch_up(examples.rows, &self.kernel, &self.support, &self.path);
        cache.scores().to_vec()
    }
}

/// The judgement of an example, and what moves.
struct Outcome {
    margin: f64,
    mistakes: u32,
    updates: u32,
    moves: Vec<(u32, f64)>,
}

impl<J: ScoreJudge> AnyLearner for Dual<Biased, J> {
    fn attend(&mut self, examples: Examples<'_>) -> Result<()> {
        Dual::attend(self, examples)
    }

    fn stride(&self) -> usize {
        BLOCK
    }

    /// Coefficients for each support vector and output: of the last vectors, of their sums over time, and of the model.
    fn reserve(&self, examples: usize, presented: usize) -> Result<()> {
        if self.cache.is_none() {
            self.room_for_scores(examples, 1)?;
        }
        let (support, outputs) = (self.support.len() + presented, self.judge.outputs());
        let what = || format!("the coefficients of {support} support vectors × {outputs} classes").into();
        limits::room_for::<f64>(3 * support as u128 * outputs as u128, what)
    }

    fn run(&mut self, examples: Examples<'_>, order: &[u32], failures: Option<&mut [u32]>) -> Tally {
        self.present(examples, order, failures)
    }

    fn end_pass(&mut self, _presented: u64) -> PassEnd {
        PassEnd::default()
    }

    fn wants_margin(&self) -> bool {
        self.rule.wants_margin()
    }

    /// No-op: a feature that a stored support vector lacks is zero in it.
    fn grow(&mut self, _features: usize) {}

    fn current(&self) -> Option<Weights> {
        None
    }

    fn is_finite(&self) -> bool {
        self.sq_norm.iter().all(|sq| sq.is_finite())
    }

    fn geometry(&self, examples: Examples<'_>) -> Result<Geometry> {
        let radius = super::radius(&self.kernel, examples.rows);
        let scores = self.last_scores(examples);
        limits::check()?;
        Ok(Geometry::of_scores(&scores, &self.sq_norm, radius, examples.classes))
    }

    fn hypothesis(&self) -> Hypothesis {
        let reading = match self.keep {
            KeepKind::Last | KeepKind::Pocket => Reading::Last { normalised: false },
            KeepKind::Average => Reading::Average { normalised: false },
            KeepKind::Vote => Reading::Vote,
        };
        Hypothesis::Kernel(match self.reader().coefficients(reading) {
            Some(coefficients) => KernelMachine::sum(self.kernel, &self.support, coefficients, self.judge.outputs()),
            None => KernelMachine::voted(
                self.kernel,
                self.support.clone(),
                self.path.clone(),
                self.judge.outputs(),
                self.presented,
                self.judge.ballot(),
            ),
        })
    }

    fn bound(&self, geometry: &Geometry) -> Option<f64> {
        let radius = geometry.radius * self.judge.max_stretch().sqrt();
        let one = |margin: f64| if margin > 0.0 { self.rule.bound(radius, margin) } else { None };
        if self.judge.machines() == 1 {
            one(geometry.margin)
        } else {
            geometry.margins_against_rest.iter().map(|&m| one(m)).sum()
        }
    }

    fn bounded_on_any_data(&self) -> bool {
        self.rule.bounded_on_any_data()
    }

    fn save(&self, state: &mut State) {
        self.support.save(state);
        self.path.save(state);
        state.put("sq_norm", Array::F64(self.sq_norm.clone()));
        state.put("sq_norms", Array::F64(self.sq_norms.clone()));
        state.put_count("presented", self.presented);
        state.put("updates", Array::U64(self.updates.clone()));
    }

    fn restore(&mut self, state: &State) -> Result<()> {
        let presented = state.count("presented")?;
        let support = Support::restore(state, self.support.features())?;
        let path = Path::restore(state, support.len(), self.judge.outputs(), presented)?;
        let (sq_norm, sq_norms) = (state.f64s("sq_norm")?.to_vec(), state.f64s("sq_norms")?.to_vec());
        let updates = state.u64s("updates")?.to_vec();
        let counts = updates.iter().all(|&u| u <= presented) && updates.len() == self.updates.len();
        if sq_norm.len() != self.sq_norm.len() || sq_norms.len() != path.moves() || !counts {
            return Err(Error::bad_model("the lengths and counts of the kernel machine do not fit its path"));
        }
        (self.support, self.path, self.presented, self.updates) = (support, path, presented, updates);
        (self.sq_norm, self.sq_norms) = (sq_norm, sq_norms);
        self.cache = None;
        Ok(())
    }
}
