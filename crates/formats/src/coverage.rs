//! What each reader covers: the versions seen, the places, the records and the limits.
//! `docs/agents.md` and the list in `README.md` are made from these tables.

/// What the reader of one agent covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    /// Name for people.
    pub title: &'static str,
    /// The versions whose sessions were seen, oldest to newest.
    pub versions: &'static str,
    /// How a session is stored, as a sentence without its subject's name.
    pub storage: &'static str,
    /// The default folders where no variable is set; `~` is the home folder, and braces stand for
    /// each of the words in them.
    pub places: &'static [&'static str],
    /// The environment variables that name other folders.
    pub variables: &'static [&'static str],
    /// The records, by what they become.
    pub records: &'static [Records],
    /// What is missing in the sessions, or is not read.
    pub limits: &'static [&'static str],
    /// What the rules of its contexts were compared with.
    pub compared: &'static str,
}

/// Records that become the same kind of entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Records {
    /// Their names as the agent spells them.
    pub names: &'static [&'static str],
    /// What they are in the tree.
    pub as_what: &'static str,
}

impl Coverage {
    /// The default folders, braces resolved.
    pub fn folders(&self) -> Vec<String> {
        self.places.iter().flat_map(|place| each(place)).collect()
    }
}

/// Records of these names become `as_what`.
pub(crate) const fn records(as_what: &'static str, names: &'static [&'static str]) -> Records {
    Records { names, as_what }
}

/// The texts that a pattern with braces stands for, in order.
fn each(pattern: &str) -> Vec<String> {
    let Some((before, rest)) = pattern.split_once('{') else {
        return vec![pattern.to_owned()];
    };
    let (words, after) = rest.split_once('}').unwrap_or((rest, ""));
    let after = each(after);
    let words = words.split(',');
    words
        .flat_map(|word| after.iter().map(move |end| format!("{before}{word}{end}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn braces_stand_for_each_word() {
        assert_eq!(each("~/a"), ["~/a"]);
        assert_eq!(each("{a,b}/{c,d}"), ["a/c", "a/d", "b/c", "b/d"]);
    }
}
