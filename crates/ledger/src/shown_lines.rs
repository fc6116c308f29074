//! Lines that are shown and report nothing: listings, source code, diffs, sentences about errors.

/// `53→text`, `12: text`, `12-text`, `| cell | cell |`, `+ added`, `- removed`, `# heading`,
/// `1. item`, `{"key": ...}`: lines that are shown, and report nothing.
pub(crate) fn is_listing(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line[digits..].trim_start();
    let numbered = digits > 0 && rest.starts_with(['→', '|', '│', ':', '-', '.', ')', '+']);
    // Every line of every output is asked, and most begin with a letter.
    let may_mark = !line.starts_with(|c: char| c.is_alphanumeric() && c != 'I');
    let marked = may_mark
        && [
            "+", "- ", "* ", "• ", "# ", "## ", "### ", "> ", "|", "{\"", "[{", "\"", "**", "=== ",
            "--- pass", "--- PASS", "[x]", "[ ]", "├", "└", "│", "●", "ID: ", "<",
        ]
        .iter()
        .any(|start| line.starts_with(start));
    let removed = line.starts_with('-') && !line.starts_with("--- FAIL");
    let columns = line.matches(" | ").count() >= 2 || line.matches('\t').count() >= 4;
    // `[main 1a2b3c4] fix: error text` is what git says of a commit.
    let committed = line.starts_with('[')
        && line.split(']').next().is_some_and(|head| {
            let hash = head.rsplit(' ').next().unwrap_or_default();
            hash.len() >= 7 && hash.bytes().all(|b| b.is_ascii_hexdigit())
        });
    // What Gemini CLI adds below the output of a command.
    let added = ["Process Group PGID: ", "Background PIDs: ", "Signal: "]
        .iter()
        .any(|begin| line.starts_with(begin));
    numbered || marked || removed || columns || committed || added || is_shell_prompt(line)
}

/// True for a line that begins with the prompt of a shell (`ada@host rows % make`, `ada@host:~/rows$ make`).
pub(crate) fn is_shell_prompt(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let Some((user, host)) = first.split_once('@') else {
        return false;
    };
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    let whole = host.contains(':') && host.ends_with(['$', '#', '%']);
    let parted = is_name(host) && words.take(3).any(|word| matches!(word, "%" | "$" | "#"));
    is_name(user) && (whole || parted)
}

/// A sentence that speaks of errors: many words, none of them in front of a colon early on.
pub(crate) fn is_essay(line: &str) -> bool {
    let words = line.split_whitespace().count();
    let announced = line.find(": ").is_some_and(|at| at <= 40);
    (words > 30 && !announced) || line.matches('`').count() >= 4
}

/// Source code, listings and diffs mention errors without having any.
pub(crate) fn looks_like_code(line: &str) -> bool {
    let line = line.trim();
    let body = line
        .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '-' | '|' | '→'))
        .trim_start();
    // A sentence goes on behind a comma, and Node prints the fields of an error behind a brace.
    let goes_on =
        body.ends_with(',') && body.split(' ').count() >= 6 && !body.contains(['(', '=', '"', '{']);
    let ends = !goes_on
        && !opens_fields(body)
        && ["{", ";", "}", "=> {", "(", ","]
            .iter()
            .any(|end| body.ends_with(end));
    let begins = [
        "//",
        "/*",
        "* ",
        "fn ",
        "pub ",
        "let ",
        "const ",
        "import ",
        "export ",
        "class ",
        "def ",
        "return ",
        "if ",
        "} ",
        "function ",
        "use ",
        "#[",
        "@@",
        "+ ",
        "- ",
        "catch",
        "throw ",
        "await ",
        "async ",
        "private ",
        "public ",
        "static ",
        "struct ",
        "enum ",
        "impl ",
        "match ",
        "raise ",
        "except ",
        "except:",
        "expect(",
        "= note:",
        "= help:",
        "func ",
        "var ",
        "elif ",
        "else:",
        "else {",
        "echo ",
        "assert ",
        "assert(",
        "assert_",
        "assert.",
        "t.",
        "console.",
        "log.",
        "print(",
        "println",
        "printf",
        "@",
        "self.",
        "this.",
        "case ",
        "interface ",
    ]
    .iter()
    .any(|start| body.starts_with(start));
    let assigns = body.contains(" := ")
        || body.contains("err != nil")
        || body.contains(" -> ")
        || body
            .split_once(" = ")
            .is_some_and(|(name, _)| name.split_whitespace().count() <= 2);
    // A signature: a name with its arguments, and an error among what it returns.
    let signature = body.contains('(')
        && (body.ends_with(" error") || body.ends_with("error)") || body.contains(", error)"));
    ends || begins
        || assigns
        || signature
        || body.contains(" => ")
        || body.contains("=> ") && body.contains('(')
}

/// `Error: text {`, `[Name: text] {`: an error that Node prints with its fields.
fn opens_fields(line: &str) -> bool {
    line.ends_with(" {")
        && line.split_once(": ").is_some_and(|(name, _)| {
            let name = name.strip_prefix('[').unwrap_or(name);
            name.bytes().all(|b| b.is_ascii_alphanumeric())
                && ["Error", "Exception", "Rejection"]
                    .iter()
                    .any(|end| name.ends_with(end))
        })
}

/// True for a line of a trace: `at main (a.js:3:5)`, `at a.b.C.d(C.java:3)`, `File "a.py", line 3, in f`.
pub(crate) fn is_frame(line: &str) -> bool {
    let called = line
        .strip_prefix("at ")
        .is_some_and(|rest| rest.contains('(') || rest.contains(':'));
    called
        || line.starts_with("File \"") && line.contains(", line ")
        // Where Terraform found it: `on main.tf line 4, in resource "a" "b":`.
        || line.starts_with("on ") && line.contains(" line ") && line.contains(", in ")
}

/// Words with which a line begins that says what to do now.
const ADVICE: [&str; 25] = [
    "to",
    "for",
    "see",
    "run",
    "try",
    "use",
    "ask",
    "add",
    "check",
    "please",
    "consider",
    "ensure",
    "fix",
    "re-run",
    "if",
    "hint:",
    "note:",
    "help:",
    "tip:",
    "did",
    "visit",
    "read",
    "usage:",
    "learn",
    "(background",
];

/// True for a line that says what to do now.
pub(crate) fn advises(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    ADVICE.iter().any(|word| word.eq_ignore_ascii_case(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_of_shells_are_known() {
        for (line, is) in [
            ("ada@host rows % make all", true),
            ("ada@host task#1 % git commit -m rows", true),
            ("ada@host:~/rows$ make", true),
            ("root@4f2a:/app# make", true),
            ("ada@example.org wrote that 5 % failed", false),
            ("error: no rows", false),
        ] {
            assert_eq!(is_shell_prompt(line), is, "for {line}");
        }
    }
}
