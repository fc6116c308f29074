//! What parameters are called on a form. Their keys stay as they are in files and settings.

/// Labels in the terms of the field, by the last part of a parameter's name, where the words of the
/// key do not say it. A test holds that every key is one of a preset.
const LABELS: [(&str, &str); 86] = [
    ("above_context_tokens", "Minimum context"),
    ("above_in_messages", "Count messages only"),
    ("accept_empty", "Accept empty replies"),
    ("accept_tool_call", "Accept replies with tool calls"),
    ("accept_truncated", "Accept truncated replies"),
    ("append_files", "Append file lists"),
    ("assistant", "Label of assistant messages"),
    ("attachment", "Placeholder for attachments"),
    ("attempts", "Maximum attempts"),
    ("block_separator", "Separator of text blocks"),
    ("budget_parts", "Results per input limit"),
    ("budget_percent", "Share of the input limit"),
    ("budget_tokens", "Token budget"),
    ("call_timeout_seconds", "Request timeout"),
    ("capacity_tokens", "Input limit of the model"),
    ("carry_newest_tags", "Tags whose newest content is kept"),
    ("carry_tags", "Tags kept verbatim"),
    ("choose_messages", "Maximum messages kept"),
    ("clear_at_least_tokens", "Minimum saving"),
    ("clip_chars", "Maximum reply length"),
    ("clip_factor", "Share for truncated text"),
    ("command_max_chars", "Maximum command length"),
    ("count", "Messages kept"),
    ("count_factor", "Safety factor for estimates"),
    ("cut_attempts", "Attempts without the middle"),
    ("drain_tokens", "Kept tail"),
    ("drop_share", "Share dropped"),
    ("empty_becomes", "Text for an empty reply"),
    ("enough_saving", "Saving by repeated reads"),
    ("even_count", "Drop an even number"),
    ("fallback_messages", "Messages if none fits"),
    ("fields", "Fields of a JSON reply"),
    ("fill_tokens", "Minimum context"),
    ("final_output_tokens", "Output limit of the last call"),
    ("fitting_tokens", "Limit of kept messages"),
    ("halve_on_request", "Drop half when run manually"),
    ("head_chars", "Kept beginning"),
    ("history_limit_tokens", "History limit"),
    ("honour_edits", "Apply context edits"),
    ("keep_first_messages", "First messages kept"),
    ("keep_matching_results", "Newest matching results kept"),
    ("keep_newest", "Keep the newest images"),
    ("keep_recent_tokens", "Kept tail"),
    ("keep_results", "Newest results kept"),
    ("keep_share", "Share kept"),
    ("keep_thinking_turns", "Turns that keep reasoning"),
    ("keep_tool_uses", "Newest tool uses kept"),
    ("kept_percent", "Share kept at the ends"),
    ("last_replies", "Newest replies kept"),
    ("last_round", "Newest reply"),
    ("least_bytes", "Minimum result limit"),
    ("left_out", "Mark of dropped content"),
    ("manual", "Manual run"),
    ("manual_ratio", "Share for a manual run"),
    ("max_concurrent", "Concurrent calls"),
    ("max_depth", "Maximum further summaries"),
    ("max_input_factor", "Input limit factor"),
    ("max_input_tokens", "Input limit"),
    ("max_output_tokens", "Output limit"),
    ("max_reply_tokens", "Maximum reply"),
    ("max_span_tokens", "Limit of the summarized span"),
    ("max_tokens", "Token limit"),
    ("max_user_tokens", "User messages kept verbatim"),
    ("message_max_chars", "Maximum message length"),
    ("minimum_gain_tokens", "Minimum saving"),
    ("minimum_progress", "Minimum share dropped"),
    ("minimum_saving", "Minimum saving"),
    ("model_window_tokens", "Context window of the model"),
    ("more_than_tokens", "Minimum saving"),
    ("most_bytes", "Maximum result limit"),
    ("orphan_result", "Placeholder for a missing result"),
    ("overlap_tokens", "Overlap of segments"),
    ("oversize", "Files that are too large"),
    ("protect_tokens", "Protected newest results"),
    ("refuse_inflated", "Refuse a larger context"),
    ("refuse_json", "Refuse JSON replies"),
    ("replay_last_prompt", "Repeat the last prompt"),
    ("request", "Form of the request"),
    ("reserve_tokens", "Reserved tokens"),
    ("slice_output_tokens", "Output limit of a segment"),
    ("slice_tokens", "Segment size"),
    ("tail_chars", "Kept end"),
    ("thinking_max_chars", "Maximum reasoning length"),
    ("tool_call_max_chars", "Maximum length of call arguments"),
    ("tool_result_max_chars", "Maximum tool result length"),
    ("window_tokens", "Context window"),
];

/// The label of a parameter: `assemble.next.2.max_user_tokens` is `User messages kept verbatim,
/// part 3`.
pub fn param_label(name: &str) -> String {
    let parts = || name.split('.');
    let key = parts().next_back().unwrap_or(name);
    let known = LABELS.iter().find(|(known, _)| *known == key);
    let label = known.map_or_else(|| spoken(key), |(_, label)| (*label).to_owned());
    let step = parts()
        .filter_map(|part| part.parse::<usize>().ok())
        .next_back();
    match step {
        Some(step) => format!("{label}, part {}", step + 1),
        None => label,
    }
}

/// What the prompts of presets are called on a form, by their names. A test holds that every prompt
/// of a built-in preset has one.
const PROMPTS: [(&str, &str); 27] = [
    ("acknowledgement", "Acknowledgement"),
    ("branch", "Branch summary"),
    ("check", "Check of the summary"),
    ("check_reply", "Check as a reply"),
    ("continuation", "Continue after a summary"),
    ("continuation_in_tools", "Continue between tool calls"),
    ("default_questions", "Questions if none are written"),
    ("first", "First summary"),
    ("insights", "Insights"),
    ("joined", "Summary of a split turn"),
    ("left_out", "Mark of dropped content"),
    ("no_history", "Text for no history"),
    ("pair", "Exchange to rate"),
    ("question", "Request shown before the summary"),
    ("questions", "Questions"),
    ("quoted_heading", "Heading of earlier segments"),
    ("rate", "Rating of importance"),
    ("rate_system", "System prompt of the rating"),
    ("shown", "Summary in the next request"),
    ("slice", "Summary of a segment"),
    ("slice_heading", "Heading of a segment"),
    ("stitch", "Merge of the segments"),
    ("stitch_system", "System prompt of the merge"),
    ("stored", "Summary as it is stored"),
    ("system", "System prompt"),
    ("turn_prefix", "Beginning of a split turn"),
    ("update", "Update of a summary"),
];

/// The label of a prompt: of `first`, `First summary`.
pub fn prompt_label(name: &str) -> String {
    let known = PROMPTS.iter().find(|(known, _)| *known == name);
    known.map_or_else(|| spoken(name), |(_, label)| (*label).to_owned())
}

/// The words of a key: `max_file_tokens` as `Maximum file tokens`.
fn spoken(key: &str) -> String {
    let words = key.replace('_', " ");
    let words = match words.split_once(' ') {
        Some(("max" | "most", rest)) => format!("maximum {rest}"),
        Some(("min" | "least", rest)) => format!("minimum {rest}"),
        _ => words,
    };
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::preset::Preset;

    #[test]
    fn labels_name_the_thing_and_the_step() {
        assert_eq!(param_label("reserve_tokens"), "Reserved tokens");
        assert_eq!(
            param_label("assemble.next.2.max_user_tokens"),
            "User messages kept verbatim, part 3"
        );
        assert_eq!(param_label("max_file_tokens"), "Maximum file tokens");
        assert_eq!(param_label("decay"), "Decay");
    }

    #[test]
    fn every_prompt_has_a_label_of_its_own() {
        for preset in Preset::built_in() {
            for name in preset.prompts.keys() {
                let known = PROMPTS.iter().any(|(known, _)| known == name);
                assert!(known, "the prompt {name} of {} has no label", preset.name);
            }
        }
        let mut labels: Vec<&str> = PROMPTS.iter().map(|(_, label)| *label).collect();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(
            labels.len(),
            PROMPTS.len(),
            "two prompts are called the same"
        );
        assert!(PROMPTS.is_sorted(), "the table is in the order of its keys");
        assert_eq!(prompt_label("first"), "First summary");
        assert_eq!(prompt_label("of_mine"), "Of mine");
    }

    #[test]
    fn every_label_is_of_a_parameter() {
        let kinds = crate::engine::preset::stage_kinds();
        let of_kinds = kinds.iter().flat_map(|kind| &kind.params);
        let mut names: Vec<String> = of_kinds.map(|param| param.name.clone()).collect();
        for preset in Preset::built_in() {
            names.extend(preset.specs().into_iter().map(|param| param.name));
        }
        for (key, label) in LABELS {
            let is_known = names
                .iter()
                .any(|name| name == key || name.ends_with(&format!(".{key}")));
            assert!(is_known, "no parameter is called {key} ({label})");
        }
        assert!(LABELS.is_sorted(), "the table is in the order of its keys");
    }
}
