//! What agents' own settings say about compaction: prompts of the user, and parameters.
//!
//! Everything here works on the text of a settings file; finding the files is the host's work.

use crate::workpiece::template::Template;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// A prompt or parameters found in an agent's settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The strategy that is the agent's.
    pub strategy: &'static str,
    /// Which setting it is, in the agent's own words.
    pub setting: String,
    /// What it holds.
    pub content: FoundContent,
}

/// What a setting holds.
#[derive(Debug, Clone, PartialEq)]
pub enum FoundContent {
    /// A prompt.
    Prompt {
        /// Where it belongs: one of the strategy's prompts, `instructions` (added to the request)
        /// or `request` (in its place).
        place: &'static str,
        /// The text, as a prompt's template.
        text: String,
    },
    /// A prompt in a file of its own.
    File {
        /// Where it belongs.
        place: &'static str,
        /// The file as named; relative to the folder of the settings.
        path: PathBuf,
    },
    /// Parameters of the strategy.
    Params(Map<String, Value>),
}

/// Codex: `compact_prompt` and `experimental_compact_prompt_file` in `config.toml`, and those of
/// its profiles (Codex CLI 0.169.0). The file counts where both are set, as it does for Codex.
///
/// Fails with a sentence when the text is no TOML.
pub fn codex(text: &str) -> Result<Vec<Found>, String> {
    let config: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let message = error.message();
        format!("it is not TOML: {message}")
    })?;
    let mut found = from_codex_table(&config, "");
    let profiles = config.get("profiles").and_then(toml::Value::as_table);
    for (name, profile) in profiles.into_iter().flatten() {
        if let Some(profile) = profile.as_table() {
            found.extend(from_codex_table(profile, &format!("profiles.{name}.")));
        }
    }
    Ok(found)
}

fn from_codex_table(table: &toml::Table, prefix: &str) -> Vec<Found> {
    let text = |name: &str| {
        let value = table.get(name).and_then(toml::Value::as_str);
        value.filter(|text| !text.trim().is_empty())
    };
    let one = |name: &str, content| Found {
        strategy: "codex",
        setting: format!("{prefix}{name}"),
        content,
    };
    let file = text("experimental_compact_prompt_file").map(|path| {
        let path = PathBuf::from(path);
        let place = "request";
        one(
            "experimental_compact_prompt_file",
            FoundContent::File { place, path },
        )
    });
    let inline = text("compact_prompt").map(|text| {
        let text = text.to_owned();
        let place = "request";
        one("compact_prompt", FoundContent::Prompt { place, text })
    });
    file.or(inline).into_iter().collect()
}

/// Claude Code: the section under a heading `Compact Instructions` of a `CLAUDE.md`, up to the
/// next heading of its level or a higher one (Claude Code 2.1).
pub fn claude_md(text: &str) -> Option<Found> {
    let mut level = None;
    let mut fenced = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        // A heading inside a code block is text.
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let heading = if fenced { None } else { heading(line) };
        match (level, heading) {
            // The first such heading counts; a second one of its level ends the section.
            (None, Some((own, title))) if title.eq_ignore_ascii_case("compact instructions") => {
                level = Some(own);
            }
            (Some(level), Some((own, _))) if own <= level => break,
            (Some(_), _) => lines.push(line),
            (None, _) => {}
        }
    }
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then(|| Found {
        strategy: "claude-code",
        setting: "Compact Instructions".to_owned(),
        content: FoundContent::Prompt {
            place: "instructions",
            text,
        },
    })
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|&byte| byte == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?;
    (1..=6)
        .contains(&level)
        // Markdown allows closing marks: `## Title ##`.
        .then(|| (level, title.trim().trim_end_matches('#').trim_end()))
}

/// pi: `compaction` in `settings.json` (pi 1.5). Numbers that pi would refuse are refused here.
///
/// Fails with a sentence when the text is no JSON or a number is none pi takes.
pub fn pi(text: &str) -> Result<Option<Found>, String> {
    let settings = json(text)?;
    let own = &settings["compaction"];
    let mut params = Map::new();
    for (name, param) in [
        ("keepRecentTokens", "keep_recent_tokens"),
        ("reserveTokens", "reserve_tokens"),
    ] {
        take_count(own, name, param, &mut params)?;
    }
    Ok(params_found("pi", "compaction", params))
}

/// OpenCode: `compaction` and the prompt of the agent `compaction` in `opencode.json`, comments
/// allowed (OpenCode 1.18.33). A prompt written `{file:PATH}` is in that file.
///
/// Fails with a sentence when the text is no JSON or a number is none.
pub fn opencode(text: &str) -> Result<Vec<Found>, String> {
    let config = json(text)?;
    let own = &config["compaction"];
    let mut params = Map::new();
    for (name, param) in [
        ("preserve_recent_tokens", "tail_tokens"),
        ("tail_turns", "tail_turns"),
        ("reserved", "reserve_tokens"),
    ] {
        take_count(own, name, param, &mut params)?;
    }
    let mut found: Vec<Found> = params_found("opencode", "compaction", params)
        .into_iter()
        .collect();
    let prompt = config["agent"]["compaction"]["prompt"].as_str();
    if let Some(prompt) = prompt.filter(|prompt| !prompt.trim().is_empty()) {
        // Only a prompt that is nothing but the mark names a file.
        let file = prompt.trim().strip_prefix("{file:");
        let place = "system";
        let content = match file.and_then(|rest| rest.strip_suffix('}')) {
            Some(path) => FoundContent::File {
                place,
                path: PathBuf::from(path),
            },
            None => FoundContent::Prompt {
                place,
                text: prompt.to_owned(),
            },
        };
        found.push(Found {
            strategy: "opencode",
            setting: "agent.compaction.prompt".to_owned(),
            content,
        });
    }
    Ok(found)
}

/// A text of the user as a template that says just this: braces that would be places are marked
/// as text by a space between them.
pub fn as_template(text: &str) -> String {
    match Template::parse(text) {
        Ok(_) => text.to_owned(),
        Err(_) => {
            let mut apart = String::with_capacity(text.len());
            for c in text.chars() {
                // Two braces must not touch, also where three or more follow each other.
                if c == '{' && apart.ends_with('{') {
                    apart.push(' ');
                }
                apart.push(c);
            }
            apart
        }
    }
}

/// The file that a setting names, seen from the folder of the settings file.
pub fn beside(settings: &Path, named: &Path, home: &Path) -> PathBuf {
    if let Ok(rest) = named.strip_prefix("~") {
        return home.join(rest);
    }
    settings.parent().unwrap_or(Path::new("")).join(named)
}

fn json(text: &str) -> Result<Value, String> {
    // OpenCode allows comments; plain JSON is read by the same parser.
    let options = jsonc_parser::ParseOptions::default();
    let parsed: Value = jsonc_parser::parse_to_serde_value(text, &options)
        .map_err(|error| format!("it is not JSON: {error}"))?;
    Ok(parsed)
}

fn take_count(
    own: &Value,
    name: &str,
    param: &str,
    params: &mut Map<String, Value>,
) -> Result<(), String> {
    match &own[name] {
        Value::Null => Ok(()),
        number => {
            let count = number.as_u64().ok_or_else(|| {
                format!("compaction.{name} is {number}, which is no whole number from 0 on")
            })?;
            params.insert(param.to_owned(), json!(count));
            Ok(())
        }
    }
}

fn params_found(
    strategy: &'static str,
    setting: &str,
    params: Map<String, Value>,
) -> Option<Found> {
    (!params.is_empty()).then(|| Found {
        strategy,
        setting: setting.to_owned(),
        content: FoundContent::Params(params),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(place: &'static str, text: &str) -> FoundContent {
        let text = text.to_owned();
        FoundContent::Prompt { place, text }
    }

    #[test]
    fn codex_has_a_prompt_or_a_file_also_in_profiles() {
        let config = "model = \"x\"\ncompact_prompt = \"\"\"Keep\nports.\"\"\"\n\
                      [profiles.work]\nexperimental_compact_prompt_file = \"p/compact.md\"\n\
                      compact_prompt = \"not this\"\n[profiles.other]\nmodel = \"y\"\n";
        let found = codex(config).unwrap();
        let said: Vec<_> = found
            .iter()
            .map(|own| (own.setting.as_str(), own.content.clone()))
            .collect();
        let file = FoundContent::File {
            place: "request",
            path: "p/compact.md".into(),
        };
        let expected = [
            ("compact_prompt", prompt("request", "Keep\nports.")),
            ("profiles.work.experimental_compact_prompt_file", file),
        ];
        assert_eq!(said, expected);
        assert!(codex("compact_prompt = ").unwrap_err().contains("TOML"));
        assert!(codex("compact_prompt = \"  \"").unwrap().is_empty());
    }

    #[test]
    fn compact_instructions_end_with_their_section() {
        let text = "# Project\n\n## compact instructions ##\n\nKeep paths.\n### Why\nThey get lost.\n\
                    ```\n# no heading\n```\n\n## Style\nShort.\n";
        let found = claude_md(text).unwrap();
        let expected = "Keep paths.\n### Why\nThey get lost.\n```\n# no heading\n```";
        assert_eq!(found.content, prompt("instructions", expected));
        for none in [
            "",
            "# Compact\nx",
            "## Compact Instructions\n\n## Next\nx",
            "#Compact Instructions\nx",
        ] {
            assert_eq!(claude_md(none), None, "{none}");
        }
    }

    #[test]
    fn settings_of_pi_and_opencode_become_parameters() {
        let found = pi(r#"{"compaction": {"enabled": true, "keepRecentTokens": 9000}}"#).unwrap();
        let params = json!({"keep_recent_tokens": 9000})
            .as_object()
            .unwrap()
            .clone();
        assert_eq!(found.unwrap().content, FoundContent::Params(params));
        assert_eq!(pi("{}").unwrap(), None);
        let refused = pi(r#"{"compaction": {"reserveTokens": -1}}"#).unwrap_err();
        assert!(refused.contains("reserveTokens is -1"), "{refused}");
        let text = r#"{
            // my own
            "compaction": {"tail_turns": 2, "reserved": 1000,},
            "agent": {"compaction": {"prompt": "{file:./compact.md}"}}
        }"#;
        let found = opencode(text).unwrap();
        let params = json!({"tail_turns": 2, "reserve_tokens": 1000});
        let params = params.as_object().unwrap().clone();
        assert_eq!(found[0].content, FoundContent::Params(params));
        let path = "./compact.md".into();
        let place = "system";
        assert_eq!(found[1].content, FoundContent::File { place, path });
        assert!(opencode("[").unwrap_err().contains("not JSON"));
    }

    #[test]
    fn a_users_text_is_a_template_of_itself() {
        assert_eq!(
            as_template("keep {{conversation}}"),
            "keep {{conversation}}"
        );
        assert_eq!(as_template("keep {{x}}"), "keep { {x}}");
        assert!(Template::parse(&as_template("{{{{ x")).is_ok());
        let home = Path::new("/home/u");
        let at = |named: &str| beside(Path::new("/c/config.toml"), Path::new(named), home);
        assert_eq!(at("p.md"), Path::new("/c/p.md"));
        assert_eq!(at("/p.md"), Path::new("/p.md"));
        assert_eq!(at("~/p.md"), Path::new("/home/u/p.md"));
    }
}
