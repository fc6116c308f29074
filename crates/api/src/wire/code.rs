//! Code, terminal output and changes of files, with what a word or line is. Colours are the page's.

use super::TextRange;

wire! {
    /// What a word of code is.
    #[derive(Copy, Eq, Hash)]
    #[serde(rename_all = "snake_case")]
    pub enum CodeKind {
        /// A word of the language.
        Keyword,
        /// A string.
        String,
        /// A comment.
        Comment,
        /// A number.
        Number,
        /// A type.
        Type,
        /// A function where it is called or declared.
        Function,
    }
}

wire! {
    /// A run of code of one kind.
    #[derive(Copy)]
    pub struct CodeSpan {
        /// Where it begins.
        pub start: u64,
        /// Where it ends.
        pub end: u64,
        /// What it is.
        pub kind: CodeKind,
    }
}

wire! {
    /// A colour of a terminal.
    #[derive(Copy, Eq, Hash)]
    #[serde(rename_all = "snake_case")]
    pub enum AnsiColor {
        /// Black.
        Black,
        /// Red.
        Red,
        /// Green.
        Green,
        /// Yellow.
        Yellow,
        /// Blue.
        Blue,
        /// Magenta.
        Magenta,
        /// Cyan.
        Cyan,
        /// White.
        White,
    }
}

wire! {
    /// A run of text that a program printed in a style.
    #[derive(Copy)]
    pub struct StyleSpan {
        /// Where it begins.
        pub start: u64,
        /// Where it ends.
        pub end: u64,
        /// Bold.
        pub bold: bool,
        /// Fainter than other text.
        pub dim: bool,
        /// Italic.
        pub italic: bool,
        /// Underlined.
        pub underline: bool,
        /// Colour of the text.
        pub color: Option<AnsiColor>,
        /// Colour behind the text.
        pub background: Option<AnsiColor>,
    }
}

wire! {
    /// What a call does to a file.
    #[derive(Copy, Eq, Hash)]
    #[serde(rename_all = "snake_case")]
    pub enum FileChangeKind {
        /// Parts of it are replaced.
        Edited,
        /// It is written whole.
        Written,
        /// It is deleted.
        Deleted,
    }
}

wire! {
    /// The change of a file that a call asks for.
    pub struct FileDiff {
        /// The file, as the agent named it.
        pub path: String,
        /// What is done to it.
        pub change: FileChangeKind,
        /// Lines that are added, in all.
        pub added: u64,
        /// Lines that are removed, in all.
        pub removed: u64,
        /// The places that are changed, one after the other.
        pub hunks: Vec<DiffHunk>,
        /// True when only the first lines are given.
        pub cut: bool,
    }
}

wire! {
    /// One place of a file that is changed.
    pub struct DiffHunk {
        /// Its lines.
        pub lines: Vec<HunkLine>,
    }
}

wire! {
    /// What becomes of a line.
    #[derive(Copy, Eq, Hash)]
    #[serde(rename_all = "snake_case")]
    pub enum LineChange {
        /// It stays.
        Same,
        /// It is removed.
        Removed,
        /// It is added.
        Added,
    }
}

wire! {
    /// A line of a changed place.
    pub struct HunkLine {
        /// What becomes of it.
        pub change: LineChange,
        /// The line without its end.
        pub text: String,
        /// What its words are.
        pub spans: Vec<CodeSpan>,
        /// What the line in its place, or the one it replaces, does not have.
        pub changed: Vec<TextRange>,
    }
}
