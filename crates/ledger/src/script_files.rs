//! The files that a shell script reads and changes, as far as its commands are known.

use crate::commands::words_of;
use crate::files::{is_file, patched, role_in};
use crate::scripts::{looks, steps};
use palimpsest_core::ledger::FileRole;

/// A file that a script reads, searches or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFile {
    /// The file as the script spells it.
    pub path: String,
    /// The folder that the script changed to before; `None` where it did not.
    pub folder: Option<String>,
    /// What it does with the file: read, searched or edited.
    pub role: FileRole,
}

/// Shells that run a script given to them.
const SHELLS: [&str; 4] = ["bash", "sh", "zsh", "dash"];

/// Programs whose first argument says what is looked for or how to change it.
const PATTERNED: [&str; 5] = ["sed", "grep", "egrep", "rg", "ag"];

/// Their options whose value is the next word.
const VALUED: [&str; 17] = [
    "-A",
    "-B",
    "-C",
    "-m",
    "-e",
    "-f",
    "-g",
    "-t",
    "--glob",
    "--type",
    "--include",
    "--exclude",
    "--exclude-dir",
    "--expression",
    "--regexp",
    "--file",
    "--max-count",
];

/// True for a long option that gives the pattern.
fn is_long_pattern(word: &str) -> bool {
    ["--regexp", "--expression", "--file"]
        .iter()
        .any(|option| word.starts_with(option))
}

/// The files of `script`: what `cat`, `sed`, `head` and the like print, what `grep` looks through, what
/// redirections, `tee`, `sed -i`, `rm`, `mv`, `cp` and patches change. Only arguments that are clearly
/// files count: no patterns, folders and options, and none of other programs.
pub fn of_script(script: &str) -> Vec<ScriptFile> {
    let script = inner(script);
    let mut out = Vec::new();
    let mut folder: Option<String> = None;
    let mut found = |path: String, folder: &Option<String>, role| {
        let file = ScriptFile {
            path,
            folder: folder.clone(),
            role,
        };
        if !out.contains(&file) {
            out.push(file);
        }
    };
    if script.contains("*** Begin Patch") {
        for (path, role) in patched(script) {
            found(path, &None, role);
        }
    }
    for step in steps(script) {
        if let Some(path) = step.writes.as_ref().filter(|path| is_file(path)) {
            found(path.clone(), &folder, FileRole::Edited);
        }
        let text = step.text(script);
        let text = &text[..text.find("<<").unwrap_or(text.len())];
        let Some(&program) = words_of(text).first() else {
            continue;
        };
        if program == "cd" {
            let to = operands(text, program).into_iter().next();
            folder = to.map(|to| joined(folder.as_deref(), &to));
            continue;
        }
        let role = match program {
            // Their arguments are folders and patterns.
            "find" | "fd" | "ls" | "tree" => None,
            _ => role_in(program, || looks(&step, script)),
        };
        let Some(role) = role else {
            continue;
        };
        let mut own = operands(text, program);
        // The first says what is looked for, unless an option does.
        let by_option = |word: &str| matches!(word, "-e" | "-f") || is_long_pattern(word);
        if PATTERNED.contains(&program)
            && !text.split_whitespace().any(by_option)
            && !own.is_empty()
        {
            own.remove(0);
        }
        let is_clear = |path: &String| is_file(path) && !path.contains(['|', ';', '"', '\'', '\n']);
        for path in own.into_iter().filter(is_clear) {
            found(path, &folder, role);
        }
    }
    out
}

/// The script that a shell is given: that of `bash -lc SCRIPT`.
fn inner(script: &str) -> &str {
    let mut words = script.trim_start().splitn(3, ' ');
    let (shell, option) = (words.next(), words.next());
    let name = shell.and_then(|shell| shell.rsplit('/').next());
    let runs = name.is_some_and(|name| SHELLS.contains(&name))
        && matches!(option, Some("-c" | "-lc" | "-ic"));
    let Some(rest) = words.next().filter(|_| runs) else {
        return script;
    };
    let rest = rest.trim();
    let quoted = ['\'', '"'].into_iter().find_map(|quote| {
        let inside = rest.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inside.contains(quote)).then_some(inside)
    });
    quoted.unwrap_or(rest)
}

/// A path as it is from a folder.
pub fn joined(folder: Option<&str>, path: &str) -> String {
    match folder {
        Some(folder) if !path.starts_with(['/', '~']) => {
            format!("{}/{path}", folder.trim_end_matches('/'))
        }
        _ => path.to_owned(),
    }
}

/// The arguments of a command without options, redirections and quotes.
fn operands(text: &str, program: &str) -> Vec<String> {
    let mut words = words_in(text).into_iter();
    let is_program = |word: &String| word.rsplit('/').next() == Some(program);
    if !words.by_ref().any(|word| is_program(&word)) {
        return Vec::new();
    }
    let mut out = Vec::new();
    let mut skips = false;
    let mut all = false;
    for word in words {
        if std::mem::take(&mut skips) {
            continue;
        }
        if let Some((_, target)) = word.split_once('>').filter(|(fd, _)| is_stream(fd)) {
            // What is written to is known from the step.
            skips = target.trim_start_matches('>').is_empty();
        } else if let Some(source) = word.strip_prefix('<') {
            // What stands behind it is read.
            if !source.is_empty() {
                out.push(source.to_owned());
            }
        } else if word == "--" {
            all = true;
        } else if !all && PATTERNED.contains(&program) && VALUED.contains(&&*word) {
            skips = true;
        } else if word.is_empty() {
            // `sed -i ''` of macOS names no ending for a copy.
        } else if all || !word.starts_with('-') {
            out.push(word.trim_end_matches(')').to_owned());
        }
    }
    out
}

/// True for what stands before `>`: nothing, a number, or `&`.
fn is_stream(text: &str) -> bool {
    text == "&" || text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The words of a command, without their quotes.
fn words_in(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut begun = false;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                begun = true;
            }
            (None | Some('"'), '\\') => word.extend(chars.next()),
            (None, _) if c.is_whitespace() => {
                if begun || !word.is_empty() {
                    out.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            _ => word.push(c),
        }
    }
    if begun || !word.is_empty() {
        out.push(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(script: &str) -> Vec<(String, FileRole)> {
        let all = of_script(script).into_iter();
        all.map(|file| (file.path, file.role)).collect()
    }

    #[test]
    fn files_are_read_searched_and_changed() {
        use FileRole::{Edited, Read, Searched};
        for (script, expected) in [
            ("cat tally.py", &[("tally.py", Read)][..]),
            ("sed -n '1,40p' src/a.rs | head -5", &[("src/a.rs", Read)]),
            (
                "head -n 20 a.md; tail -f log.txt",
                &[("a.md", Read), ("log.txt", Read)],
            ),
            ("sed -i 's/a.txt/b.txt/' src/c.rs", &[("src/c.rs", Edited)]),
            (
                "grep -rn 'config.json' src/b.rs src",
                &[("src/b.rs", Searched)],
            ),
            ("grep -e x.y src/b.rs", &[("src/b.rs", Searched)]),
            ("grep -A 3 x.y src/b.rs", &[("src/b.rs", Searched)]),
            (
                "sed -i '' 's|a.js|b.js|g' src/e.ts",
                &[("src/e.ts", Edited)],
            ),
            (
                "sed -i -e 's|a.js|b.js|' -e 's/c.js/d.js/' src/e.ts",
                &[("src/e.ts", Edited)],
            ),
            (
                "cat > out/a.py <<'EOF'\ncat b.py\nEOF\npython out/a.py",
                &[("out/a.py", Edited)],
            ),
            (
                "make 2>&1 | tee \"build log.txt\" > /dev/null",
                &[("build log.txt", Edited)],
            ),
            (
                "mv a.rs b.rs && rm -f c.rs",
                &[("a.rs", Edited), ("b.rs", Edited), ("c.rs", Edited)],
            ),
            ("bash -lc 'cat a.rs'", &[("a.rs", Read)]),
            ("bash -lc cat a.rs", &[("a.rs", Read)]),
            ("wc -l < notes.txt", &[("notes.txt", Searched)]),
            ("wc -l <notes.txt", &[("notes.txt", Searched)]),
            (
                "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/d.rs\n*** End Patch\nEOF",
                &[("src/d.rs", Edited)],
            ),
            (
                "ls src/a.rs; find . -name b.rs; python3 tally.py; git show HEAD:a.rs",
                &[],
            ),
            ("gh api repos/a/b/c.json; echo a.rs; cat src; cat *.rs", &[]),
        ] {
            let expected: Vec<(String, FileRole)> = expected
                .iter()
                .map(|(path, role)| ((*path).to_owned(), *role))
                .collect();
            assert_eq!(files(script), expected, "{script}");
        }
    }

    #[test]
    fn the_folder_that_a_script_changed_to_is_known() {
        let all = of_script("cd /srv/app && cd ui && cat a.ts && cat /etc/b.conf");
        let from: Vec<String> = all
            .iter()
            .map(|file| joined(file.folder.as_deref(), &file.path))
            .collect();
        assert_eq!(from, ["/srv/app/ui/a.ts", "/etc/b.conf"]);
    }

    #[test]
    fn broken_scripts_end_somewhere() {
        for script in [
            "cat 'a.rs",
            "cat \\",
            "cd",
            "grep",
            "sed >",
            "bash -lc",
            "ü >ä.rs <",
            "cat <",
        ] {
            of_script(script);
        }
    }
}
