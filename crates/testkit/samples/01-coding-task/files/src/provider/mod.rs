//! One adapter for each provider: checks its signature, reads its events.

pub mod chatterbox;
pub mod gitforge;
pub mod ledgerly;
pub mod mailwell;
pub mod northpay;
pub mod parcelo;

use crate::amount::AmountError;
use crate::event::Event;

pub trait Adapter: Send + Sync {
    fn name(&self) -> &'static str;
    fn verify(&self, headers: &Headers, body: &[u8], now: i64) -> Result<(), AdapterError>;
    fn parse(&self, body: &[u8]) -> Result<Event, AdapterError>;
}

#[derive(Debug, thiserror::Error)]
pub enum AdapterError {
    #[error("no signature")]
    Unsigned,
    #[error("no timestamp")]
    NoTimestamp,
    #[error("signed at {sent_at}, too long before {now}")]
    TooOld { sent_at: i64, now: i64 },
    #[error("the digest cannot be read")]
    BadDigest,
    #[error("the signature does not fit the body")]
    Forged,
    #[error("not the JSON expected: {0}")]
    NotJson(serde_json::Error),
    #[error("unknown event '{0}'")]
    UnknownEvent(String),
    #[error(transparent)]
    Amount(AmountError),
}
