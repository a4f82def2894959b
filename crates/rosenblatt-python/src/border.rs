//! The one way from Python into the library: the interpreter is let go, Ctrl-C is listened for, errors become exceptions.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use pyo3::create_exception;
use pyo3::exceptions::{
    PyFileNotFoundError, PyMemoryError, PyOSError, PyPermissionError, PyTimeoutError, PyValueError,
};
use pyo3::prelude::*;
use rosenblatt::fit::{Now, Observer};
use rosenblatt::learn::{AnyLearner, Progress, Stop};
use rosenblatt::limits::{self, Deadline, Limits};
use rosenblatt::structured::Perceptron;
use rosenblatt::structured::chain::Chain;
use rosenblatt::{Error, ErrorKind};

use crate::words;

create_exception!(rosenblatt, DataError, PyValueError, "The data are not what they should be.");
create_exception!(rosenblatt, ModelError, PyValueError, "A model file is damaged, or does not fit the data.");
create_exception!(rosenblatt, SettingsError, PyValueError, "A parameter is unknown or out of range.");

/// How long Ctrl-C may have to wait.
const PATIENCE: Duration = Duration::from_millis(50);

/// What is asked at the end of each pass: whether to stop.
pub(crate) type PassEnded<'a> = dyn FnMut(Python<'_>, &Progress, &dyn AnyLearner) -> PyResult<bool> + Send + 'a;

/// Listens for Ctrl-C while the library works, and hands on what happens.
pub(crate) struct Lookout<'a> {
    pass_ended: Option<Box<PassEnded<'a>>>,
    looked: Instant,
    raised: Option<PyErr>,
}

impl Lookout<'_> {
    /// Whether to go on, as far as Ctrl-C says: for work that is no training of a classifier.
    pub(crate) fn look(&mut self) -> ControlFlow<Stop> {
        if self.looked.elapsed() < PATIENCE {
            return ControlFlow::Continue(());
        }
        self.ask(|py, _| py.check_signals().map(|()| false))
    }

    fn ask(&mut self, question: impl FnOnce(Python<'_>, &mut Self) -> PyResult<bool>) -> ControlFlow<Stop> {
        self.looked = Instant::now();
        match Python::attach(|py| question(py, self)) {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(Stop::Interrupted),
            Err(raised) => {
                self.raised = Some(raised);
                ControlFlow::Break(Stop::Interrupted)
            }
        }
    }
}

impl Observer<Perceptron<Chain>> for Lookout<'_> {
    fn advanced(&mut self, _now: &Now<'_, Perceptron<Chain>>) -> ControlFlow<Stop> {
        self.look()
    }
}

impl Observer for Lookout<'_> {
    fn advanced(&mut self, _now: &Now<'_>) -> ControlFlow<Stop> {
        self.look()
    }

    fn pass_ended(
        &mut self,
        progress: &Progress,
        learner: &dyn AnyLearner,
        _failures: &[u32],
    ) -> rosenblatt::Result<ControlFlow<Stop>> {
        if self.pass_ended.is_none() {
            return Ok(ControlFlow::Continue(()));
        }
        Ok(self.ask(|py, lookout| {
            let stop = match &mut lookout.pass_ended {
                Some(ended) => ended(py, progress, learner)?,
                None => false,
            };
            py.check_signals().map(|()| stop)
        }))
    }
}

/// Does `work` without the interpreter, so that other threads of Python go on; the work watches its [`Lookout`] where it
/// can stop. What Ctrl-C or `pass_ended` raised meanwhile is raised again here.
pub(crate) fn cross<T: Send>(
    py: Python<'_>,
    pass_ended: Option<Box<PassEnded<'_>>>,
    work: impl FnOnce(&mut Lookout<'_>) -> rosenblatt::Result<T> + Send,
) -> PyResult<T> {
    let mut lookout = Lookout { pass_ended, looked: Instant::now(), raised: None };
    let done = py.detach(|| with_threads(|| limits::within(&allowed(None), || work(&mut lookout))));
    match lookout.raised {
        Some(raised) => Err(raised),
        None => done.map_err(exception),
    }
}

/// Does `work` that cannot watch a lookout, on a thread of its own, while this one listens for Ctrl-C. When it comes, the
/// flag that the work was given becomes true, and its answer does not matter any more.
pub(crate) fn cross_asking<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<AtomicBool>) -> rosenblatt::Result<T> + Send,
) -> PyResult<T> {
    let (asked, mut raised) = (Arc::new(AtomicBool::new(false)), None);
    let done = py.detach(|| {
        std::thread::scope(|scope| {
            let (ended, end) = channel::<()>();
            let worker = scope.spawn(|| {
                // Let go of when the work has ended, however it did.
                let _ended = ended;
                with_threads(|| limits::within(&allowed(Some(&asked)), || work(&asked)))
            });
            while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(PATIENCE) {
                if raised.is_none() {
                    raised = Python::attach(|py| py.check_signals()).err();
                    asked.store(raised.is_some(), Ordering::Relaxed);
                }
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    });
    match raised {
        Some(raised) => Err(raised),
        None => done.map_err(exception),
    }
}

/// Half of what is free may be taken, and the work ends when it is asked to.
fn allowed(asked: Option<&Arc<AtomicBool>>) -> Limits {
    /// The system is asked for its free memory so often: a call with one row takes less time than the answer.
    const EACH: Duration = Duration::from_secs(1);
    static FREE: Mutex<Option<(Instant, u64)>> = Mutex::new(None);
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    let half = match *free {
        Some((when, half)) if when.elapsed() < EACH => half,
        _ => free.insert((Instant::now(), limits::half_of_free_memory())).1,
    };
    let deadline = asked.map_or(Deadline::NEVER, |asked| Deadline::NEVER.or_when(asked.clone()));
    Limits { memory: limits::held().saturating_add(half), deadline }
}

/// A forked process has none of its parent's threads, and would wait for them forever: it gets its own.
fn with_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    static HOME: OnceLock<u32> = OnceLock::new();
    if *HOME.get_or_init(std::process::id) == std::process::id() {
        return work();
    }
    match rayon::ThreadPoolBuilder::new().build() {
        Ok(threads) => threads.install(work),
        Err(_) => work(),
    }
}

/// The exception that an error is in Python.
pub(crate) fn exception(error: Error) -> PyErr {
    let said = words::error(&error);
    match error.kind() {
        ErrorKind::Io => {
            let source = std::error::Error::source(&error).and_then(|e| e.downcast_ref::<std::io::Error>());
            match source.map(std::io::Error::kind) {
                Some(std::io::ErrorKind::NotFound) => PyFileNotFoundError::new_err(said),
                Some(std::io::ErrorKind::PermissionDenied) => PyPermissionError::new_err(said),
                _ => PyOSError::new_err(said),
            }
        }
        ErrorKind::Memory => PyMemoryError::new_err(said),
        ErrorKind::Time => PyTimeoutError::new_err(said),
        ErrorKind::Model => ModelError::new_err(said),
        ErrorKind::Settings => SettingsError::new_err(said),
        _ => DataError::new_err(said),
    }
}
