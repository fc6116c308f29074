//! Requests to stop: Ctrl-C, and what a service manager or `timeout` sends.

use palimpsest_api::{ErrorCode, NextStep, WireError};

/// Waits for requests to stop. A request without a waiter is not lost.
pub struct Stop {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
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
fn not_listening(error: &std::io::Error) -> WireError {
    let message = format!("the program cannot listen for signals: {error}");
    WireError::new(ErrorCode::Io, message, NextStep::TryLater)
}
