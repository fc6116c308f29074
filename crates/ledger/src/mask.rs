//! When two messages of failures are the same.

/// A message with what varies between two appearances masked: folders of paths are left out,
/// digits become `#`, hexadecimal addresses `0x#`, white space is collapsed, case is lowered. Of a
/// line of a log the time and the values of `key=value` are left out.
pub fn mask(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let logged = crate::pasted::starts_with_time(message);
    for word in message.split_whitespace() {
        if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        match word.split_once('=') {
            Some((key, _)) if logged => {
                out.push_str(key);
                out.push('=');
            }
            _ if logged && word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit()) => {
            }
            _ if word.contains("://") => mask_word(word, &mut out),
            _ => mask_word(word.rsplit('/').next().unwrap_or(word), &mut out),
        }
    }
    out
}

fn mask_word(word: &str, out: &mut String) {
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        let taken = if let Some(hex) = rest.strip_prefix("0x") {
            out.push_str("0x#");
            2 + hex.bytes().take_while(u8::is_ascii_hexdigit).count()
        } else if c.is_ascii_digit() {
            out.push('#');
            rest.bytes().take_while(u8::is_ascii_digit).count()
        } else {
            out.extend(c.to_lowercase());
            c.len_utf8()
        };
        rest = &rest[taken..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_messages_meet() {
        assert_eq!(
            mask("Panic at 0x7ffe12 line  12"),
            mask("panic at 0x1 line 99")
        );
        assert_eq!(
            mask("../app/src/a.ts(25,16): error TS2345: no"),
            mask("src/a.ts(7,1): error TS2345: no")
        );
        assert_eq!(
            mask("2026-10-14T08:40:00.898Z WARN relay: attempt failed tenant=a id=e_1"),
            mask("2026-10-14T08:41:11.000Z WARN relay: attempt failed tenant=b id=f_9")
        );
        assert_ne!(mask("error: no a"), mask("error: no b"));
    }
}
