//! Ctrl-C and SIGTERM: the work is asked to stop, and what does not stop soon is ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The exit status of a program that was interrupted.
pub const STATUS: u8 = 130;

/// How long the work may take to notice.
const GRACE: Duration = Duration::from_millis(500);

static ASKED: AtomicBool = AtomicBool::new(false);
static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
static SAVES: AtomicBool = AtomicBool::new(false);

/// From now on a signal sets the flag that is returned; work that has not ended soon after it, and has nothing to save, is
/// ended. A second signal ends the program at once.
pub fn listen() -> anyhow::Result<Arc<AtomicBool>> {
    let asked = Arc::new(AtomicBool::new(false));
    let flag = FLAG.get_or_init(|| asked.clone()).clone();
    ctrlc::set_handler(move || {
        ASKED.store(true, Ordering::SeqCst);
        if flag.swap(true, Ordering::SeqCst) {
            end();
        }
        std::thread::spawn(|| {
            std::thread::sleep(GRACE);
            if !SAVES.load(Ordering::SeqCst) {
                end();
            }
        });
    })?;
    Ok(asked)
}

/// Whether a signal has come.
pub fn was_asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// From now on there is something to save when a signal comes, and saving may take its time.
pub fn wait_for_save() {
    SAVES.store(true, Ordering::SeqCst);
}

/// The flag that a signal sets; `listen` comes first.
#[cfg(feature = "serve")]
pub fn flag() -> Arc<AtomicBool> {
    FLAG.get().cloned().unwrap_or_default()
}

/// A signal is how a server is ended: it is not an interruption then.
#[cfg(feature = "serve")]
pub fn ended_in_order() {
    ASKED.store(false, Ordering::SeqCst);
}

fn end() -> ! {
    rosenblatt::io::remove_temporaries();
    std::process::exit(STATUS.into())
}
