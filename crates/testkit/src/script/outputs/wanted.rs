//! The arguments of a request for bulk text.

/// The arguments of one request.
pub(super) struct Wanted<'a> {
    pub(super) words: Vec<&'a str>,
}

impl<'a> Wanted<'a> {
    pub(super) fn option(&self, key: &str) -> Option<&'a str> {
        self.words
            .iter()
            .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    pub(super) fn number(&self, key: &str, default: u64) -> Result<u64, String> {
        match self.option(key) {
            None => Ok(default),
            Some(text) => text
                .parse()
                .map_err(|_| format!("{key}={text} is not a number")),
        }
    }

    pub(super) fn list(&self, key: &str) -> Vec<&'a str> {
        self.option(key)
            .map(|text| text.split(',').collect())
            .unwrap_or_default()
    }

    pub(super) fn plain(&self) -> impl Iterator<Item = &'a str> {
        self.words
            .iter()
            .copied()
            .filter(|word| !word.contains('='))
    }
}
