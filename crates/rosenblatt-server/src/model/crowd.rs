//! How long a commit waits for the requests of clients that were just answered.
//!
//! Clients that send one request after the other come in two crowds: while the rows of one are synced, the other waits, and so
//! each of them waits for two syncs. If a commit begins a little later, those that were answered by the one before are in it,
//! too, and wait for one. A client that comes in time is spared about one sync, and those that wait for it lose a part of one:
//! so waiting goes on only while enough of them come.

use std::time::{Duration, Instant};

/// The longest wait, from the end of the commit before: this part of the time of its sync.
const PART: u32 = 4;
/// The most commits that do not wait after one that waited in vain.
const PAUSE: u32 = 64;

/// What is known of the clients.
#[derive(Default)]
pub(super) struct Crowd {
    /// The requests that the last commit answered, and those that waited then.
    answered: usize,
    waited: usize,
    /// Until when their clients are waited for.
    until: Option<Instant>,
    /// After a commit that waited in vain: how many do not wait, and how many are left of them.
    pause: u32,
    left: u32,
}

impl Crowd {
    /// A commit ended that answered so many requests while others waited, and whose sync took so long.
    pub(super) fn answered(&mut self, requests: usize, waited: usize, sync: Duration) {
        (self.answered, self.waited, self.until) = (requests, waited, Some(Instant::now() + sync / PART));
    }

    /// How many more requests the next commit waits for, and until when. `waiting` wait already: those that came after the
    /// last commit may be of the clients that it answered.
    pub(super) fn more(&mut self, waiting: usize) -> Option<(usize, Instant)> {
        let until = self.until.take().filter(|until| *until > Instant::now())?;
        let more = self.answered.saturating_sub(waiting.saturating_sub(self.waited));
        if more == 0 {
            return None;
        }
        if self.left > 0 {
            self.left -= 1;
            return None;
        }
        Some((more, until))
    }

    /// So many came of those that were hoped for, where so many waited.
    pub(super) fn came(&mut self, more: usize, hoped: usize, waiting: usize) {
        let well = more >= hoped || more * PART as usize >= waiting;
        self.pause = if well { 0 } else { (2 * self.pause).clamp(1, PAUSE) };
        self.left = self.pause;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNC: Duration = Duration::from_secs(3600);

    #[test]
    fn only_clients_that_may_come_again_are_waited_for() {
        let mut crowd = Crowd::default();
        assert_eq!(crowd.more(3), None);
        let mut more = |answered, waited, sync, waiting| {
            crowd.answered(answered, waited, sync);
            crowd.more(waiting).map(|(more, _)| more)
        };
        // One client after the other's answer: it is here already.
        assert_eq!(more(1, 0, SYNC, 1), None);
        assert_eq!(more(8, 0, SYNC, 3), Some(5));
        assert_eq!(more(8, 3, SYNC, 3), Some(8));
        // They would have come by now.
        assert_eq!(more(8, 0, Duration::ZERO, 3), None);
    }

    #[test]
    fn waiting_in_vain_becomes_rare() {
        let mut crowd = Crowd::default();
        let mut waited = 0;
        for _ in 0..1_000 {
            crowd.answered(10, 10, SYNC);
            if crowd.more(10).is_some() {
                crowd.came(1, 10, 10);
                waited += 1;
            }
        }
        assert!((15..25).contains(&waited), "{waited}");
        crowd.came(9, 10, 10);
        crowd.came(1, 1, 10);
        crowd.answered(10, 10, SYNC);
        assert!(crowd.more(10).is_some());
    }
}
