//! Images of an entry, read from its record when they are asked for.

use crate::error::{AppError, Result};
use crate::session::OpenSession;
use palimpsest_core::failure::{Input, NextStep};
use palimpsest_core::{Block, Bodies as _, EntryIx};
use serde_json::{Deserializer, Value};

/// Types that a page shows and that hold nothing but a picture.
const SHOWN: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// The longest image that is sent to a page, in characters of base64: 15 MB of a picture.
const MOST_BASE64: u64 = 20 << 20;

/// An image of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// MIME type, one of those that a page shows.
    pub mime: &'static str,
    /// The picture in base64.
    pub base64: String,
}

/// The image with this number among those of an entry, from 0.
///
/// # Errors
/// When there is no such image, when the session names only where it lies, when it is no picture or
/// too large.
pub fn image_of(open: &OpenSession, ix: EntryIx, number: usize) -> Result<Image> {
    let body = open.bodies.body(ix)?;
    let blocks = body.messages.iter().chain(&body.beside);
    let images = blocks.flat_map(|message| &message.blocks);
    let images: Vec<(&str, u64)> = images
        .filter_map(|block| match block {
            Block::Image { mime, base64_len } => Some((mime.as_str(), *base64_len)),
            _ => None,
        })
        .collect();
    let id = open.session.name_of(ix);
    let no = |message: String| {
        let what = Input::Entry;
        AppError::not_found(message, NextStep::Give { what })
    };
    let Some(&(mime, length)) = images.get(number) else {
        let count = images.len();
        return Err(no(format!(
            "the entry {id} has no image {}; it has {count}",
            number + 1
        )));
    };
    let Some(mime) = SHOWN.into_iter().find(|shown| *shown == mime) else {
        return Err(no(format!(
            "the image of the entry {id} has the type {mime}, which is not shown"
        )));
    };
    if length > MOST_BASE64 {
        return Err(no(format!(
            "the image of the entry {id} is too large to show"
        )));
    }
    // Images of equal length are matched by their order, which record and body share.
    let same = images[..number].iter().filter(|(_, own)| *own == length);
    let raw = open.bodies.raw(ix)?;
    let found = (length > 0)
        .then(|| nth_of_length(&raw, length, same.count()))
        .flatten();
    let Some(base64) = found else {
        return Err(no(format!(
            "the session does not hold the image of the entry {id}, only its name"
        )));
    };
    Ok(Image { mime, base64 })
}

/// The text in base64 of this length with the number `nth` in a record of one or more documents.
fn nth_of_length(raw: &[u8], length: u64, nth: usize) -> Option<String> {
    let mut left = nth;
    let documents = Deserializer::from_slice(raw).into_iter::<Value>();
    documents
        .map_while(std::result::Result::ok)
        .find_map(|document| walk(&document, length, &mut left))
}

/// Records nest as deep as serde allows, which is little.
fn walk(value: &Value, length: u64, left: &mut usize) -> Option<String> {
    match value {
        Value::String(text) => {
            // `data:image/png;base64,...`
            let data = match text.strip_prefix("data:") {
                Some(url) => url.split_once(',')?.1,
                None => text,
            };
            if data.len() as u64 != length || !is_picture(data) {
                return None;
            }
            if *left > 0 {
                *left -= 1;
                return None;
            }
            Some(data.to_owned())
        }
        Value::Array(items) => items.iter().find_map(|item| walk(item, length, left)),
        Value::Object(fields) => fields.values().find_map(|item| walk(item, length, left)),
        _ => None,
    }
}

/// True for base64 that begins as PNG, JPEG, GIF or WebP (RIFF) do.
fn is_picture(text: &str) -> bool {
    let alphabet = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
    let begins = ["iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR"];
    begins.iter().any(|sign| text.starts_with(sign)) && text.bytes().all(alphabet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_found_by_its_length_and_order() {
        let record = br#"{"id":"/9j/","content":[{"data":"R0lGODAA"},{"text":"R0lGOD a"},
            {"url":"data:image/gif;base64,R0lGODBB"},{"data":"/9j/CCCCCCCC"},{"text":"abcdefgh"}]}
            {"data":"R0lGODDD"}"#;
        let found = |length, nth| nth_of_length(record, length, nth);
        assert_eq!(found(12, 0).as_deref(), Some("/9j/CCCCCCCC"));
        assert_eq!(found(8, 0).as_deref(), Some("R0lGODAA"));
        assert_eq!(found(8, 1).as_deref(), Some("R0lGODBB"));
        assert_eq!(found(8, 2).as_deref(), Some("R0lGODDD"));
        assert_eq!(found(8, 3), None);
        assert_eq!(found(7, 0), None);
    }
}
