//! The canvas's colours, taken from the page's style sheet.

use egui::Color32;
use palimpsest_core::layout::{NodeClass, PARTS, Part};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every colour the canvas uses.
#[derive(Debug, Clone, PartialEq)]
pub struct Palette {
    /// Behind everything.
    pub background: Color32,
    /// Inside of a node.
    pub surface: Color32,
    /// Inside of a node under the pointer.
    pub surface_hover: Color32,
    /// Outline of a node.
    pub border: Color32,
    /// First line of a node.
    pub text: Color32,
    /// Second line of a node, and nodes that are not in question.
    pub text_quiet: Color32,
    /// Lines between nodes.
    pub line: Color32,
    /// The path to the active leaf.
    pub line_active: Color32,
    /// Selection and the active leaf.
    pub accent: Color32,
    /// User messages.
    pub user: Color32,
    /// Messages by the model.
    pub assistant: Color32,
    /// Tool results.
    pub tool: Color32,
    /// Failures.
    pub error: Color32,
    /// Compactions.
    pub compaction: Color32,
    /// Branch summaries.
    pub branch_summary: Color32,
    /// Labels.
    pub label: Color32,
    /// System instructions.
    pub system: Color32,
    /// Extensions' entries.
    pub custom: Color32,
    /// In a plan: entries that are summarized away.
    pub summarized: Color32,
    /// In a plan: entries that are kept.
    pub kept: Color32,
    /// In a plan: entries that are left out.
    pub dropped: Color32,
    /// In a plan: entries that are made smaller.
    pub cleared: Color32,
    /// The parts of a context, indexed by [`Part`].
    pub parts: [Color32; PARTS],
}

/// Why a palette was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PaletteError {
    /// Not JSON, or not an object of strings.
    #[error("the palette is not a JSON object of colour strings: {0}")]
    Json(String),
    /// A value is in a notation we do not read.
    #[error(
        "the colour of '{name}' is '{value}', which is none of #rgb, #rrggbb, #rrggbbaa and \
         rgb(r, g, b)"
    )]
    Color {
        /// The key.
        name: String,
        /// What it holds.
        value: String,
    },
}

/// The form in which a palette comes from the page; unknown keys are ignored.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct PaletteJson {
    dark: bool,
    #[serde(flatten)]
    colors: BTreeMap<String, String>,
}

impl Palette {
    /// The colours for a light page.
    pub fn light() -> Palette {
        let c = Color32::from_rgb;
        Palette {
            background: c(0xfb, 0xfa, 0xf8),
            surface: c(0xff, 0xff, 0xff),
            surface_hover: c(0xf5, 0xf4, 0xf1),
            border: c(0xdd, 0xda, 0xd4),
            text: c(0x22, 0x21, 0x1f),
            text_quiet: c(0x75, 0x71, 0x6a),
            line: c(0xd3, 0xcf, 0xc8),
            line_active: c(0xa9, 0xa4, 0x9b),
            accent: c(0x2f, 0x62, 0xd0),
            user: c(0x2f, 0x62, 0xd0),
            assistant: c(0x6b, 0x67, 0x60),
            tool: c(0x8a, 0x85, 0x7c),
            error: c(0xc2, 0x3b, 0x32),
            compaction: c(0x9a, 0x62, 0x0b),
            branch_summary: c(0x7a, 0x4f, 0xb5),
            label: c(0x1c, 0x7f, 0x5c),
            system: c(0x8a, 0x85, 0x7c),
            custom: c(0x5f, 0x78, 0x8c),
            summarized: c(0xc9, 0x85, 0x1b),
            kept: c(0x2a, 0x8a, 0x66),
            dropped: c(0xb3, 0x31, 0x1f),
            cleared: c(0x7d, 0x5e, 0x48),
            parts: [
                c(0xcf, 0xcb, 0xc3),
                c(0xc4, 0x86, 0x2a),
                c(0x2c, 0x53, 0xa0),
                c(0x5d, 0x59, 0x53),
                c(0xb5, 0xb0, 0xa7),
                c(0x6a, 0xa0, 0xa8),
                c(0x3d, 0x70, 0x78),
                c(0xa7, 0x7b, 0xc9),
            ],
        }
    }

    /// The colours for a dark page.
    pub fn dark() -> Palette {
        let c = Color32::from_rgb;
        Palette {
            background: c(0x17, 0x17, 0x19),
            surface: c(0x21, 0x21, 0x24),
            surface_hover: c(0x2a, 0x2a, 0x2e),
            border: c(0x38, 0x38, 0x3d),
            text: c(0xe9, 0xe7, 0xe3),
            text_quiet: c(0x9b, 0x98, 0x92),
            line: c(0x3b, 0x3b, 0x40),
            line_active: c(0x6a, 0x69, 0x6a),
            accent: c(0x7d, 0xa5, 0xff),
            user: c(0x7d, 0xa5, 0xff),
            assistant: c(0xb4, 0xb0, 0xa9),
            tool: c(0x8b, 0x88, 0x82),
            error: c(0xf0, 0x7a, 0x70),
            compaction: c(0xdc, 0xa5, 0x4c),
            branch_summary: c(0xb9, 0x95, 0xec),
            label: c(0x5f, 0xc3, 0x9b),
            system: c(0x8b, 0x88, 0x82),
            custom: c(0x8d, 0xae, 0xc6),
            summarized: c(0xdc, 0xa5, 0x4c),
            kept: c(0x5f, 0xc3, 0x9b),
            dropped: c(0xf2, 0x8b, 0x78),
            cleared: c(0xc9, 0xa8, 0x90),
            parts: [
                c(0x55, 0x52, 0x4c),
                c(0xd0, 0x95, 0x3f),
                c(0x8f, 0xb0, 0xf2),
                c(0xb9, 0xb4, 0xaa),
                c(0x77, 0x73, 0x6b),
                c(0x58, 0x8d, 0x95),
                c(0x79, 0xb4, 0xbd),
                c(0xa9, 0x82, 0xc8),
            ],
        }
    }

    /// Reads `{"dark": bool, "<name>": "<css colour>", ...}`; names that are missing keep the
    /// light or dark default.
    pub fn from_json(text: &str) -> Result<Palette, PaletteError> {
        let json: PaletteJson =
            serde_json::from_str(text).map_err(|error| PaletteError::Json(error.to_string()))?;
        let mut palette = if json.dark {
            Palette::dark()
        } else {
            Palette::light()
        };
        for (name, value) in &json.colors {
            let Some(slot) = palette.slot(name) else {
                continue;
            };
            *slot = parse_color(value).ok_or_else(|| PaletteError::Color {
                name: name.clone(),
                value: value.clone(),
            })?;
        }
        Ok(palette)
    }

    /// The colour that stands for a class.
    pub fn class(&self, class: NodeClass) -> Color32 {
        match class {
            NodeClass::User => self.user,
            NodeClass::Assistant => self.assistant,
            NodeClass::Tool => self.tool,
            NodeClass::Error => self.error,
            NodeClass::Compaction => self.compaction,
            NodeClass::BranchSummary => self.branch_summary,
            NodeClass::Label => self.label,
            NodeClass::System => self.system,
            NodeClass::Custom => self.custom,
            NodeClass::Other => self.text_quiet,
        }
    }

    fn slot(&mut self, name: &str) -> Option<&mut Color32> {
        Some(match name {
            "background" => &mut self.background,
            "surface" => &mut self.surface,
            "surface_hover" => &mut self.surface_hover,
            "border" => &mut self.border,
            "text" => &mut self.text,
            "text_quiet" => &mut self.text_quiet,
            "line" => &mut self.line,
            "line_active" => &mut self.line_active,
            "accent" => &mut self.accent,
            "user" => &mut self.user,
            "assistant" => &mut self.assistant,
            "tool" => &mut self.tool,
            "error" => &mut self.error,
            "compaction" => &mut self.compaction,
            "branch_summary" => &mut self.branch_summary,
            "label" => &mut self.label,
            "system" => &mut self.system,
            "custom" => &mut self.custom,
            "summarized" => &mut self.summarized,
            "kept" => &mut self.kept,
            "dropped" => &mut self.dropped,
            "cleared" => &mut self.cleared,
            "part_fixed" => &mut self.parts[Part::Fixed as usize],
            "part_summaries" => &mut self.parts[Part::Summaries as usize],
            "part_user" => &mut self.parts[Part::User as usize],
            "part_assistant" => &mut self.parts[Part::Assistant as usize],
            "part_thinking" => &mut self.parts[Part::Thinking as usize],
            "part_calls" => &mut self.parts[Part::Calls as usize],
            "part_results" => &mut self.parts[Part::Results as usize],
            "part_other" => &mut self.parts[Part::Other as usize],
            _ => return None,
        })
    }
}

/// Reads the notations that style sheets and `getComputedStyle` give for plain sRGB colours.
fn parse_color(text: &str) -> Option<Color32> {
    let text = text.trim();
    if text.starts_with('#') {
        return Color32::from_hex(text).ok();
    }
    let inner = text
        .strip_prefix("rgba(")
        .or_else(|| text.strip_prefix("rgb("))?;
    let inner = inner.strip_suffix(')')?;
    let mut parts = inner.split([',', ' ', '/']).filter(|part| !part.is_empty());
    let mut channel = || {
        parts
            .next()?
            .parse::<f32>()
            .ok()
            .map(|v| v.round().clamp(0.0, 255.0) as u8)
    };
    let (red, green, blue) = (channel()?, channel()?, channel()?);
    let alpha = match parts.next() {
        None => 1.0,
        Some(part) => match part.strip_suffix('%') {
            Some(percent) => percent.parse::<f32>().ok()? / 100.0,
            None => part.parse::<f32>().ok()?,
        },
    };
    let alpha = (alpha.clamp(0.0, 1.0) * 255.0).round() as u8;
    Some(Color32::from_rgba_unmultiplied(red, green, blue, alpha))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn css_notations_are_read() {
        for text in [
            "#102030",
            "rgb(16, 32, 48)",
            "rgb(16 32 48)",
            "rgb(16 32 48 / 100%)",
        ] {
            assert_eq!(
                parse_color(text),
                Some(Color32::from_rgb(16, 32, 48)),
                "{text}"
            );
        }
        assert_eq!(parse_color("oklch(0.5 0.1 20)"), None);
    }

    #[test]
    fn missing_names_keep_the_default_and_bad_ones_are_named() {
        let palette = Palette::from_json(r##"{"dark":true,"accent":"#ff0000"}"##).unwrap();
        assert_eq!(palette.accent, Color32::from_rgb(255, 0, 0));
        assert_eq!(palette.surface, Palette::dark().surface);
        let error = Palette::from_json(r#"{"accent":"teal-ish"}"#).unwrap_err();
        assert!(error.to_string().contains("'accent'"), "{error}");
    }
}
