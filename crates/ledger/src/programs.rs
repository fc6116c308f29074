//! The program that a script runs, under which runs of it are counted.

use crate::commands::words_of;
use crate::scripts::{looks, steps};

/// Programs whose next word says what they do.
#[rustfmt::skip]
const WITH_SUBCOMMANDS: &[&str] = &[
    "apt", "apt-get", "aws", "az", "brew", "bun", "bundle", "cargo", "composer", "conda", "deno", "docker",
    "docker-compose", "dotnet", "flutter", "flyctl", "gcloud", "gh", "git", "glab", "go", "gradle", "gradlew", "helm",
    "heroku", "hg", "jj", "just", "kubectl", "make", "mise", "mix", "mvn", "nix", "npm", "npx", "nx", "php", "pip", "pip3",
    "pixi", "pm2", "pnpm", "podman", "poetry", "pulumi", "rails", "rake", "rustup", "sbt", "supabase", "svn", "swift",
    "systemctl", "task", "terraform", "turbo", "uv", "uvx", "vercel", "wrangler", "yarn", "zig",
];
/// Their words behind which another program or script is named.
const RUNNERS: [&str; 6] = ["run", "exec", "compose", "tool", "x", "dlx"];
/// Programs that run a module named behind `-m`.
const INTERPRETERS: [&str; 3] = ["python", "python3", "py"];

/// What a script runs, in as few words as tell it from others: `cargo test`, `npm run build`,
/// `python3 -m pytest`, `grep`. Of several commands the last that does more than look, else the first
/// that asks something. `None` for an empty script.
pub fn program_of(script: &str) -> Option<String> {
    let all = steps(script);
    let words = |at: usize| words_of(all[at].text(script));
    let acts = |at: &usize| !looks(&all[*at], script);
    // `cd`, `echo` and the like stand around what matters.
    let says = |at: &usize| {
        let first = words(*at).first().copied();
        first.is_some_and(|program| {
            !["cd", "echo", "set", "export", "source", "."].contains(&program)
        })
    };
    let places = || 0..all.len();
    let chosen = places().rev().find(acts);
    let chosen = chosen.or_else(|| places().find(says)).or(places().next())?;
    let name = short(&words(chosen));
    (!name.is_empty()).then_some(name)
}

fn short(words: &[&str]) -> String {
    let Some((&program, rest)) = words.split_first() else {
        return String::new();
    };
    let is_name = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_alphanumeric())
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_:.@/".contains(&byte))
    };
    if INTERPRETERS.contains(&program)
        && let Some(["-m", module]) = rest.get(..2)
    {
        return format!("{program} -m {module}");
    }
    if !WITH_SUBCOMMANDS.contains(&program) {
        return program.to_owned();
    }
    // Options stand before a subcommand as well (`git -C DIR status`).
    let mut names = Vec::new();
    let mut skips_value = false;
    for word in rest {
        if std::mem::take(&mut skips_value) {
            continue;
        }
        if word.starts_with('-') {
            skips_value = VALUED.contains(word);
            continue;
        }
        if !is_name(word) {
            break;
        }
        names.push(*word);
        if !RUNNERS.contains(word) {
            break;
        }
    }
    let mut out = program.to_owned();
    for name in names {
        out.push(' ');
        out.push_str(name);
    }
    out
}

/// Options before a subcommand that take a value.
const VALUED: [&str; 8] = [
    "-C",
    "-c",
    "-f",
    "--prefix",
    "--cwd",
    "--filter",
    "-w",
    "--project",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_program_have_one_name() {
        for (script, name) in [
            (
                "cargo test --workspace -- name 2>&1 | tail -20",
                "cargo test",
            ),
            (
                "cd /home/dev/queue && RUST_LOG=debug cargo build",
                "cargo build",
            ),
            ("cd /home/dev/queue\ncargo clippy", "cargo clippy"),
            ("git -C /home/dev/queue push origin main", "git push"),
            ("npm run build", "npm run build"),
            ("npm --prefix ui test", "npm test"),
            ("uv run pytest -q tests", "uv run pytest"),
            ("docker compose up -d", "docker compose up"),
            ("python3 -m pytest -q", "python3 -m pytest"),
            ("python3 tally.py --json README.md", "python3"),
            ("./scripts/check.sh rust", "check.sh"),
            ("timeout 30 make", "make"),
            ("mise run lint", "mise run lint"),
            ("grep -rn todo src | head", "grep"),
            ("ls missing; cat missing", "ls"),
            ("cd missing", "cd"),
            ("mkdir -p out && cp a out", "cp"),
            ("cat > a.py <<'EOF'\nimport os\nEOF\npython a.py", "python"),
        ] {
            assert_eq!(program_of(script).as_deref(), Some(name), "{script}");
        }
        for script in ["", "  \n", "# a comment"] {
            assert_eq!(program_of(script), None, "{script:?}");
        }
    }
}
