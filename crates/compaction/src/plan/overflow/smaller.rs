//! How a call is made smaller.

use crate::text::shorter::head;
use crate::vocabulary::call::PlannedCall;
use palimpsest_core::json::utf16_len;

/// How a call is made smaller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Smaller {
    /// Positions of the items that are left out of it.
    pub leave_out: Vec<usize>,
    /// UTF-16 units that no message of it may go beyond; `None` cuts none.
    pub max_chars: Option<u64>,
}

impl Smaller {
    /// Tells of an item by its position whether it is left out.
    fn leaves_out(&self) -> impl Fn(usize) -> bool {
        let end = self.leave_out.iter().max().map_or(0, |last| last + 1);
        let mut is_out = vec![false; end];
        for &item in &self.leave_out {
            is_out[item] = true;
        }
        move |item| is_out.get(item) == Some(&true)
    }

    /// Tokens that `call` has when it is made smaller.
    pub(crate) fn tokens(&self, call: &PlannedCall) -> u64 {
        match self.max_chars {
            // The size of shortened texts is known only when they are shortened.
            Some(_) => self.of(call).input_tokens,
            None => {
                let out = self.leaves_out();
                call.tokens_without(&out)
            }
        }
    }

    /// `call` made smaller.
    pub fn of(&self, call: &PlannedCall) -> PlannedCall {
        let call = if self.leave_out.is_empty() {
            call.clone()
        } else {
            let out = self.leaves_out();
            call.without(&out)
        };
        match self.max_chars {
            Some(most) => call.shortened(&|text| shortened(text, most)),
            None => call,
        }
    }
}

/// `text` with its middle cut out, so that it has at most `most` UTF-16 units with the mark that
/// says how many are missing; only its beginning where the mark would not fit. `None` when it is
/// no longer than that.
pub(crate) fn shortened(text: &str, most: u64) -> Option<String> {
    let length = utf16_len(text);
    if length <= most {
        return None;
    }
    let mark = format!("\n[... {length} characters shortened to {most} ...]\n");
    // More than 1, for a unit on both sides of the mark.
    let Some(room) = most.checked_sub(utf16_len(&mark)).filter(|room| *room > 1) else {
        return Some(head(text, most).0.to_owned());
    };
    let (start, _) = head(text, room.div_ceil(2));
    let mut rest = room / 2;
    let mut from = text.len();
    for (at, c) in text.char_indices().rev() {
        let width = c.len_utf16() as u64;
        if width > rest {
            break;
        }
        rest -= width;
        from = at;
    }
    Some(format!("{start}{mark}{}", &text[from..]))
}
