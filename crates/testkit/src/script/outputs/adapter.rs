//! Source files that are alike in every real service: one adapter for each provider.

use super::Wanted;
use std::fmt::Write as _;

/// The events of a kind of provider, each with the fields courier reads from it.
fn events(domain: &str) -> Option<&'static [(&'static str, &'static [&'static str])]> {
    Some(match domain {
        "payments" => &[
            (
                "charge.captured",
                &["charge_id", "amount", "currency", "captured_at"],
            ),
            (
                "charge.refunded",
                &["charge_id", "amount", "currency", "reason"],
            ),
            (
                "charge.disputed",
                &["charge_id", "dispute_id", "amount", "due_by"],
            ),
            (
                "payout.created",
                &["payout_id", "amount", "currency", "arrives_on"],
            ),
            ("payout.failed", &["payout_id", "failure_code"]),
            ("customer.updated", &["customer_id", "changed_fields"]),
            (
                "invoice.finalized",
                &["invoice_id", "amount", "currency", "due_by"],
            ),
            ("invoice.voided", &["invoice_id", "voided_at"]),
        ],
        "code" => &[
            ("push", &["repository", "reference", "head", "pusher"]),
            (
                "merge_request.opened",
                &["repository", "number", "author", "target"],
            ),
            (
                "merge_request.merged",
                &["repository", "number", "merged_by"],
            ),
            (
                "pipeline.finished",
                &["repository", "pipeline_id", "outcome", "duration_s"],
            ),
            ("tag.created", &["repository", "tag", "tagger"]),
            ("issue.labelled", &["repository", "number", "label"]),
        ],
        "shipping" => &[
            ("parcel.accepted", &["parcel_id", "depot", "weight_g"]),
            ("parcel.in_transit", &["parcel_id", "hub", "expected_on"]),
            (
                "parcel.delivered",
                &["parcel_id", "signed_by", "delivered_at"],
            ),
            ("parcel.returned", &["parcel_id", "reason"]),
            ("label.purchased", &["label_id", "amount", "currency"]),
            ("customs.held", &["parcel_id", "office", "document"]),
        ],
        "mail" => &[
            (
                "message.delivered",
                &["message_id", "mailbox", "delivered_at"],
            ),
            ("message.bounced", &["message_id", "mailbox", "bounce_code"]),
            ("message.opened", &["message_id", "opened_at"]),
            ("list.unsubscribed", &["list_id", "mailbox"]),
            ("domain.verified", &["domain", "verified_at"]),
        ],
        _ => return None,
    })
}

/// A Rust source file: `name=`, `header=` of the signature, `scheme=` hex or base64, `domain=`.
pub(super) fn adapter(wanted: &Wanted) -> Result<String, String> {
    let name = wanted.option("name").ok_or("an adapter needs a name")?;
    let header = wanted.option("header").unwrap_or("x-signature");
    let scheme = wanted.option("scheme").unwrap_or("hex");
    let domain = wanted.option("domain").unwrap_or("payments");
    let events = events(domain).ok_or_else(|| format!("there is no domain {domain}"))?;
    let camel = |text: &str| -> String {
        text.split(['.', '_', '-'])
            .map(|part| {
                let mut chars = part.chars();
                chars
                    .next()
                    .map(|c| c.to_ascii_uppercase())
                    .into_iter()
                    .chain(chars)
                    .collect::<String>()
            })
            .collect()
    };
    let provider = camel(name);
    let mut text = format!(
        "//! Webhooks from {name}.\n//!\n//! Signed with HMAC-SHA256 over `timestamp.body`; the {scheme} digest is in `{header}`.\n\n\
         use crate::amount::parse_amount;\nuse crate::event::{{Event, EventId, Occurred}};\nuse crate::provider::{{Adapter, AdapterError, Headers}};\n\
         use crate::signature::{{self, Digest}};\nuse serde::Deserialize;\n\n\
         /// Header that carries the digest.\nconst SIGNATURE_HEADER: &str = \"{header}\";\n\
         /// Older requests are refused, so that a recorded one cannot be sent again.\nconst TOLERANCE_SECS: i64 = 300;\n\n\
         #[derive(Debug, Default, Clone)]\npub struct {provider} {{\n    secret: Vec<u8>,\n}}\n\n\
         impl {provider} {{\n    pub fn new(secret: impl Into<Vec<u8>>) -> {provider} {{\n        {provider} {{ secret: secret.into() }}\n    }}\n}}\n\n\
         impl Adapter for {provider} {{\n    fn name(&self) -> &'static str {{\n        \"{name}\"\n    }}\n\n\
         \x20   fn verify(&self, headers: &Headers, body: &[u8], now: i64) -> Result<(), AdapterError> {{\n\
         \x20       let given = headers.get(SIGNATURE_HEADER).ok_or(AdapterError::Unsigned)?;\n\
         \x20       let sent_at = headers.timestamp().ok_or(AdapterError::NoTimestamp)?;\n\
         \x20       if (now - sent_at).abs() > TOLERANCE_SECS {{\n            return Err(AdapterError::TooOld {{ sent_at, now }});\n        }}\n\
         \x20       let expected = signature::hmac_sha256(&self.secret, sent_at, body);\n\
         \x20       let given = Digest::from_{scheme}(given).map_err(|_| AdapterError::BadDigest)?;\n\
         \x20       signature::equal_in_constant_time(&expected, &given).then_some(()).ok_or(AdapterError::Forged)\n    }}\n\n\
         \x20   fn parse(&self, body: &[u8]) -> Result<Event, AdapterError> {{\n\
         \x20       let envelope: Envelope = serde_json::from_slice(body).map_err(AdapterError::NotJson)?;\n\
         \x20       match envelope.kind.as_str() {{\n"
    );
    for (event, _) in events {
        let function = event.replace('.', "_");
        let _ = writeln!(
            text,
            "            \"{event}\" => self.{function}(envelope),"
        );
    }
    text.push_str("            other => Err(AdapterError::UnknownEvent(other.to_owned())),\n        }\n    }\n}\n\n");
    text.push_str("#[derive(Debug, Deserialize)]\nstruct Envelope {\n    id: String,\n    #[serde(rename = \"type\")]\n    kind: String,\n    created: i64,\n    data: serde_json::Value,\n}\n\n");
    for (event, fields) in events {
        let record = camel(event);
        let _ = writeln!(text, "#[derive(Debug, Deserialize)]\nstruct {record} {{");
        for field in *fields {
            let kind = match *field {
                "amount" => "String",
                "number" | "weight_g" | "duration_s" => "u64",
                "changed_fields" => "Vec<String>",
                _ => "String",
            };
            let _ = writeln!(text, "    {field}: {kind},");
        }
        text.push_str("}\n\n");
    }
    let _ = writeln!(text, "impl {provider} {{");
    for (event, fields) in events {
        let (function, record) = (event.replace('.', "_"), camel(event));
        let _ = writeln!(
            text,
            "    fn {function}(&self, envelope: Envelope) -> Result<Event, AdapterError> {{\n        let data: {record} =\n            serde_json::from_value(envelope.data).map_err(AdapterError::NotJson)?;\n        let mut event = Event::new(EventId::new(self.name(), &envelope.id), \"{event}\", Occurred(envelope.created));"
        );
        for field in *fields {
            let line = match *field {
                "amount" => "        event.set_amount(parse_amount(&data.amount).map_err(AdapterError::Amount)?);".to_owned(),
                "changed_fields" => "        event.set(\"changed_fields\", data.changed_fields.join(\",\"));".to_owned(),
                _ => format!("        event.set(\"{field}\", data.{field}.to_string());"),
            };
            let _ = writeln!(text, "{line}");
        }
        text.push_str("        Ok(event)\n    }\n\n");
    }
    text.push_str("}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    use crate::provider::testing::{body, signed};\n\n");
    for (event, fields) in events {
        let function = event.replace('.', "_");
        let _ = writeln!(
            text,
            "    #[test]\n    fn parses_{function}() {{\n        let event = {provider}::new(\"s3cret\").parse(&body(\"{event}\", &{fields:?})).unwrap();\n        assert_eq!(event.kind(), \"{event}\");\n        assert_eq!(event.get(\"{}\"), Some(\"sample\"));\n    }}\n",
            fields[0]
        );
    }
    let _ = writeln!(
        text,
        "    #[test]\n    fn refuses_a_forged_body() {{\n        let adapter = {provider}::new(\"s3cret\");\n        let (headers, _) = signed(\"s3cret\", SIGNATURE_HEADER, b\"{{}}\", 1_000);\n        assert!(matches!(adapter.verify(&headers, b\"{{ }}\", 1_000), Err(AdapterError::Forged)));\n    }}\n\n    #[test]\n    fn refuses_an_old_request() {{\n        let adapter = {provider}::new(\"s3cret\");\n        let (headers, body) = signed(\"s3cret\", SIGNATURE_HEADER, b\"{{}}\", 1_000);\n        assert!(matches!(adapter.verify(&headers, &body, 1_301), Err(AdapterError::TooOld {{ .. }})));\n    }}\n}}"
    );
    Ok(text)
}
