//! A bar on standard error, shown only on a terminal and only for work that lasts over a second.

use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work in progress; the bar vanishes when this is dropped.
pub struct Progress {
    bar: ProgressBar,
    over: Option<Sender<()>>,
    watcher: Option<JoinHandle<()>>,
}

/// Work that is over sooner gets no bar.
const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    /// Begins work of `steps` steps; 0 for work whose length is not known.
    pub fn begin(what: &str, steps: u64) -> Self {
        let bar = if steps == 0 { ProgressBar::no_length() } else { ProgressBar::new(steps) };
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let form = if steps == 0 { "{spinner} {msg} ({elapsed})" } else { "{msg} [{bar:30}] {pos}/{len} ({elapsed})" };
        bar.set_style(ProgressStyle::with_template(form).expect("the template is valid"));
        bar.set_message(what.to_owned());
        let (over, ended) = channel::<()>();
        let shown = bar.clone();
        let watcher = std::thread::spawn(move || {
            // Disconnection means that the work is over; only the time-out shows the bar.
            if ended.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(200));
            }
        });
        Self { bar, over: Some(over), watcher: Some(watcher) }
    }

    /// Tells how far the work is, and what it is at.
    pub fn at(&self, step: u64, what: &str) {
        self.bar.set_position(step);
        self.bar.set_message(what.to_owned());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.over.take());
        if let Some(watcher) = self.watcher.take() {
            // A watcher that panicked has only failed to show a bar.
            let _ = watcher.join();
        }
        self.bar.finish_and_clear();
    }
}
