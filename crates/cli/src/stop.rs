//! Requests to stop: Ctrl-C, a closed terminal, and what a service manager or `timeout` sends.

use palimpsest_api::{ErrorCode, NextStep, WireError};

/// Waits for requests to stop. A request without a waiter is not lost.
pub struct Stop {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    /// The terminal was closed; `None` where the program was started to go on then (`nohup`).
    #[cfg(unix)]
    hangup: Option<tokio::signal::unix::Signal>,
}

impl Stop {
    /// From here on the signals end the program no more by themselves. Fails where the system
    /// allows no handler.
    pub fn listen() -> Result<Stop, WireError> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let listen = |kind| signal(kind).map_err(|error| not_listening(&error));
            Ok(Stop {
                interrupt: listen(SignalKind::interrupt())?,
                terminate: listen(SignalKind::terminate())?,
                hangup: if ignores_hangup() {
                    None
                } else {
                    Some(listen(SignalKind::hangup())?)
                },
            })
        }
        #[cfg(not(unix))]
        Ok(Stop {})
    }

    /// Waits for the next one: the exit code by which shells know it, 128 and the signal's number.
    pub async fn asked(&mut self) -> i32 {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => 128 + 2,
            _ = self.terminate.recv() => 128 + 15,
            () = next(&mut self.hangup) => 128 + 1,
        }
        #[cfg(not(unix))]
        {
            // Without a handler the default action ends the process, which is also fine.
            let _ = tokio::signal::ctrl_c().await;
            128 + 2
        }
    }
}

#[cfg(unix)]
async fn next(signal: &mut Option<tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Whether the process was started with the hangup signal ignored. Only Linux tells; elsewhere a
/// closed terminal ends the program.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // SIGHUP is signal 1, the lowest bit.
    mask.is_some_and(|mask| mask & 1 == 1)
}

#[cfg(unix)]
fn not_listening(error: &std::io::Error) -> WireError {
    let message = format!("the program cannot listen for signals: {error}");
    WireError::new(ErrorCode::Io, message, NextStep::TryLater)
}
