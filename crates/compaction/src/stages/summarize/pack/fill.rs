//! Which files go into the packed text, and how much of them.

use crate::stages::summarize::pack::gather::{Kind, PackFile};
use crate::stages::summarize::pack::{Order, Oversize, Pack};

/// What marks a cut.
const TRUNCATED: &str = "…(truncated)";
/// Tokens that PR-Agent counts for the blank line before a list.
const LIST_BREAK: u64 = 2;

impl Pack {
    /// The text of `files`, which are in the order of their groups, when `before` tokens are used
    /// up already.
    pub(super) fn fill(&self, files: &[PackFile], before: u64) -> String {
        let whole: u64 = files.iter().map(|file| file.tokens).sum();
        let soft = self.max_tokens.saturating_sub(self.soft_buffer);
        let hard = self.max_tokens.saturating_sub(self.hard_buffer);
        if before + whole < soft {
            let texts = files.iter().filter(|file| !file.full.trim().is_empty());
            let texts: Vec<String> = texts.map(|file| titled(file, &file.full)).collect();
            let mut text = texts.join("\n\n");
            let mut total = before + self.count(&text);
            let unseen: Vec<&PackFile> = files
                .iter()
                .filter(|file| file.full.trim().is_empty())
                .collect();
            self.lists(&unseen, hard, &mut total, &mut text);
            return text;
        }
        let mut total = before;
        let mut texts: Vec<String> = Vec::new();
        let mut named: Vec<&PackFile> = Vec::new();
        for file in self.ordered(files) {
            let Some(patch) = file.small.as_deref().filter(|text| !text.trim().is_empty()) else {
                named.push(file);
                continue;
            };
            // PR-Agent does not even name these.
            if total > hard {
                continue;
            }
            let tokens = self.count(patch);
            let mut text = titled(file, patch);
            if total + tokens > soft {
                // Only a file too large by itself is cut; others are named, and smaller ones
                // behind them may fit.
                let is_oversized = before + tokens > soft;
                let room = soft.saturating_sub(total);
                let clipped = self.clip(patch, room, true);
                if !is_oversized || self.oversize == Oversize::Skip || clipped.is_empty() {
                    named.push(file);
                    continue;
                }
                text = titled(file, &clipped);
            }
            total += self.count(&text);
            texts.push(text);
        }
        let mut text = texts.join("\n\n");
        self.lists(&named, hard, &mut total, &mut text);
        text
    }

    /// The texts of `files` in as many chunks as there may be calls, and the names of those in
    /// none. Each chunk has what fits beside `before` tokens of prompts; a file that does not fit
    /// begins the next. What fits into one whole is not made smaller.
    pub(super) fn split(&self, files: &[PackFile], before: u64) -> (Vec<String>, String) {
        let soft = self.max_tokens.saturating_sub(self.soft_buffer);
        let whole: u64 = files.iter().map(|file| file.tokens).sum();
        let fits = before + whole < soft;
        let files = if fits {
            files.iter().collect()
        } else {
            self.ordered(files)
        };
        let (mut chunks, mut chunk) = (Vec::new(), Vec::new());
        let mut total = before;
        let mut named: Vec<&PackFile> = Vec::new();
        for file in files {
            let text = if fits {
                Some(file.full.as_str())
            } else {
                file.small.as_deref()
            };
            let patch = text.filter(|text| !text.trim().is_empty());
            let Some(mut patch) = patch.map(str::to_owned) else {
                named.push(file);
                continue;
            };
            if before + self.count(&patch) > soft {
                patch = match self.oversize {
                    Oversize::Clip => self.clip(&patch, soft.saturating_sub(before), true),
                    Oversize::Skip => String::new(),
                };
            }
            if !chunk.is_empty() && total + self.count(&patch) > soft {
                chunks.push(std::mem::take(&mut chunk));
                total = before;
            }
            if patch.is_empty() || chunks.len() as u64 >= self.max_calls {
                named.push(file);
                continue;
            }
            let text = titled(file, &patch);
            total += self.count(&text);
            chunk.push(text);
        }
        chunks.extend(Some(chunk).filter(|own| !own.is_empty()));
        let chunks = chunks.iter().map(|own| own.join("\n\n")).collect();
        // The names may take the tokens of the hard buffer, which texts leave free.
        let (mut total, mut names) = (0, String::new());
        self.lists(&named, self.hard_buffer, &mut total, &mut names);
        (chunks, names)
    }

    /// The files group by group, within each by the order asked for. Sizes are those of the whole
    /// texts.
    fn ordered<'a>(&self, files: &'a [PackFile]) -> Vec<&'a PackFile> {
        let mut files: Vec<&PackFile> = files.iter().collect();
        files.sort_by_cached_key(|file| {
            let within = match self.order_within {
                Order::TokensDesc => file.tokens,
                Order::Recent => file.touched_at as u64,
            };
            (file.group, std::cmp::Reverse(within))
        });
        files
    }

    /// Appends the names of files that have no text here.
    fn lists(&self, named: &[&PackFile], most: u64, total: &mut u64, text: &mut String) {
        for (kind, title) in [
            (Kind::Read, "Also read:"),
            (Kind::Modified, "Also modified:"),
            (Kind::Deleted, "Deleted:"),
        ] {
            let left = most.saturating_sub(*total);
            let paths = named.iter().filter(|file| file.kind == kind);
            let paths: Vec<&str> = paths.map(|file| file.path.as_str()).collect();
            if left <= self.list_slack || paths.is_empty() {
                continue;
            }
            let list = self.clip(&format!("{title}\n{}", paths.join("\n")), left, false);
            *total += self.count(&list) + LIST_BREAK;
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(&list);
        }
    }

    /// `text` cut to about `most` tokens, by the characters a token of it has; with its last line,
    /// which the cut parts, taken off when asked to.
    fn clip(&self, text: &str, most: u64, whole_lines: bool) -> String {
        let tokens = self.count(text);
        if tokens <= most {
            return text.to_owned();
        }
        let chars = text.chars().count();
        let per_token = chars as f64 / tokens as f64;
        let keep = (self.clip_factor * per_token * most as f64).max(0.0) as usize;
        if keep == 0 {
            return String::new();
        }
        let end = text
            .char_indices()
            .nth(keep)
            .map_or(text.len(), |(at, _)| at);
        let mut kept = &text[..end];
        if whole_lines {
            kept = kept.rsplit_once('\n').map_or(kept, |(lines, _)| lines);
        }
        format!("{kept}{TRUNCATED}")
    }
}

/// A file's text under its name.
fn titled(file: &PackFile, text: &str) -> String {
    format!("## File: '{}'\n\n{}", file.path, text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts a token for four characters, with room for `max` tokens.
    fn pack(max: u64) -> Pack {
        Pack {
            max_tokens: max,
            count_factor: 1.0,
            oversize: Oversize::Skip,
            ..Pack::default()
        }
    }

    /// A modified file in this group with a text of so many tokens; the header has six more.
    fn file(path: &str, group: usize, tokens: usize) -> PackFile {
        PackFile {
            path: path.into(),
            group,
            kind: Kind::Modified,
            full: "abcd".repeat(tokens),
            tokens: tokens as u64,
            small: Some("abcd".repeat(tokens)),
            touched_at: 0,
        }
    }

    fn packed(text: &str) -> Vec<&str> {
        let headers = text
            .lines()
            .filter_map(|line| line.strip_prefix("## File: '"));
        headers.map(|path| path.trim_end_matches('\'')).collect()
    }

    #[test]
    fn everything_goes_in_while_1500_tokens_are_left() {
        let files = [file("a", 0, 100), file("b", 1, 200)];
        let mut changed = files.clone();
        for own in &mut changed {
            own.small = Some("small".into());
        }
        // 300 + 1,500 < 1,801.
        assert!(!pack(1_801).fill(&changed, 0).contains("small"));
        assert!(pack(1_800).fill(&changed, 0).contains("small"));
        assert!(pack(1_801).fill(&changed, 1).contains("small"));
    }

    #[test]
    fn groups_come_first_and_the_largest_within() {
        let files = [
            file("small0", 0, 10),
            file("large0", 0, 20),
            file("huge1", 1, 90),
        ];
        let own = pack(1_600);
        let text = own.fill(&files, 0);
        assert_eq!(packed(&text), ["large0", "small0"]);
        assert!(text.ends_with("\n\nAlso modified:\nhuge1"));
        let mut recent = files.to_vec();
        recent[0].touched_at = 9;
        let by_time = Pack {
            order_within: Order::Recent,
            ..own
        };
        assert_eq!(packed(&by_time.fill(&recent, 0)), ["small0", "large0"]);
    }

    #[test]
    fn what_does_not_fit_is_named_and_smaller_files_still_go_in() {
        // Room for 500 up to the soft line: the second does not fit, the third does.
        let files = [file("a", 0, 300), file("b", 0, 250), file("c", 0, 150)];
        let text = pack(2_000).fill(&files, 0);
        assert_eq!(packed(&text), ["a", "c"]);
        assert!(text.ends_with("Also modified:\nb"));
    }

    #[test]
    fn beyond_the_hard_line_files_are_not_even_named() {
        // The header takes the first file over the hard line, which a text alone cannot.
        let long = "n".repeat(2_400);
        let files = [file(&long, 0, 500), file("b", 0, 100)];
        let text = pack(2_000).fill(&files, 0);
        assert_eq!(packed(&text), [long.as_str()]);
        assert!(!text.contains("Also"));
    }

    #[test]
    fn lists_need_more_than_ten_tokens_and_count_two_more() {
        let own = pack(2_000);
        let mut gone = file("gone.rs", 0, 0);
        gone.kind = Kind::Deleted;
        gone.small = None;
        let mut read = file("read.rs", 0, 0);
        read.kind = Kind::Read;
        read.small = None;
        let named = [&gone, &read];
        let lists = |total: u64| {
            let (mut sum, mut text) = (total, String::new());
            own.lists(&named, 1_000, &mut sum, &mut text);
            (sum - total, text)
        };
        let (tokens, text) = lists(0);
        assert_eq!(text, "Also read:\nread.rs\n\nDeleted:\ngone.rs");
        // 18 and 16 characters are five and four tokens, and two for each break.
        assert_eq!(tokens, 5 + 2 + 4 + 2);
        assert_eq!(lists(990), (0, String::new()));
        // Eleven are left: the first list goes in, and leaves four.
        assert_eq!(lists(989).1, "Also read:\nread.rs");
    }

    #[test]
    fn a_list_is_clipped_to_what_is_left() {
        let own = pack(2_000);
        let files: Vec<PackFile> = (0..30)
            .map(|at| file(&format!("src/f{at}.rs"), 0, 0))
            .collect();
        let named: Vec<&PackFile> = files.iter().collect();
        let (mut total, mut text) = (900, String::new());
        own.lists(&named, 920, &mut total, &mut text);
        // Nine tenths of 20 tokens of four characters each.
        assert_eq!(text.chars().count(), 71 + TRUNCATED.chars().count());
        assert!(text.starts_with("Also modified:\nsrc/f0.rs\n") && text.ends_with(TRUNCATED));
    }

    #[test]
    fn a_file_that_is_too_large_by_itself_is_clipped_or_skipped() {
        let files = [file("big", 0, 800), file("tiny", 0, 10)];
        let skipped = pack(2_000).fill(&files, 0);
        assert_eq!(packed(&skipped), ["tiny"]);
        assert!(skipped.ends_with("Also modified:\nbig"));
        let clipping = Pack {
            oversize: Oversize::Clip,
            ..pack(2_000)
        };
        let clipped = clipping.fill(&files, 0);
        assert_eq!(packed(&clipped), ["big", "tiny"]);
        // Nine tenths of the 500 tokens up to the soft line.
        assert!(clipped.contains(&format!("\n{}{TRUNCATED}", "abcd".repeat(450))));
        // One that would fit by itself is not clipped.
        let two = clipping.fill(&[file("a", 0, 300), file("b", 0, 250)], 0);
        assert_eq!(packed(&two), ["a"]);
    }

    fn headers(chunks: &[String]) -> Vec<Vec<&str>> {
        chunks.iter().map(|own| packed(own)).collect()
    }

    #[test]
    fn a_chunk_for_a_call_ends_before_the_file_that_crosses_the_soft_line() {
        // 500 tokens up to the soft line, of which the prompts take 100.
        let own = Pack {
            max_calls: 5,
            ..pack(2_000)
        };
        let files = [
            file("a", 0, 300),
            file("b", 0, 250),
            file("c", 0, 100),
            file("d", 1, 60),
        ];
        let (chunks, names) = own.split(&files, 100);
        // In their order: c fits beside b, and nothing goes back to the chunk of a.
        assert_eq!(headers(&chunks), [vec!["a"], vec!["b", "c"], vec!["d"]]);
        assert_eq!(names, "");
        // What fits into one chunk whole is not made smaller.
        let mut whole = file("w", 0, 10);
        whole.small = Some("small".into());
        assert!(!own.split(&[whole], 100).0[0].contains("small"));
    }

    #[test]
    fn no_more_than_five_calls_are_made_and_the_other_files_are_named() {
        let files: Vec<PackFile> = (0..7)
            .map(|at| file(&format!("f{at}"), 0, 450 - at))
            .collect();
        let own = Pack {
            max_calls: 5,
            ..pack(2_000)
        };
        let (chunks, names) = own.split(&files, 0);
        assert_eq!(
            headers(&chunks),
            [["f0"], ["f1"], ["f2"], ["f3"], ["f4"]].map(Vec::from)
        );
        assert_eq!(names, "Also modified:\nf5\nf6");
    }

    #[test]
    fn a_file_too_large_for_any_call_is_clipped_or_skipped() {
        let files = [file("big", 0, 800), file("tiny", 0, 10)];
        let skip = Pack {
            max_calls: 5,
            ..pack(2_000)
        };
        let (chunks, names) = skip.split(&files, 100);
        assert_eq!(headers(&chunks), [vec!["tiny"]]);
        assert_eq!(names, "Also modified:\nbig");
        let clip = Pack {
            oversize: Oversize::Clip,
            ..skip
        };
        let (chunks, names) = clip.split(&files, 100);
        assert_eq!(headers(&chunks), [vec!["big", "tiny"]]);
        // Nine tenths of the 400 tokens that the prompts leave.
        assert!(chunks[0].contains(&format!("\n{}{TRUNCATED}", "abcd".repeat(360))));
        assert_eq!(names, "");
    }

    #[test]
    fn a_cut_takes_the_last_line_with_it() {
        let own = pack(2_000);
        let text = "one\ntwo\nthree\nfour";
        // 18 characters in five tokens: three of them are 9 characters.
        assert_eq!(own.clip(text, 3, true), format!("one\ntwo{TRUNCATED}"));
        assert_eq!(own.clip(text, 3, false), format!("one\ntwo\nt{TRUNCATED}"));
        assert_eq!(own.clip(text, 5, true), text);
        assert_eq!(own.clip(text, 0, true), "");
    }
}
