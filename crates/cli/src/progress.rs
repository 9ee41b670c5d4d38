//! A bar on standard error, shown only on a terminal and only for work that lasts over a second.

use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work in progress; the bar vanishes when this is dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    over: Option<Sender<()>>,
    watcher: Option<JoinHandle<()>>,
}

/// Work that is over sooner gets no bar.
const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    /// Begins work whose length is not known yet.
    pub(crate) fn begin(what: &str) -> Self {
        let bar = ProgressBar::no_length();
        bar.set_draw_target(ProgressDrawTarget::hidden());
        bar.set_style(style("{spinner} {msg} ({elapsed})"));
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

    /// Tells how far the work is.
    pub(crate) fn at(&self, done: usize, of: usize) {
        if self.bar.length().is_none() {
            self.bar.set_style(style("{msg} [{bar:30}] {pos}/{len} ({elapsed})"));
            self.bar.set_length(of as u64);
        }
        self.bar.set_position(done as u64);
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is valid")
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
