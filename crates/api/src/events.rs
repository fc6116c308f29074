//! Events as the wire has them, and how a host receives them.

use crate::wire::{Event, LabCellProgress};
use palimpsest_app::AppEvent;
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// The events of the program for one host, in order.
#[derive(Debug)]
pub struct Events(Receiver<Event>);

impl Events {
    pub(crate) fn of(receiver: Receiver<Event>) -> Events {
        Events(receiver)
    }

    /// The next event; `None` after the last one. A host that is too slow receives
    /// [`Event::Missed`] in place of the events that it lost.
    pub async fn next(&mut self) -> Option<Event> {
        match self.0.recv().await {
            Ok(event) => Some(event),
            // The channel continues with the oldest event it still has, so the host is told
            // instead of cut off.
            Err(RecvError::Lagged(events)) => Some(Event::Missed { events }),
            Err(RecvError::Closed) => None,
        }
    }
}

/// The event on the wire.
pub(crate) fn to_wire(event: AppEvent) -> Event {
    match event {
        AppEvent::IndexProgress { done, total, path } => Event::IndexProgress { done, total, path },
        AppEvent::ChainProgress {
            session,
            done,
            total,
        } => Event::ChainProgress {
            session,
            done,
            total,
        },
        AppEvent::SessionsChanged(sessions) => Event::SessionsChanged { sessions },
        AppEvent::SessionChanged {
            session,
            change,
            entries,
        } => Event::SessionChanged {
            session,
            change: change.into(),
            entries,
        },
        AppEvent::MarksChanged(session) => Event::MarksChanged { session },
        AppEvent::RunDelta {
            stream,
            call,
            purpose,
            text,
        } => Event::RunDelta {
            stream,
            call: u32::try_from(call).unwrap_or(u32::MAX),
            purpose: purpose.into(),
            text,
        },
        AppEvent::RunRetry {
            stream,
            attempt,
            of,
            wait_ms,
            reason,
        } => Event::RunRetry {
            stream,
            attempt,
            of,
            wait_ms,
            reason,
        },
        AppEvent::RunFinished {
            stream,
            run_id,
            status,
        } => Event::RunFinished {
            stream,
            run_id,
            status: status.into(),
        },
        AppEvent::LabProgress(own) => Event::LabProgress {
            lab_id: own.lab,
            cells: own.cells,
            ended: own.ended,
            running: own.running,
            cell: own.cell.map(|cell| LabCellProgress {
                row: cell.row,
                cut: cell.cut,
                repeat: cell.repeat,
                state: cell.state.into(),
            }),
        },
        AppEvent::Notice { level, text } => Event::Notice {
            level: level.into(),
            text,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::broadcast;

    #[tokio::test]
    async fn a_slow_host_receives_once_how_many_events_it_missed() {
        let (sender, receiver) = broadcast::channel(2);
        let mut events = Events::of(receiver);
        let progress = |done| Event::IndexProgress {
            done,
            total: 5,
            path: None,
        };
        for done in 1..=5 {
            sender.send(progress(done)).unwrap();
        }
        assert_eq!(events.next().await, Some(Event::Missed { events: 3 }));
        assert_eq!(events.next().await, Some(progress(4)));
        assert_eq!(events.next().await, Some(progress(5)));
        drop(sender);
        assert_eq!(events.next().await, None);
    }
}
