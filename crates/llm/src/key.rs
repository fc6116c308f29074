//! API keys: where they are looked for, and how they are kept out of sight.

use crate::provider::ProviderConfig;
use palimpsest_core::{Failure, NextStep};
use std::fmt;

/// Shortest key that is hidden, in characters; keys of providers have 20 and more.
const SHORTEST_SECRET: usize = 8;
/// What stands in place of a key.
const BLACK: &str = "[key]";

/// Service name of every key in the OS keyring; the account is the provider's name.
pub const KEYRING_SERVICE: &str = "palimpsest";

/// A provider's key. It is never printed: `Debug` shows a placeholder and there is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// A key from text, blanks around it cut off; `None` when nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        // Keys are pasted and piped with a line end, which a header must not have.
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The key itself, for a request header.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Whether this key has to be hidden. One of a few letters has not: local servers take any, and
    /// its letters stand in every text.
    pub(crate) fn is_secret(&self) -> bool {
        self.0.chars().count() >= SHORTEST_SECRET
    }

    /// A text in which this key is blacked out; providers like to quote it in their errors.
    pub(crate) fn redact(&self, text: &str) -> String {
        if !self.is_secret() {
            return text.to_owned();
        }
        text.replace(&self.0, BLACK)
    }

    /// Blacks this key out of a text with places in it, which move along; a place inside the key
    /// moves to its beginning.
    pub(crate) fn redact_with(&self, text: &mut String, places: &mut [usize]) {
        if !self.is_secret() || !text.contains(&self.0) {
            return;
        }
        for place in places {
            let before = text.match_indices(&self.0);
            let before = before.take_while(|&(at, _)| at < *place);
            *place = before.fold(*place, |moved, (at, key)| {
                let into = (*place - at).min(key.len());
                let stays = if into < key.len() { 0 } else { BLACK.len() };
                moved - into + stays
            });
        }
        *text = self.redact(text);
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey([hidden])")
    }
}

/// A place that keeps keys by provider name.
pub trait KeyStore: Send + Sync {
    /// The key of this provider, if there is one.
    fn get(&self, provider: &str) -> Result<Option<ApiKey>, KeyStoreError>;
    /// Keeps this key, replacing another.
    fn set(&self, provider: &str, key: &ApiKey) -> Result<(), KeyStoreError>;
    /// Forgets the key; none is as good as removed.
    fn remove(&self, provider: &str) -> Result<(), KeyStoreError>;
}

/// The OS keyring could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the system keyring cannot be used ({detail})")]
pub struct KeyStoreError {
    /// What the keyring said.
    pub detail: String,
}

impl Failure for KeyStoreError {
    fn next(&self) -> Option<NextStep> {
        Some(NextStep::UnlockKeyring)
    }
}

/// The keyring of the operating system: Secret Service, Keychain or Credential Manager.
///
/// Calls may block while the user is asked to unlock it: make them off the async threads.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsKeyring;

#[cfg(feature = "os-keyring")]
impl OsKeyring {
    /// Runs on a thread of its own: the D-Bus client starts a runtime, which panics inside one.
    fn with_entry<T: Send>(
        provider: &str,
        act: impl FnOnce(&keyring::v1::Entry) -> keyring::v1::Result<T> + Send,
    ) -> Result<T, keyring::v1::Error> {
        std::thread::scope(|scope| {
            let run = || keyring::v1::Entry::new(KEYRING_SERVICE, provider).and_then(|e| act(&e));
            scope
                .spawn(run)
                .join()
                .unwrap_or(Err(keyring::v1::Error::NoDefaultStore))
        })
    }
}

#[cfg(feature = "os-keyring")]
fn store_error(error: &keyring::v1::Error) -> KeyStoreError {
    // What the store's client says of its connection (D-Bus names and numbers) helps nobody: what
    // matters is whether there is a store, whether it is locked, and whether it takes the key.
    let detail = match error {
        keyring::v1::Error::NoDefaultStore | keyring::v1::Error::PlatformFailure(_) => {
            "no keyring service answers on this machine"
        }
        keyring::v1::Error::NoStorageAccess(_) => "it is locked or may not be read",
        keyring::v1::Error::TooLong(..) => "the key is longer than it stores",
        _ => "it does not store or find the key",
    };
    KeyStoreError {
        detail: detail.to_owned(),
    }
}

#[cfg(feature = "os-keyring")]
impl KeyStore for OsKeyring {
    fn get(&self, provider: &str) -> Result<Option<ApiKey>, KeyStoreError> {
        match Self::with_entry(provider, keyring::v1::Entry::get_password) {
            Ok(text) => Ok(ApiKey::new(&text)),
            Err(keyring::v1::Error::NoEntry) => Ok(None),
            Err(error) => Err(store_error(&error)),
        }
    }

    fn set(&self, provider: &str, key: &ApiKey) -> Result<(), KeyStoreError> {
        Self::with_entry(provider, |entry| entry.set_password(key.expose()))
            .map_err(|error| store_error(&error))
    }

    fn remove(&self, provider: &str) -> Result<(), KeyStoreError> {
        match Self::with_entry(provider, keyring::v1::Entry::delete_credential) {
            Ok(()) | Err(keyring::v1::Error::NoEntry) => Ok(()),
            Err(error) => Err(store_error(&error)),
        }
    }
}

#[cfg(not(feature = "os-keyring"))]
impl OsKeyring {
    fn absent<T>() -> Result<T, KeyStoreError> {
        Err(KeyStoreError {
            detail: "this build has no keyring support".to_owned(),
        })
    }
}

#[cfg(not(feature = "os-keyring"))]
impl KeyStore for OsKeyring {
    fn get(&self, _provider: &str) -> Result<Option<ApiKey>, KeyStoreError> {
        Self::absent()
    }

    fn set(&self, _provider: &str, _key: &ApiKey) -> Result<(), KeyStoreError> {
        Self::absent()
    }

    fn remove(&self, _provider: &str) -> Result<(), KeyStoreError> {
        Self::absent()
    }
}

/// The key of a provider: from its environment variable, else from the key store under its name.
///
/// `env` looks up a variable. A provider on this machine is not looked up in the store (but for
/// a program whose key is named), and a
/// provider without a key is not an error here: [`crate::client`] refuses it when it needs one.
/// Fails when the store is asked and cannot be used.
pub fn find_key(
    config: &ProviderConfig,
    env: &dyn Fn(&str) -> Option<String>,
    store: &dyn KeyStore,
) -> Result<Option<ApiKey>, KeyStoreError> {
    let from_env = config
        .key_env
        .as_deref()
        .and_then(env)
        .and_then(|text| ApiKey::new(&text));
    match from_env {
        Some(key) => Ok(Some(key)),
        // A program is on this machine too, but may want the key of a service elsewhere.
        // The system would ask to unlock the keyring for a server that needs no key.
        None if config.is_local() && !config.is_program_with_key() => Ok(None),
        None => store.get(&config.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::ProviderKind;

    /// A keyring with one entry, or a locked one.
    struct Ring(Option<(&'static str, &'static str)>);

    impl KeyStore for Ring {
        fn get(&self, provider: &str) -> Result<Option<ApiKey>, KeyStoreError> {
            let (name, key) = self.0.ok_or(KeyStoreError {
                detail: "locked".to_owned(),
            })?;
            Ok(if name == provider {
                ApiKey::new(key)
            } else {
                None
            })
        }
        fn set(&self, _: &str, _: &ApiKey) -> Result<(), KeyStoreError> {
            unreachable!("looking a key up stores nothing")
        }
        fn remove(&self, _: &str) -> Result<(), KeyStoreError> {
            unreachable!("looking a key up removes nothing")
        }
    }

    #[test]
    fn environment_first_then_keyring() {
        let config = ProviderConfig::preset("openrouter").unwrap();
        let ring = Ring(Some(("openrouter", "from-ring")));
        let env = |name: &str| (name == "OPENROUTER_API_KEY").then(|| " from-env\n".to_owned());
        assert_eq!(find_key(&config, &env, &ring), Ok(ApiKey::new("from-env")));
        assert_eq!(
            find_key(&config, &|_| None, &ring),
            Ok(ApiKey::new("from-ring"))
        );
        let blank = |_: &str| Some("  ".to_owned());
        assert_eq!(
            find_key(&config, &blank, &ring),
            Ok(ApiKey::new("from-ring"))
        );
        assert!(
            find_key(&config, &|_| None, &Ring(None)).is_err(),
            "a locked keyring is said so"
        );
    }

    #[test]
    fn a_local_provider_does_not_open_the_keyring() {
        let config = ProviderConfig::at("mine", ProviderKind::OpenAi, "localhost:8080");
        assert_eq!(find_key(&config, &|_| None, &Ring(None)), Ok(None));
    }

    #[test]
    fn a_key_is_never_shown() {
        let key = ApiKey::new("sk-secret").unwrap();
        assert!(!format!("{key:?}").contains("secret"));
        assert_eq!(key.redact("bad key sk-secret!"), "bad key [key]!");
        let mut text = "a sk-secret b sk-secret c".to_owned();
        let mut places = [0, 2, 5, 11, 12, 16, 25];
        key.redact_with(&mut text, &mut places);
        assert_eq!(text, "a [key] b [key] c");
        assert_eq!(places, [0, 2, 2, 7, 8, 10, 17]);
    }
}
