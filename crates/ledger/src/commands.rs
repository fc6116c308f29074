//! Shell commands: the line that identifies a command, and what kind of command it is.

use serde_json::Value;
use std::ops::Range;

/// The identifying line of a command argument: a string, or an array of words as Codex stores it.
pub fn from_json(argument: &Value) -> Option<String> {
    match argument {
        Value::String(text) => first_line(text).map(str::to_owned),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            // `bash -lc SCRIPT` runs the script; the shell in front tells nothing.
            match words.as_slice() {
                [_, "-lc" | "-c", script] => first_line(script).map(str::to_owned),
                [] => None,
                words => Some(words.join(" ")),
            }
        }
        _ => None,
    }
}

/// The whole script of a command argument, in the forms of [`from_json`].
pub fn script_of(argument: &Value) -> Option<String> {
    match argument {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [_, "-lc" | "-c", script] => Some((*script).to_owned()),
                [] => None,
                words => Some(words.join(" ")),
            }
        }
        _ => None,
    }
}

/// The first line of `script` that does something: blank lines, comments and `set -e` are skipped;
/// a leading `cd DIR &&` is taken off, and behind the command what only trims its output (`2>&1`,
/// `| tail -20`, `|| true`), so that two runs of one command are the same.
pub fn first_line(script: &str) -> Option<&str> {
    let line = script
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("set -"))?;
    let rest = match (line.starts_with("cd "), line.split_once("&&")) {
        (true, Some((_, rest))) if !rest.trim().is_empty() => rest.trim(),
        _ => line,
    };
    Some(without_trimming(rest))
}

/// `line` without the stages and redirections at its end that only trim what is shown.
fn without_trimming(line: &str) -> &str {
    let stages = stages(line);
    let trims = |stage: &&Stage| match program(&line[stage.range.clone()]) {
        "head" | "tail" | "cat" | "less" | "more" => stage.joint == "|",
        "true" | "echo" => stage.joint == "||",
        _ => false,
    };
    let kept = stages.len() - stages[1..].iter().rev().take_while(trims).count();
    let mut line = line[..stages[kept - 1].range.end].trim_end();
    while let Some(rest) = ["2>&1", "2>/dev/null", "&"]
        .iter()
        .find_map(|end| line.strip_suffix(end))
    {
        line = rest.trim_end();
    }
    line
}

/// One command of a line.
#[derive(Debug, PartialEq, Eq)]
struct Stage<'a> {
    /// What stands before it: `|`, `||`, `&&`, `;`, `&`, or nothing.
    joint: &'a str,
    /// Where it stands.
    range: Range<usize>,
    /// True when it writes its output to a file.
    writes: bool,
}

/// The commands of a line; quoted text and escaped characters join nothing. At least one.
fn stages(line: &str) -> Vec<Stage<'_>> {
    let bytes = line.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or_default();
    let mut out = Vec::new();
    let (mut joint, mut start, mut writes) = ("", 0, false);
    let mut quote = None;
    let mut index = 0;
    while index < bytes.len() {
        let byte = bytes[index];
        match (quote, byte) {
            (None | Some(b'"'), b'\\') => index += 1,
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => {
                let target = line.get(index + 1..).unwrap_or_default();
                let target = target.trim_start_matches(['>', ' ']);
                writes |= !target.starts_with(['&', '(']) && !target.starts_with("/dev/null");
                index += usize::from(at(index + 1) == b'&');
            }
            (None, b'|' | b'&' | b';' | b'\n') => {
                let redirects = byte == b'&' && at(index + 1) == b'>';
                if !redirects {
                    let len = 1 + usize::from(byte != b';' && at(index + 1) == byte);
                    out.push(Stage {
                        joint,
                        range: start..index,
                        writes,
                    });
                    joint = &line[index..index + len];
                    start = index + len;
                    index = start - 1;
                    writes = false;
                }
            }
            _ => {}
        }
        index += 1;
    }
    out.push(Stage {
        joint,
        range: start..line.len(),
        writes,
    });
    out
}

/// The program of a stage, without its folder.
fn program(stage: &str) -> &str {
    let word = stage.split_whitespace().next().unwrap_or_default();
    word.rsplit('/').next().unwrap_or_default()
}

/// A command with its white space collapsed, which is what makes two commands the same.
pub fn key(command: &str) -> String {
    command.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The program and, where it has one, the subcommand: `cargo test`, `git commit`, `make`.
pub fn head(command: &str) -> String {
    let mut words = command
        .split_whitespace()
        .filter(|word| !word.contains('=') && !matches!(*word, "sudo" | "time" | "npx"));
    let Some(program) = words.next() else {
        return String::new();
    };
    match words.next() {
        Some(sub)
            if sub
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == ':') =>
        {
            format!("{program} {sub}")
        }
        _ => program.to_owned(),
    }
}

/// The commands of a line that do more than look, in order: in `cd a; A=b cargo test | wc` it is
/// `A=b cargo test`.
pub fn acting(line: &str) -> Vec<&str> {
    let mut out: Vec<&str> = stages(line)
        .into_iter()
        .map(|stage| line[stage.range].trim())
        .collect();
    out.retain(|text| !text.is_empty() && !stage_only_looks(text));
    out
}

/// The last command of a line that does more than look; the whole line when there is none.
pub fn doing(line: &str) -> &str {
    acting(line).pop().unwrap_or(line)
}

/// True when every stage of the command only looks (`ls`, `cat`, `grep`, `git log`...), so that
/// its output is a listing of something that is still there.
pub fn only_looks(command: &str) -> bool {
    stages(command).iter().all(|stage| {
        let text = command[stage.range.clone()].trim();
        text.is_empty() || (!stage.writes && stage_only_looks(text))
    })
}

/// Words in front of a command that only say how it is run.
const WRAPPERS: [&str; 9] = [
    "sudo", "time", "nohup", "env", "command", "exec", "do", "then", "else",
];

/// The words of a single command, without assignments and wrappers in front (`A=b timeout 30 make`
/// is `make`); the program first, without its folder.
pub(crate) fn words_of(stage: &str) -> Vec<&str> {
    let mut words = stage
        .trim_start_matches(['(', '{', ' ', '\n', '!', '\\'])
        .split_whitespace()
        .peekable();
    while let Some(word) = words.peek() {
        let assigns = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
        });
        // `name=$(gh pr view)` runs what it keeps the output of, `name=$(cat v) make` what stands behind it.
        let kept = word
            .split_once('=')
            .and_then(|(_, value)| value.trim_start_matches('"').strip_prefix("$("))
            .filter(|value| assigns && !value.is_empty() && !value.starts_with('('));
        if let Some(inner) = kept {
            words.next();
            let mut inside = vec![inner];
            let mut depth = 1 + depth_of(inner);
            while depth > 0
                && let Some(word) = words.next()
            {
                inside.push(word);
                depth += depth_of(word);
            }
            if words.peek().is_some() {
                continue;
            }
            if let Some(last) = inside.last_mut() {
                *last = last.trim_end_matches([')', '"']);
            }
            inside.retain(|word| !word.is_empty());
            return program_first(inside);
        }
        if *word == "timeout" {
            words.next();
            while words.peek().is_some_and(|word| word.starts_with('-')) {
                words.next();
            }
        } else if !assigns && !WRAPPERS.contains(word) {
            break;
        }
        words.next();
    }
    program_first(words.collect())
}

/// How many brackets a word leaves open.
fn depth_of(word: &str) -> i32 {
    let count = |c: char| i32::try_from(word.matches(c).count()).unwrap_or(0);
    count('(') - count(')')
}

/// Options of git itself that take a value: they stand before the subcommand.
const OF_GIT: [&str; 5] = ["-C", "-c", "--git-dir", "--work-tree", "--namespace"];

/// The words with the program named without its folder, and with the subcommand of git behind it: `git -C DIR
/// push` is `git push`.
fn program_first(mut words: Vec<&str>) -> Vec<&str> {
    let Some(first) = words.first_mut() else {
        return words;
    };
    *first = first.rsplit('/').next().unwrap_or(first);
    if *first == "git" {
        while let Some(option) = words.get(1).filter(|word| word.starts_with('-')) {
            // `git --version` has nothing else.
            if words.len() == 2 {
                break;
            }
            let value = OF_GIT.contains(option) && words.len() > 2;
            words.drain(1..2 + usize::from(value));
        }
    }
    words
}

/// True for a single command that only looks: its output is a listing of something that is still
/// there. Asking a program for its version or its help looks as well.
pub(crate) fn stage_only_looks(stage: &str) -> bool {
    let words = words_of(stage);
    let Some((&program, arguments)) = words.split_first() else {
        return true;
    };
    let has = |wanted: &[&str]| arguments.iter().any(|word| wanted.contains(word));
    let mut plain = arguments
        .iter()
        .copied()
        .filter(|word| !word.starts_with('-'));
    let first = plain.next().unwrap_or_default();
    let second = plain.next().unwrap_or_default();
    if has(&["--help", "--version", "-h", "-V"]) || (first == "version" && second.is_empty()) {
        return true;
    }
    match program {
        "git" => match first {
            "stash" | "worktree" | "tag" | "branch" | "remote" | "config" => {
                second.is_empty() && !has(&["-d", "-D", "-m", "-u"])
                    || matches!(second, "list" | "show" | "get-url" | "-v")
                    || has(&[
                        "--get",
                        "--list",
                        "-l",
                        "--show-current",
                        "--contains",
                        "--merged",
                    ])
            }
            _ => LOOKING_GIT.contains(&first),
        },
        // `xargs -0 grep x` does what it runs.
        "xargs" => {
            let runs = arguments.iter().position(|word| !word.starts_with('-'));
            runs.is_some_and(|at| stage_only_looks(&arguments[at..].join(" ")))
        }
        "cargo" => matches!(first, "tree" | "metadata" | "search"),
        // A program in an argument that only prints (`python3 -c "import rows; print(rows.VERSION)"`).
        "python" | "python3" | "node" | "ruby" | "perl" | "php"
            if takes_program(program, arguments.first().copied()) =>
        {
            only_prints(stage)
        }
        // `gh pr view` looks, `gh pr merge` does not; `gh api` looks unless it sends something.
        "gh" if first == "api" => {
            let posts = [
                "-X",
                "--method",
                "-f",
                "-F",
                "--field",
                "--raw-field",
                "--input",
            ];
            !arguments
                .iter()
                .any(|word| posts.contains(word) || word.starts_with("-X"))
        }
        "gh" => matches!(
            second,
            "view" | "list" | "diff" | "status" | "checks" | "watch"
        ),
        "curl" | "wget" => {
            let sends = [
                "-X",
                "--request",
                "-d",
                "--data",
                "-F",
                "--form",
                "-o",
                "-O",
                "-T",
            ];
            !has(&sends)
                && !arguments.iter().any(|word| word.starts_with("--data"))
                && program == "curl"
        }
        "npm" | "pnpm" | "yarn" => matches!(first, "ls" | "list" | "view" | "outdated" | "why"),
        "pip" | "pip3" | "brew" | "apt" | "uv" => {
            matches!(first, "show" | "list" | "freeze" | "info" | "search")
        }
        "go" => matches!(first, "list" | "env" | "doc" | "tool"),
        "docker" | "podman" => matches!(first, "ps" | "images" | "logs" | "inspect" | "stats"),
        "kubectl" | "oc" => matches!(first, "get" | "describe" | "logs" | "top"),
        "aws" | "gcloud" | "az" | "heroku" | "fly" | "flyctl" | "vercel" | "helm" | "systemctl"
        | "terraform" | "launchctl" => cloud_looks(program, arguments),
        // `sed -i` changes; plain sed prints.
        "sed" | "perl" => program == "sed" && !arguments.iter().any(|word| word.starts_with("-i")),
        "find" | "fd" => !has(&["-delete", "-exec", "-execdir"]),
        // What only prepares or waits leaves nothing worth telling.
        "for" | "while" | "until" | "if" | "elif" | "case" | "fi" | "done" | "esac" | "read"
        | "local" | "return" | "exit" | "set" | "unset" | "shopt" | "function" | ":" | "["
        | "[[" | "}" | ")" | "wait" | "trap" | "source" | "." | "pushd" | "popd" | "alias"
        | "ulimit" => true,
        _ if is_cmdlet(program) => cmdlet_looks(program),
        _ => LOOKING.contains(&program),
    }
}

/// Verbs of PowerShell's cmdlets that look or choose.
const LOOKING_VERBS: [&str; 13] = [
    "Get",
    "Select",
    "Where",
    "Measure",
    "Sort",
    "Test",
    "Compare",
    "Resolve",
    "Group",
    "ConvertTo",
    "ConvertFrom",
    "Find",
    "Show",
];
/// Its cmdlets that only print.
const PRINTING_CMDLETS: [&str; 9] = [
    "Format-Table",
    "Format-List",
    "Format-Wide",
    "Write-Host",
    "Write-Output",
    "Write-Warning",
    "Write-Verbose",
    "Out-String",
    "Out-Null",
];

/// True for a cmdlet that changes nothing.
fn cmdlet_looks(program: &str) -> bool {
    let name = program.split([')', '.']).next().unwrap_or_default();
    let verb = name.split('-').next().unwrap_or_default();
    LOOKING_VERBS.contains(&verb) || PRINTING_CMDLETS.contains(&name)
}

/// True for a name as PowerShell's cmdlets have it: `Get-ChildItem`.
fn is_cmdlet(program: &str) -> bool {
    let is_capital = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_uppercase())
            && part.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    // `(Get-Item a | Measure-Object).Count` asks for a property of what it lists.
    let name = program.split([')', '.']).next().unwrap_or_default();
    let parts = name.split_once('-');
    parts.is_some_and(|(verb, noun)| is_capital(verb) && is_capital(noun))
}

/// Subcommands of git that only look.
#[rustfmt::skip]
const LOOKING_GIT: &[&str] = &[
    "log", "show", "diff", "status", "blame", "grep", "ls-files", "ls-tree", "rev-parse",
    "rev-list", "describe", "merge-base", "cat-file", "shortlog", "reflog", "name-rev",
    "symbolic-ref", "ls-remote", "check-ignore", "show-ref", "for-each-ref", "fetch",
];

/// Verbs by which programs for servers and clouds only look.
#[rustfmt::skip]
const LOOKING_IN_CLOUDS: &[&str] = &[
    "cat", "describe", "get-value", "history", "info", "inspect", "is-active", "is-enabled", "list", "list-timers",
    "list-unit-files", "list-units", "logs", "ls", "output", "print", "providers", "ps", "releases", "show", "status",
    "version", "whoami",
];

/// True where a program for servers or clouds only looks: its verb stands first, behind the service (`aws s3 ls`), or last
/// before the options (`gcloud run services list`).
fn cloud_looks(program: &str, arguments: &[&str]) -> bool {
    let before_options = arguments.iter().take_while(|word| !word.starts_with('-'));
    let words: Vec<&str> = before_options.copied().collect();
    let looks = |word: &&str| LOOKING_IN_CLOUDS.binary_search(word).is_ok();
    match (program, words.as_slice()) {
        ("terraform", ["state", verb, ..]) => matches!(*verb, "list" | "show"),
        ("aws", [_, "get-object", ..]) => false,
        ("aws", [service, verb, ..]) => {
            ["describe-", "get-", "list-", "head-", "filter-"]
                .iter()
                .any(|begin| verb.starts_with(begin))
                || *verb == "ls"
                || *service == "logs" && *verb == "tail"
        }
        ("aws", _) => false,
        ("gcloud" | "az", words) => words.last().is_some_and(looks),
        (_, words) => words.first().is_some_and(looks),
    }
}

/// Programs that only look, or only prepare what is printed.
#[rustfmt::skip]
const LOOKING: &[&str] = &[
    "ls", "cat", "head", "tail", "grep", "egrep", "rg", "wc", "pwd", "cd", "echo", "tree", "file",
    "stat", "which", "less", "more", "sort", "uniq", "cut", "awk", "nl", "du", "df", "ag", "jq",
    "yq", "xxd", "hexdump", "od", "printf", "true", "false", "test", "date", "tr", "export",
    "basename", "dirname", "realpath", "readlink", "type", "sleep", "bat", "eza", "column",
    "diff", "cmp", "md5sum", "sha256sum", "shasum", "env", "printenv", "whoami", "hostname",
    "uname", "ps", "top", "lsof", "id", "history", "man", "strings", "comm", "paste", "rev",
    "tac", "fold", "seq", "expr", "zcat", "journalctl", "netstat", "ss", "dig", "nslookup",
    "ping",
];

/// The command of a shell run by the person, from its message text: agents write it as the first
/// line, bare, after a `$`, or in backticks after a verb.
pub fn from_user_shell(text: &str) -> Option<&str> {
    let line = first_line(text)?;
    let line = line.strip_prefix("$ ").unwrap_or(line);
    match line.find('`') {
        Some(open) if line[..open].split_whitespace().count() <= 2 => {
            let inner = &line[open + 1..];
            Some(&inner[..inner.find('`').unwrap_or(inner.len())])
        }
        _ => Some(line),
    }
    .filter(|line| !line.trim().is_empty())
}

/// True where the first argument says that a program follows in the next one.
fn takes_program(program: &str, first: Option<&str>) -> bool {
    let options: &[&str] = match program {
        "python" | "python3" => &["-c"],
        "node" => &["-e", "-p"],
        "php" => &["-r"],
        _ => &["-e"],
    };
    first.is_some_and(|first| options.contains(&first))
}

/// Words by which a program in an argument prints.
const PRINTING: &[&str] = &["print", "console.log", "puts ", "echo "];

/// Words by which it may do more, in lower case.
#[rustfmt::skip]
const CHANGING: &[&str] = &[
    "write", "open(", "dump(", "remove", "unlink", "rename", "mkdir", "rmtree", "copy", "move", "system", "subprocess",
    "exec", "spawn", "post", "put(", "patch", "delete", "drop", "insert", "update", "save", "commit", "create", "install",
    "train", "run(", "main(", "kill", "to_", "download", "flush", "call", "fetch(", "set(", "send", "publish",
];

/// True for a program in an argument that only prints.
fn only_prints(stage: &str) -> bool {
    let lower = stage.to_lowercase();
    PRINTING.iter().any(|word| lower.contains(word))
        && !CHANGING.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_does_something_identifies_a_command() {
        assert_eq!(
            first_line("set -e\n# build\ncargo build\nls"),
            Some("cargo build")
        );
        assert_eq!(
            first_line("cd /srv/app && npm test -- --run"),
            Some("npm test -- --run")
        );
        assert_eq!(first_line("  \n"), None);
        assert_eq!(
            from_json(&serde_json::json!(["bash", "-lc", "make check"])).as_deref(),
            Some("make check")
        );
    }

    #[test]
    fn heads_name_program_and_subcommand() {
        assert_eq!(head("RUST_LOG=debug cargo test -p core"), "cargo test");
        assert_eq!(head("./run.sh --fast"), "./run.sh --fast");
        assert_eq!(head("make"), "make");
    }

    #[test]
    fn the_last_stage_that_acts_is_what_a_line_does() {
        assert_eq!(
            doing("rm -f x; A=b cargo test --lib | grep row"),
            "A=b cargo test --lib"
        );
        assert_eq!(doing("ls | wc"), "ls | wc");
    }

    #[test]
    fn looking_is_told_from_doing() {
        assert!(only_looks("grep -rn foo src | head -20"));
        assert!(only_looks("git log --oneline"));
        assert!(!only_looks("sed -i s/a/b/ x"));
        assert!(!only_looks("cat x && cargo test"));
        assert!(only_looks(
            r#"grep -n "a\|cargo b" src 2>/dev/null || true"#
        ));
        assert!(only_looks("grep -c 'x && rm y' z 2>&1 | sort"));
        assert!(only_looks("git -P log; gh pr view 299"));
        assert!(only_looks("git -C ../rows --no-pager log -3"));
        assert!(!only_looks("git -C ../rows -c user.name=dev push"));
        assert!(only_looks("owner=$(gh repo view --json owner)"));
        assert!(!only_looks("number=$(gh pr create --fill)"));
        assert!(only_looks("here=$(pwd)"));
        assert!(!only_looks("VERSION=$(cat version) cargo build"));
        assert!(only_looks("find . -name '*.ts' | xargs -0 grep -l Agent"));
        assert!(!only_looks("find . -name '*.o' | xargs rm"));
        assert!(!only_looks("echo x > notes.md"));
        assert!(!only_looks("cat <<EOF >> notes.md"));
        assert!(!only_looks("gh pr merge 299"));
    }

    #[test]
    fn what_trims_the_output_is_not_part_of_a_command() {
        for (line, command) in [
            ("npm run check 2>&1 | tail -20", "npm run check"),
            ("npm run check 2>&1", "npm run check"),
            ("make || true", "make"),
            (
                "cargo test | grep FAILED | head",
                "cargo test | grep FAILED",
            ),
            ("cargo test 2>&1 > log.txt", "cargo test 2>&1 > log.txt"),
            (r#"git commit -m "a | head""#, r#"git commit -m "a | head""#),
            ("npm start &", "npm start"),
            ("tail -f x", "tail -f x"),
        ] {
            assert_eq!(first_line(line), Some(command), "for {line}");
        }
    }

    #[test]
    fn commands_of_the_person_are_found_in_each_spelling() {
        assert_eq!(
            from_user_shell("Ran `npm test`\n```\nok\n```"),
            Some("npm test")
        );
        assert_eq!(from_user_shell("$ npm test\nok"), Some("npm test"));
        assert_eq!(from_user_shell("npm test\nok"), Some("npm test"));
    }

    #[test]
    fn programs_for_clouds_look_by_their_verb() {
        assert!(LOOKING_IN_CLOUDS.is_sorted());
        for (command, looks) in [
            ("aws s3 ls s3://rows-dev/raw --region us-west-2", true),
            (
                "AWS_PROFILE=dev aws s3api get-bucket-policy --bucket rows",
                true,
            ),
            ("aws s3 cp status.json s3://rows", false),
            (
                "aws lambda update-function-code --function-name list-rows",
                false,
            ),
            ("gcloud run services list --project rows", true),
            ("gcloud functions deploy list-rows", false),
            ("systemctl status rows", true),
            ("systemctl restart logstash", false),
            ("terraform state rm rows.a", false),
            ("terraform state list", true),
            ("terraform apply", false),
            ("helm upgrade listener ./chart", false),
        ] {
            assert_eq!(only_looks(command), looks, "{command}");
        }
    }

    #[test]
    fn a_program_in_an_argument_may_only_print() {
        for (command, looks) in [
            ("python3 -c \"import rows; print(rows.VERSION)\"", true),
            ("node -e \"console.log(process.version)\"", true),
            ("python3 -c \"open('a','w').write('x'); print(1)\"", false),
            ("perl -p -i -e 's/print/log/' a.rs", false),
            (
                "python -m pytest -p no:cacheprovider tests/test_print.py",
                false,
            ),
            ("node -r dotenv/config fingerprint.js", false),
            ("python3 scripts/migrate.py -c prod.toml --no-print", false),
        ] {
            assert_eq!(only_looks(command), looks, "{command}");
        }
    }
}
