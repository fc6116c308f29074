//! Text that streams, with the provider's key blacked out.

use crate::key::ApiKey;

/// Takes the key out of text that comes in pieces. The end of a piece that may be the beginning of
/// the key is held back until the next piece tells.
pub(crate) struct Blackout<'a> {
    key: Option<&'a ApiKey>,
    held: String,
}

impl<'a> Blackout<'a> {
    /// Hides `key`; without one, text passes as it is.
    pub(crate) fn of(key: Option<&'a ApiKey>) -> Blackout<'a> {
        let key = key.filter(|key| key.is_secret());
        Blackout {
            key,
            held: String::new(),
        }
    }

    /// What can be shown after this piece.
    pub(crate) fn take(&mut self, piece: &str) -> String {
        let Some(key) = self.key else {
            return piece.to_owned();
        };
        self.held.push_str(piece);
        let mut shown = key.redact(&self.held);
        let whole = key.expose();
        let longest = shown.len().saturating_sub(whole.len() - 1);
        let held = (longest..shown.len())
            .find(|&at| shown.is_char_boundary(at) && whole.starts_with(&shown[at..]));
        self.held = held.map_or_else(String::new, |at| shown.split_off(at));
        shown
    }

    /// What was held back, at the end of the text.
    pub(crate) fn rest(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn however_a_text_is_cut_the_key_is_never_shown(
            before in "[a-z\u{e9} ]{0,12}",
            after in "[a-z\u{e9} sk-]{0,12}",
            cuts in prop::collection::vec(any::<proptest::sample::Index>(), 0..6),
        ) {
            let key = ApiKey::new("sk-sk-secret").unwrap();
            let text = format!("{before}sk-sk-secret{after}sk-sk-sk-secret");
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len())).collect();
            places.retain(|&at| text.is_char_boundary(at));
            places.extend([0, text.len()]);
            places.sort_unstable();
            let mut blackout = Blackout::of(Some(&key));
            let mut shown = String::new();
            for pair in places.windows(2) {
                shown += &blackout.take(&text[pair[0]..pair[1]]);
                prop_assert!(!shown.contains("sk-sk-secret"), "{}", shown);
            }
            shown += &blackout.rest();
            prop_assert_eq!(shown, key.redact(&text));
        }
    }

    #[test]
    fn a_short_key_hides_nothing() {
        let key = ApiKey::new("none").unwrap();
        assert_eq!(Blackout::of(Some(&key)).take("none of it"), "none of it");
    }
}
