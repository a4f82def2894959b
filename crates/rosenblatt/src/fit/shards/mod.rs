//! Training on shards: iterative parameter mixing.
//!
//! The examples are cut into S shards. In round n every shard makes one pass from the same mixed weights w, and the
//! results are mixed:                                                            McDonald, Hall and Mann 2010
//!
//! > w ← Σᵢ μᵢ wᵢ,   μᵢ ≥ 0,   Σᵢ μᵢ = 1
//!
//! **Proof that it separates.** Let kᵢₙ be the mistakes of shard i in round n, u a unit vector with y(u·x) ≥ γ for all
//! examples, and ‖x‖ ≤ R. A shard adds at least γ kᵢₙ to u·w and at most R² kᵢₙ to ‖w‖². The mixture adds the mean of the
//! first, and by convexity of ‖·‖² at most the mean of the second. So Σₙ Σᵢ μᵢₙ kᵢₙ = K gives Kγ ≤ u·w ≤ ‖w‖ ≤ √K R and
//!
//! > **Σₙ Σᵢ μᵢₙ kᵢₙ ≤ R²/γ²**.
//!
//! With μ = 1/S there are at most S·R²/γ² mistakes in all. With μ in proportion to the mistakes a round that has one adds
//! Σk²/Σk ≥ 1, so at most R²/γ² rounds have a mistake. It is proved for the plain weights of the perceptron at a constant
//! rate; nothing is claimed for averages, margins, PA and AROW.
//!
//! **Momentum.** A mean of S shards has moved as far as one of them, though S times as many examples were seen: where the
//! shards agree, rounds are slow. With v the last change of the mixed weights, the next round therefore starts ahead of them,
//! at w + μv with μ = 1 − 1/S: a change that repeats itself grows to S times its length, as on one machine, and one that a
//! single round completes does not swing. `momentum.rs` has the proof that the bound above still holds: it makes μ less where
//! the weights would become longer than the proof allows.                         after Nesterov 1983
//!
//! **What is mixed.** Weights and AROW's variances by μ. The average is that of the weights after every example of every
//! shard. With T₀ examples before the round, w₀ and u₀ the state that it starts from (u as in `learn/keep/average.rs`), a
//! shard of m examples that ends at w₀ + d and u₀ + e has added m·w₀ + a to the sum of all weights, where
//! a = (T₀ + m + 1)·d − e. So with M = Σm and d̄ = Σ μ d
//!
//! > w = w₀ + d̄,   u = u₀ + (T₀ + M + 1)·d̄ − Σ a.
//!
//! Where no shard moved, nothing changes: a shard reports only what it moved, and sums of reports are reports.
//!
//! **Deterministic.** Sums are made in a tree of fixed shape, [`FAN`] neighbours at a time, and each shard has its own
//! seed. So the bytes depend on the data, the shards, the seed and the rounds, and on nothing else: not on threads,
//! processes or machines. One shard gives the bytes of a training without shards.
//!
//! ```text
//!  Mixture::begin ─► state ─┬─► local_round(shard 0) ─► Delta ─┐
//!                    ▲      ├─► local_round(shard 1) ─► Delta ─┼─► Delta::sum (a tree) ─► Mixture::mix ─┐
//!                    │      └─► …                              ┘                                       │
//!                    └─────────────────────────────────────────────────────────────────────────────────┘
//! ```

mod bytes;
mod delta;
mod local_round;
mod mixing;
mod mixture;
mod momentum;
mod one_machine;
mod part;
#[cfg(test)]
mod tests;

pub use delta::{Delta, FAN};
pub use mixing::Mixing;
pub use mixture::{Mixture, Rounds};
pub use one_machine::Shards;
