//! Events as the wire has them.

use crate::wire::Event;
use palimpsest_app::AppEvent;

/// The event on the wire.
pub(crate) fn to_wire(event: AppEvent) -> Event {
    match event {
        AppEvent::IndexProgress { done, total, path } => Event::IndexProgress { done, total, path },
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
        AppEvent::Notice { level, text } => Event::Notice {
            level: level.into(),
            text,
        },
    }
}
