//! Vectors the scripted server gives for texts.

use serde_json::{Value, json};

/// Numbers of a scripted vector.
pub const EMBEDDING_DIMENSIONS: usize = 64;

/// The vector the server gives for a text: how often its words (runs of letters and digits, in
/// lower case) fall into each of [`EMBEDDING_DIMENSIONS`] places, by the FNV-1a hash of the word.
/// Texts that share words are near each other, and the same text has the same vector everywhere.
pub fn embedding_of(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; EMBEDDING_DIMENSIONS];
    let lower = text.to_lowercase();
    for word in lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
    {
        let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        vector[(hash % EMBEDDING_DIMENSIONS as u64) as usize] += 1.0;
    }
    vector
}

/// The answer to a request: one vector for each text of `input`, the last text first, since the
/// index and not the order says which is which.
pub(super) fn document(request: &Value) -> Value {
    let texts: Vec<&str> = match &request["input"] {
        Value::String(text) => vec![text],
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let data = texts.iter().enumerate().rev().map(|(index, text)| {
        json!({ "object": "embedding", "index": index, "embedding": embedding_of(text) })
    });
    let words: usize = texts
        .iter()
        .map(|text| text.split_whitespace().count())
        .sum();
    json!({
        "object": "list", "model": request["model"], "data": data.collect::<Vec<_>>(),
        "usage": { "prompt_tokens": words, "total_tokens": words },
    })
}
