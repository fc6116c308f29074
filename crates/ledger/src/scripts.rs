//! Shell scripts: their commands one by one, with the texts and files they write.

use crate::{commands, words};
use std::ops::Range;

/// One command of a script.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Step {
    /// Where it stands in the script, without what joins it to others.
    pub range: Range<usize>,
    /// The text given to it in the script itself (`<<EOF`).
    pub document: Option<Range<usize>>,
    /// The file its output is written to.
    pub writes: Option<String>,
    /// True where it reads what the command before it prints.
    pub piped: bool,
}

impl Step {
    /// The text of the command.
    pub fn text<'a>(&self, script: &'a str) -> &'a str {
        script[self.range.clone()].trim()
    }
}

/// The commands of `script` in order: split at `&&`, `||`, `|`, `;`, `&` and line ends outside
/// quotes; comments are left out, and texts behind `<<` belong to their command.
pub fn steps(script: &str) -> Vec<Step> {
    let bytes = script.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or_default();
    let mut out = Vec::new();
    let mut step = Step::default();
    let mut awaited: Vec<String> = Vec::new();
    let mut quote = None;
    // Depth of `$(`, within which quotes begin again.
    let mut nested: Vec<Option<u8>> = Vec::new();
    let mut index = 0;
    while index < bytes.len() {
        let byte = bytes[index];
        let mut end = None;
        if byte == b'\n' && !awaited.is_empty() {
            let (body, next) = document(script, index + 1, &awaited.remove(0));
            step.document = Some(body);
            if quote.is_some() || !nested.is_empty() {
                index = next;
                continue;
            }
            end = Some((index, next));
        } else if byte == b'<' && quote != Some(b'\'') && at(index + 1) == b'<' {
            if at(index + 2) == b'<' {
                index += 3;
                continue;
            }
            let (name, next) = delimiter(script, index + 2);
            if let Some(name) = name {
                awaited.push(name);
            }
            index = next;
            continue;
        } else if quote == Some(b'\'') {
            quote = (byte != b'\'').then_some(b'\'');
        } else if byte == b'\\' {
            index += 1;
        } else if byte == b'$' && at(index + 1) == b'(' {
            nested.push(quote.take());
            index += 1;
        } else if byte == b')' && !nested.is_empty() && quote.is_none() {
            quote = nested.pop().flatten();
        } else if quote == Some(byte) {
            quote = None;
        } else if quote.is_none() && matches!(byte, b'"' | b'\'' | b'`') {
            quote = Some(byte);
        } else if quote.is_none() && nested.is_empty() {
            match byte {
                b'#' if index == 0 || bytes[index - 1].is_ascii_whitespace() => {
                    let line = script[index..]
                        .find('\n')
                        .map_or(bytes.len(), |n| index + n);
                    end = Some((index, line));
                }
                b'>' => {
                    let appends = at(index + 1) == b'>';
                    let target = script.get(index + 1 + usize::from(appends)..);
                    let target = target.unwrap_or_default().trim_start_matches(' ');
                    let word = target.split(|c: char| c.is_whitespace() || ";|&)".contains(c));
                    let word = word.into_iter().next().unwrap_or_default();
                    let word = word.trim_matches(['"', '\'']);
                    if !target.starts_with(['&', '(']) && !word.is_empty() && word != "/dev/null" {
                        step.writes = Some(word.to_owned());
                    }
                    index += usize::from(appends) + usize::from(at(index + 1) == b'&');
                }
                // `&>` and `>&` redirect.
                b'&' if at(index + 1) == b'>' || (index > 0 && bytes[index - 1] == b'>') => {}
                b'|' | b'&' | b';' | b'\n' => {
                    let double = matches!(byte, b'|' | b'&') && at(index + 1) == byte;
                    end = Some((index, index + 1 + usize::from(double)));
                }
                _ => {}
            }
        }
        if let Some((end, next)) = end {
            step.range.end = end.max(step.range.start);
            push(&mut out, script, std::mem::take(&mut step));
            step.range.start = next;
            step.piped = byte == b'|' && next == end + 1;
            index = next;
        } else {
            index += 1;
        }
    }
    step.range.end = bytes.len();
    push(&mut out, script, step);
    out
}

fn push(out: &mut Vec<Step>, script: &str, mut step: Step) {
    let Some(text) = script.get(step.range.clone()) else {
        return;
    };
    let start = step.range.start + (text.len() - text.trim_start().len());
    step.range = start..start + text.trim().len();
    if !step.range.is_empty() {
        out.push(step);
    }
}

/// The word behind `<<` and where it ends.
fn delimiter(script: &str, at: usize) -> (Option<String>, usize) {
    let rest = script.get(at..).unwrap_or_default();
    let word = rest.trim_start_matches(['-', ' ', '"', '\'', '\\']);
    let len = word
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(word.len());
    let quoted = usize::from(word[len..].starts_with(['"', '\'']));
    let next = at + (rest.len() - word.len()) + len + quoted;
    ((len > 0).then(|| word[..len].to_owned()), next)
}

/// The text from `at` to the line that is `name`, and where the script goes on.
fn document(script: &str, at: usize, name: &str) -> (Range<usize>, usize) {
    for line in words::lines(&script[at.min(script.len())..]) {
        let range = at + line.start..at + line.end;
        if script[range.clone()].trim() == name {
            return (at..range.start, range.end);
        }
    }
    (at.min(script.len())..script.len(), script.len())
}

/// True when every command of `script` only looks, so that its output is a listing of something
/// that is still there.
pub fn only_looks(script: &str) -> bool {
    steps(script)
        .iter()
        .all(|step| step.writes.is_none() && looks(step, script))
}

/// True when a command only looks.
pub fn looks(step: &Step, script: &str) -> bool {
    commands::stage_only_looks(step.text(script))
}

/// A command that did something, as a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// The command on one line, named by what it does: a commit by its subject, without the texts
    /// given to it and without redirections.
    pub name: String,
    /// Where it stands in the script.
    pub range: Range<usize>,
}

/// Commands that prepare others and say nothing by themselves.
fn prepares(words: &[&str]) -> bool {
    let second = words.get(1).copied().unwrap_or_default();
    match words.first().copied().unwrap_or_default() {
        "mkdir" | "mktemp" | "touch" | "chmod" | "kill" | "pkill" | "killall" | "clear" | "tee" => {
            true
        }
        "git" => second == "add",
        _ => false,
    }
}

/// What `script` did, command by command; what only looks, prepares, or writes a text into a file
/// is left out.
pub fn deeds(script: &str) -> Vec<Deed> {
    steps(script)
        .iter()
        .filter(|step| !looks(step, script))
        .filter_map(|step| {
            let words = commands::words_of(step.text(script));
            if prepares(&words) {
                return None;
            }
            Some(Deed {
                name: name(step, script, &words),
                range: step.range.clone(),
            })
        })
        .filter(|deed| deed.name.len() >= 2)
        .collect()
}

/// Commands that show what was run elsewhere.
#[rustfmt::skip]
const LOGS: &[&str] = &[
    "gh run view", "--log-failed", "glab ci trace", "docker logs", "docker compose logs", "docker-compose logs",
    "podman logs", "kubectl logs", "kubectl describe", "journalctl", "systemctl status", "pm2 logs", "heroku logs",
    "fly logs", "vercel logs", "supervisorctl tail",
];

/// True for a script that shows what was run elsewhere or before: the log of a run on a server, of a
/// service, the answer of a server on this machine, or a file that a run wrote. Failures in it are failures of what was run.
pub fn shows_log(script: &str) -> bool {
    let asks_own_server = ["curl ", "wget ", "http "]
        .iter()
        .any(|program| script.contains(program))
        && ["localhost", "127.0.0.1", "0.0.0.0", "[::1]"]
            .iter()
            .any(|host| script.contains(host));
    asks_own_server
        || LOGS.iter().any(|command| script.contains(command))
        || script
            .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | ')'))
            .any(is_log_file)
}

/// True for the name of a file that the output of a run is written to.
pub fn is_log_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ends = |ends: &[&str]| {
        ends.iter()
            .any(|end| name.ends_with(end) && name.len() > end.len())
    };
    let in_logs = path
        .split('/')
        .rev()
        .skip(1)
        .any(|folder| matches!(folder, "log" | "logs"));
    in_logs
        || ends(&[".log", ".out", ".err", ".output"])
        || matches!(name, "output.txt" | "nohup.out")
}

/// Programs that look at nothing themselves, or only at what the script made.
#[rustfmt::skip]
const SILENT: &[&str] = &[
    ":", ".", "[", "[[", "]", "alias", "case", "cd", "date", "done", "echo", "elif", "else", "esac",
    "exit", "export", "false", "fi", "for", "if", "local", "popd", "printf", "pushd", "pwd", "read",
    "return", "seq", "set", "shopt", "sleep", "source", "test", "then", "trap", "true", "type",
    "ulimit", "unset", "until", "wait", "which", "while", "}", ")",
];

/// What `script` looked at, command by command: those that begin a pipe and ask something of their
/// own (`git log`, `grep`, `gh pr view`); what only prepares or prints is left out.
pub fn asked(script: &str) -> Vec<Deed> {
    steps(script)
        .iter()
        .filter(|step| !step.piped && step.writes.is_none() && looks(step, script))
        .filter_map(|step| {
            let words = commands::words_of(step.text(script));
            let program = words.first()?;
            (!SILENT.contains(program) && words.len() > 1).then(|| Deed {
                name: name(step, script, &words),
                range: step.range.clone(),
            })
        })
        .collect()
}

/// Options behind which a quoted text is a program: two of them do two things.
const PROGRAMS: [&str; 7] = ["-c", "-e", "-E", "-r", "--eval", "--command", "--execute"];

/// The form under which two commands are the same: white space collapsed, numbers of six digits or
/// more masked, and long quoted texts left out (35 replies to 35 comments are one thing), except
/// programs.
pub fn key(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits >= 6 {
            out.push('#');
            rest = &rest[digits..];
            continue;
        }
        let len = c.len_utf8();
        if matches!(c, '"' | '\'')
            && let Some(end) = rest[len..].find(c)
            && end > 40
            && !out
                .split_whitespace()
                .next_back()
                .is_some_and(|word| PROGRAMS.contains(&word))
        {
            out.push(c);
            out.push(c);
            rest = &rest[len + end + len..];
            continue;
        }
        out.push(c);
        rest = &rest[len..];
    }
    commands::key(&out)
}

/// True where a key leaves something out: commands with one such key may do different things.
pub(crate) fn is_masked(key: &str) -> bool {
    ["#", "\"\"", "''"].iter().any(|mask| key.contains(mask))
}

/// The files that `script` writes by redirection.
/// The branches that a script names to git: what it switches to, merges, rebases on, pushes or pulls.
pub(crate) fn branches(script: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for step in steps(script) {
        let words = commands::words_of(step.text(script));
        let [program, verb, rest @ ..] = words.as_slice() else {
            continue;
        };
        if *program != "git" {
            continue;
        }
        let mut names = rest.iter().copied().filter(|word| !word.starts_with('-'));
        let name = match *verb {
            "checkout" | "switch" | "merge" | "rebase" => names.next(),
            "push" | "pull" | "fetch" => names.nth(1),
            _ => None,
        };
        // `checkout -- file` restores a file.
        let restores = rest.contains(&"--");
        out.extend(name.filter(|name| {
            !restores
                && name.len() >= 4
                && name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_/.".contains(&b))
                && !matches!(*name, "HEAD" | "main" | "master" | "origin" | "upstream")
                && !name.contains("..")
        }));
    }
    out
}

#[cfg(test)]
fn written(script: &str) -> Vec<String> {
    steps(script)
        .into_iter()
        .filter_map(|step| step.writes)
        .collect()
}

/// Longest name of a command, in bytes.
const MAX_NAME_BYTES: usize = 200;

fn name(step: &Step, script: &str, command: &[&str]) -> String {
    let text = step.text(script);
    let body = step.document.clone().and_then(|range| script.get(range));
    let first = |text: &str| {
        text.lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .map(str::to_owned)
    };
    if command.first() == Some(&"git") && command.get(1) == Some(&"commit") {
        let subject = body
            .and_then(first)
            .or_else(|| message(text).and_then(first));
        return match subject {
            Some(subject) => format!("git commit: {}", words::one_line(&subject, 120)),
            None if command.contains(&"--amend") => "git commit --amend".to_owned(),
            None => "git commit".to_owned(),
        };
    }
    let mut text = text;
    // Bodies of messages are not what a command does; its title is.
    for option in [" --body", " -F body", " -f body", "<<"] {
        if let Some(at) = text.find(option) {
            let kept = text[..at]
                .trim_end()
                .trim_end_matches(['-', '"', '(', '$', '\\'])
                .trim_end();
            if kept.len() >= 4 {
                text = kept;
            }
        }
    }
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Where git runs says less than what it does (`git -C DIR push`).
    if line.starts_with("git -") && command.len() > 1 {
        let shown = commands::words_of(text);
        line = shown.join(" ");
    }
    line = line.replace("\\ ", "");
    line = line.trim_matches(['(', ')', ' ']).to_owned();
    while let Some(rest) = [
        "2>&1",
        "2>/dev/null",
        "> /dev/null",
        ">/dev/null",
        "&>/dev/null",
        "1>&2",
    ]
    .iter()
    .find_map(|end| line.trim_end().strip_suffix(end))
    {
        line = rest.trim_end().to_owned();
    }
    words::one_line(&line, MAX_NAME_BYTES)
}

/// The message of a commit: what is quoted behind `-m`.
fn message(text: &str) -> Option<&str> {
    let at = [" -m ", " -am ", " --message ", " --message="]
        .iter()
        .find_map(|option| text.find(option).map(|at| at + option.len()))?;
    let rest = text[at..].trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = &rest[1..];
    Some(&inner[..inner.find(quote).unwrap_or(inner.len())]).filter(|text| !text.starts_with("$("))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_named_to_git() {
        let script = "git checkout -b me/rows-2 && git push -u origin me/rows-2 && git merge origin/dev; \
                      git checkout -- src/a.rs && git switch main";
        assert_eq!(branches(script), ["me/rows-2", "me/rows-2", "origin/dev"]);
    }

    fn names(script: &str) -> Vec<String> {
        deeds(script).into_iter().map(|deed| deed.name).collect()
    }

    #[test]
    fn chains_are_several_commands() {
        assert_eq!(
            names("cd app && npm run fmt && npm run lint 2>&1 | tail -5; git status"),
            ["npm run fmt", "npm run lint"]
        );
        assert_eq!(
            names("set -e\n# first\ncargo build\n\ncargo test -p a || exit 1"),
            ["cargo build", "cargo test -p a"]
        );
        assert_eq!(names("grep 'a && rm b' c | sort"), Vec::<String>::new());
        assert_eq!(
            names("(cd /srv && echo hi | agent --print 2>&1)"),
            ["agent --print"]
        );
    }

    #[test]
    fn a_document_is_named_by_what_it_does() {
        let commit = "git add -A && git commit -m \"$(cat <<'EOF'\nfix: read \"both\" halves\n\n- don't lose (any)\nEOF\n)\" && git push";
        assert_eq!(
            names(commit),
            ["git commit: fix: read \"both\" halves", "git push"]
        );
        assert_eq!(
            names("git commit -m 'feat: one' -m 'body'"),
            ["git commit: feat: one"]
        );
        let script = "cat > /tmp/a.py <<EOF\nimport os; rm()\nEOF\npython /tmp/a.py";
        assert_eq!(names(script), ["python /tmp/a.py"]);
        assert_eq!(written(script), ["/tmp/a.py"]);
        assert_eq!(
            names("gh pr create --title 'A b' --body \"$(cat <<'E'\nx && y\nE\n)\""),
            ["gh pr create --title 'A b'"]
        );
    }

    #[test]
    fn looking_is_kept_apart_from_acting() {
        for script in [
            "gh api repos/a/b/pulls/1/comments --jq '.[] | .id'",
            "tool --help | grep -i x",
            "golint version",
            "git fetch origin && git log --oneline HEAD..origin/main",
            "A=1 git -P diff main",
            "while read a; do echo $a; done",
        ] {
            assert!(only_looks(script), "for {script}");
        }
        for script in [
            "gh api repos/a/b/replies -f body=x",
            "git stash && make",
            "git diff main > x.patch",
            "A=1 make check",
            "git branch -D old",
        ] {
            assert!(!only_looks(script), "for {script}");
        }
    }

    #[test]
    fn what_a_script_asks_begins_a_pipe() {
        let script = "cd app && git log --oneline main | head -3; echo x; A=1 grep -rn row src | wc -l; make";
        let asked: Vec<_> = asked(script).into_iter().map(|deed| deed.name).collect();
        assert_eq!(asked, ["git log --oneline main", "A=1 grep -rn row src"]);
    }

    #[test]
    fn broken_scripts_end_somewhere() {
        for script in [
            "cat <<EOF",
            "a \"b",
            "$(",
            "<<",
            "a\\",
            "x <<'",
            "ü && 'ä",
            "a;;;b&|",
        ] {
            let _ = deeds(script);
        }
        assert_eq!(names("cat <<EOF\nrm x"), Vec::<String>::new());
    }

    #[test]
    fn programs_in_an_argument_are_commands_of_their_own() {
        let write = |file: &str| {
            format!("python3 -c \"open('long_{file}.txt','w').write('rows of a table')\"")
        };
        assert_ne!(key(&write("D")), key(&write("E")));
        assert!(!is_masked(&key(&write("D"))));
        for [one, other] in [
            [
                "psql app -c 'SELECT name FROM mills WHERE river = 1 AND open'",
                "psql app -c 'SELECT name FROM rivers WHERE mill = 1 AND full'",
            ],
            [
                "docker exec db bash -c 'cat /var/lib/mills/first.log | tail -n 20'",
                "docker exec db bash -c 'cat /var/lib/mills/second.log | tail -n 9'",
            ],
        ] {
            assert_ne!(key(one), key(other));
        }
    }

    #[test]
    fn long_texts_in_an_argument_are_left_out_of_a_key() {
        let reply = |text: &str| format!("gh api comments -f body='{text}'");
        let (one, other) = (
            reply("Thank you, this is mended with the last commit now."),
            reply("That is as it should be: the mill stands still here."),
        );
        assert_eq!(key(&one), key(&other));
        assert!(is_masked(&key(&one)) && !is_masked(&key("python3 -m unittest")));
    }
}
