//! All calls from Python into the library: they release the interpreter, check for Ctrl-C, and turn errors into exceptions.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
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

create_exception!(rosenblatt, DataError, PyValueError, "The data are invalid.");
create_exception!(rosenblatt, ModelError, PyValueError, "A model file is damaged, or does not fit the data.");
create_exception!(rosenblatt, SettingsError, PyValueError, "A parameter is unknown or out of range.");

/// The time between two checks for Ctrl-C.
const INTERVAL: Duration = Duration::from_millis(50);

/// The callback at the end of each pass; true stops the training.
pub(crate) type PassEnded<'a> = dyn FnMut(Python<'_>, &Progress, &dyn AnyLearner) -> PyResult<bool> + Send + 'a;

/// Checks for Ctrl-C while the library works, and calls the callback of each pass.
pub(crate) struct Watcher<'a> {
    pass_ended: Option<Box<PassEnded<'a>>>,
    checked: Instant,
    raised: Option<PyErr>,
    /// True after an exception: then the work that follows, such as the report, stops, too.
    asked: Arc<AtomicBool>,
}

impl<'a> Watcher<'a> {
    fn new(pass_ended: Option<Box<PassEnded<'a>>>) -> Self {
        let asked = Arc::new(AtomicBool::new(false));
        Watcher { pass_ended, checked: Instant::now(), raised: None, asked }
    }

    /// Breaks after Ctrl-C.
    pub(crate) fn check(&mut self) -> ControlFlow<Stop> {
        if self.checked.elapsed() < INTERVAL {
            return ControlFlow::Continue(());
        }
        self.call(|py, _| py.check_signals().map(|()| false))
    }

    fn call(&mut self, question: impl FnOnce(Python<'_>, &mut Self) -> PyResult<bool>) -> ControlFlow<Stop> {
        self.checked = Instant::now();
        match Python::attach(|py| question(py, self)) {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(Stop::Interrupted),
            Err(raised) => {
                self.raised = Some(raised);
                self.asked.store(true, Ordering::Relaxed);
                ControlFlow::Break(Stop::Interrupted)
            }
        }
    }
}

impl Observer<Perceptron<Chain>> for Watcher<'_> {
    fn advanced(&mut self, _now: &Now<'_, Perceptron<Chain>>) -> ControlFlow<Stop> {
        self.check()
    }
}

impl Observer for Watcher<'_> {
    fn advanced(&mut self, _now: &Now<'_>) -> ControlFlow<Stop> {
        self.check()
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
        Ok(self.call(|py, watcher| {
            let stop = match &mut watcher.pass_ended {
                Some(ended) => ended(py, progress, learner)?,
                None => false,
            };
            py.check_signals().map(|()| stop)
        }))
    }
}

/// Does `work` without the interpreter, so that other Python threads run; the work asks its [`Watcher`] where it can stop.
/// What Ctrl-C or `pass_ended` raised is raised again here.
pub(crate) fn cross<T: Send>(
    py: Python<'_>,
    pass_ended: Option<Box<PassEnded<'_>>>,
    work: impl FnOnce(&mut Watcher<'_>) -> rosenblatt::Result<T> + Send,
) -> PyResult<T> {
    let mut watcher = Watcher::new(pass_ended);
    let limits = allowed(&watcher.asked);
    let done = py.detach(|| with_threads(|| limits::within(&limits, || work(&mut watcher))));
    match watcher.raised {
        Some(raised) => Err(raised),
        None => done.map_err(exception),
    }
}

/// Does `work` that cannot ask a watcher on another thread, while this one checks for Ctrl-C. On Ctrl-C the flag passed to
/// the work becomes true, and its result is ignored.
pub(crate) fn cross_asking<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<AtomicBool>) -> rosenblatt::Result<T> + Send,
) -> PyResult<T> {
    let (asked, mut raised) = (Arc::new(AtomicBool::new(false)), None);
    let done = py.detach(|| {
        std::thread::scope(|scope| {
            let (ended, end) = channel::<()>();
            let worker = scope.spawn(|| {
                // Dropped when the work ends, also by a panic.
                let _ended = ended;
                with_threads(|| limits::within(&allowed(&asked), || work(&asked)))
            });
            while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(INTERVAL) {
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

/// Does a training, which may take long between two questions to its [`Watcher`]. Without a callback it is done on another
/// thread, while this one checks for Ctrl-C; callbacks are called on this one, where the user's code may expect to be.
pub(crate) fn cross_training<T: Send>(
    py: Python<'_>,
    pass_ended: Option<Box<PassEnded<'_>>>,
    work: impl FnOnce(&mut Watcher<'_>) -> rosenblatt::Result<T> + Send,
) -> PyResult<T> {
    match pass_ended {
        Some(_) => cross(py, pass_ended, work),
        None => cross_asking(py, |_| work(&mut Watcher::new(None))),
    }
}

/// The limits of a call: half of the free memory, and the request to stop.
fn allowed(asked: &Arc<AtomicBool>) -> Limits {
    /// The time between two queries of the free memory: a call with one row is faster than a query.
    const EACH: Duration = Duration::from_secs(1);
    static FREE: Mutex<Option<(Instant, u64)>> = Mutex::new(None);
    let half = match FREE.try_lock() {
        Ok(mut free) => match *free {
            Some((when, half)) if when.elapsed() < EACH => half,
            _ => free.insert((Instant::now(), limits::half_of_free_memory())).1,
        },
        // Another thread queries; in a forked process perhaps one of the parent, which never ends.
        Err(_) => limits::half_of_free_memory(),
    };
    Limits { memory: limits::held().saturating_add(half), deadline: Deadline::NEVER.or_when(asked.clone()) }
}

/// A forked process has none of its parent's threads and would wait for them forever: it gets its own pool, which it keeps.
fn with_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    static HOME: OnceLock<u32> = OnceLock::new();
    if *HOME.get_or_init(std::process::id) == std::process::id() {
        return work();
    }
    match own_threads() {
        Some(threads) => threads.install(work),
        None => work(),
    }
}

/// The pool of this forked process.
fn own_threads() -> Option<Arc<rayon::ThreadPool>> {
    static OWN: Mutex<Option<(u32, Arc<rayon::ThreadPool>)>> = Mutex::new(None);
    let build = || rayon::ThreadPoolBuilder::new().build().ok().map(Arc::new);
    let Ok(mut own) = OWN.try_lock() else {
        // Another thread builds it; in a process forked from a forked one perhaps a thread that is not here.
        return build();
    };
    let here = std::process::id();
    if let Some((home, threads)) = &*own
        && *home == here
    {
        return Some(Arc::clone(threads));
    }
    // The threads of a pool from before the fork are not here: dropping it would signal to them.
    std::mem::forget(own.take());
    let threads = build()?;
    *own = Some((here, Arc::clone(&threads)));
    Some(threads)
}

/// A lock that a forked process does not wait for if a thread of its parent holds it. Only to be taken without the
/// interpreter: its holder may need the interpreter, to check for Ctrl-C.
pub(crate) struct Guarded<T> {
    inner: Mutex<T>,
    /// The process of the holder.
    holder: AtomicU32,
}

impl<T> Guarded<T> {
    pub(crate) fn new(value: T) -> Self {
        Guarded { inner: Mutex::new(value), holder: AtomicU32::new(0) }
    }

    /// The value. A panic leaves a state as after an error; a fork in the midst of a change leaves none.
    pub(crate) fn lock(&self) -> rosenblatt::Result<MutexGuard<'_, T>> {
        /// Between taking the lock and naming its holder a thread may be stopped for a moment.
        const PATIENCE: u32 = 200;
        let here = std::process::id();
        for _ in 0..PATIENCE {
            let guard = match self.inner.try_lock() {
                Ok(guard) => guard,
                Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
                Err(TryLockError::WouldBlock) if self.holder.load(Ordering::Acquire) == here => {
                    self.inner.lock().unwrap_or_else(PoisonError::into_inner)
                }
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(Duration::from_millis(1));
                    continue;
                }
            };
            self.holder.store(here, Ordering::Release);
            return Ok(guard);
        }
        Err(Error::settings(
            "this process was forked while another thread trained the estimator, so that its copy here is incomplete: fork \
             before or after, or send the estimator as a pickle",
        ))
    }
}

/// The Python exception of an error.
pub(crate) fn exception(error: Error) -> PyErr {
    let message = words::error(&error);
    match error.kind() {
        ErrorKind::Io => {
            let source = std::error::Error::source(&error).and_then(|e| e.downcast_ref::<std::io::Error>());
            match source.map(std::io::Error::kind) {
                Some(std::io::ErrorKind::NotFound) => PyFileNotFoundError::new_err(message),
                Some(std::io::ErrorKind::PermissionDenied) => PyPermissionError::new_err(message),
                _ => PyOSError::new_err(message),
            }
        }
        ErrorKind::Memory => PyMemoryError::new_err(message),
        ErrorKind::Time => PyTimeoutError::new_err(message),
        ErrorKind::Model => ModelError::new_err(message),
        ErrorKind::Settings => SettingsError::new_err(message),
        _ => DataError::new_err(message),
    }
}
