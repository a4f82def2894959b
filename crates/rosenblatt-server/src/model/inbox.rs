//! The queue of a model: bounded, in the order of arrival. While the thread of the model works, and while it waits for the
//! disk, what comes is only put down: to wake a thread costs more than to learn from a row, and it looks here afterwards.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Instant;

use super::ask::Ask;

/// The queue.
pub(super) struct Inbox {
    state: Mutex<State>,
    wake: Condvar,
    /// The most questions of clients that wait, and the most bytes of their rows.
    most: usize,
    bytes: usize,
}

#[derive(Default)]
struct State {
    asks: VecDeque<Ask>,
    bytes: usize,
    /// How many of them are predictions.
    predictions: usize,
    /// How many questions the thread of the model sleeps for; 0: it works.
    wanted: usize,
    /// There is a message of the server itself, which is not kept waiting.
    told: bool,
    closed: bool,
}

/// Why something was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// Too much waits.
    Full,
    /// The model has stopped.
    Closed,
}

impl Inbox {
    /// An empty queue for so many questions, with rows of so many bytes.
    pub(super) fn new(most: usize, bytes: usize) -> Inbox {
        Inbox { state: Mutex::default(), wake: Condvar::new(), most, bytes }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A question of a client.
    pub(super) fn put(&self, ask: Ask) -> Result<(), Refused> {
        let bytes = ask.bytes();
        let mut state = self.state();
        if state.closed {
            return Err(Refused::Closed);
        }
        // A request is never too large for an empty queue.
        let fits = state.bytes.saturating_add(bytes) <= self.bytes || state.bytes == 0;
        if state.asks.len() >= self.most || !fits {
            return Err(Refused::Full);
        }
        state.bytes += bytes;
        state.predictions += usize::from(matches!(ask, Ask::Predict { .. }));
        self.add(state, ask);
        Ok(())
    }

    /// A message of the server itself, which always has room.
    pub(super) fn tell(&self, ask: Ask) {
        let mut state = self.state();
        if !state.closed {
            (state.wanted, state.told) = (state.wanted.min(1), true);
            self.add(state, ask);
        }
    }

    fn add(&self, mut state: MutexGuard<'_, State>, ask: Ask) {
        state.asks.push_back(ask);
        // Those who come next need not wake it again.
        if state.wanted > 0 && state.asks.len() >= state.wanted {
            state.wanted = 0;
            drop(state);
            self.wake.notify_one();
        }
    }

    /// Everything that waits, once there is something; nothing if that is not before `until`.
    pub(super) fn take(&self, until: Option<Instant>, asks: &mut VecDeque<Ask>) {
        self.take_some(1, until, asks);
    }

    /// Everything that waits, once there are so many questions, or at `until`.
    pub(super) fn take_some(&self, least: usize, until: Option<Instant>, asks: &mut VecDeque<Ask>) {
        let mut state = self.state();
        while state.asks.len() < least && !state.told {
            state.wanted = least;
            state = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self.wake.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner()),
                Some(left) if left.is_zero() => break,
                Some(left) => self.wake.wait_timeout(state, left).unwrap_or_else(|poisoned| poisoned.into_inner()).0,
            };
        }
        (state.wanted, state.bytes, state.predictions, state.told) = (0, 0, 0, false);
        std::mem::swap(&mut state.asks, asks);
    }

    /// The predictions that wait; the rest stays.
    pub(super) fn take_predictions(&self) -> Vec<Ask> {
        let mut state = self.state();
        if std::mem::take(&mut state.predictions) == 0 {
            return Vec::new();
        }
        let (mut predictions, mut rest) = (Vec::new(), VecDeque::new());
        for ask in std::mem::take(&mut state.asks) {
            match ask {
                Ask::Predict { .. } => predictions.push(ask),
                other => rest.push_back(other),
            }
        }
        state.bytes -= predictions.iter().map(Ask::bytes).sum::<usize>();
        state.asks = rest;
        predictions
    }

    /// How many questions wait.
    pub(super) fn len(&self) -> usize {
        self.state().asks.len()
    }

    /// Whether it is half full.
    pub(super) fn is_busy(&self) -> bool {
        let state = self.state();
        state.asks.len() > self.most / 2 || state.bytes > self.bytes / 2
    }

    /// Takes nothing more; what waits is dropped, and its clients are told so.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.asks.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::LearnAsk;
    use super::*;

    #[test]
    fn no_more_than_allowed_waits() {
        let inbox = Inbox::new(2, 10);
        assert_eq!([0; 3].map(|_| inbox.put(Ask::Stop)), [Ok(()), Ok(()), Err(Refused::Full)]);
        inbox.tell(Ask::Stop);
        let mut asks = VecDeque::new();
        inbox.take(None, &mut asks);
        assert_eq!(asks.len(), 3);
        asks.clear();
        inbox.take(Some(Instant::now() + Duration::from_millis(5)), &mut asks);
        assert!(asks.is_empty());
        inbox.close();
        assert_eq!(inbox.put(Ask::Stop), Err(Refused::Closed));
    }

    #[test]
    fn no_more_bytes_than_allowed_wait() {
        let inbox = Inbox::new(100, 10);
        let rows = |text: &str| {
            let request = crate::store::Request { key: String::new(), digest: 0, rows: vec![text.to_string()] };
            let (reply, _) = tokio::sync::oneshot::channel();
            Ask::Learn(LearnAsk { request, examples: Vec::new(), single: true, reply, stream: None })
        };
        let put = |text: &str| inbox.put(rows(text));
        assert_eq!([put("a b"), put("a long row"), put("")], [Ok(()), Err(Refused::Full), Err(Refused::Full)]);
        assert!(inbox.is_busy());
        let mut asks = VecDeque::new();
        inbox.take(None, &mut asks);
        assert_eq!((asks.len(), put("a row that is longer than all"), inbox.is_busy()), (1, Ok(()), true));
    }

    /// Eight threads put, one takes: all arrives, in the order of each thread, though the taker falls asleep many times.
    #[test]
    fn nothing_is_lost_while_the_thread_falls_asleep() {
        let inbox = Inbox::new(usize::MAX, 0);
        let mut next = [0; 8];
        std::thread::scope(|scope| {
            for thread in 0..8u64 {
                let inbox = &inbox;
                scope.spawn(move || {
                    for number in 0..2_000 {
                        inbox.put(Ask::Snapshotted { done: Ok(number), start: thread }).unwrap();
                        if number % 50 == 0 {
                            std::thread::yield_now();
                        }
                    }
                });
            }
            let mut asks = VecDeque::new();
            while next.iter().sum::<u64>() < 16_000 {
                inbox.take(None, &mut asks);
                for ask in asks.drain(..) {
                    let Ask::Snapshotted { done: Ok(number), start } = ask else { panic!() };
                    assert_eq!(number, next[start as usize]);
                    next[start as usize] += 1;
                }
            }
        });
    }
}
