//! Errors that went away: the command that failed with them passed later, or another check of what was changed since.

use crate::candidate::Registry;
use crate::span::{Call, Part};
use crate::{commands, located, outcome, scripts};
use rustc_hash::FxHashMap as HashMap;

/// How many ranks lighter an error is that went away.
const GONE: i32 = 2;

/// Words of commands that are named like checks and do not compile or run the code: those that only read it, and those
/// that prepare or tidy up.
#[rustfmt::skip]
const NO_PROOF: &[&str] = &[
    "lint", "eslint", "ruff", "biome", "flake8", "prettier", "fmt", "format", "clean", "ci", "install", "deps", "help",
    "--help", "--version",
];

/// Programs that compile or run files with these endings only. Others (`make`, a script of somebody's own) may do any.
#[rustfmt::skip]
const LANGUAGES: &[(&[&str], &[&str])] = &[
    (&["go", "golangci-lint", "staticcheck"], &["go"]),
    (&["cargo", "rustc"], &["rs"]),
    (
        &["tsc", "tsgo", "npm", "npx", "pnpm", "yarn", "bun", "bunx", "deno", "node", "vite", "jest", "vitest", "mocha"],
        &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "astro", "css", "scss", "json"],
    ),
    (&["pytest", "mypy", "pyright", "tox", "python", "python3", "uv", "poetry"], &["py", "pyi"]),
    (&["gradle", "gradlew", "mvn", "mvnw", "javac", "kotlinc"], &["java", "kt", "kts", "scala", "groovy"]),
    (&["dotnet"], &["cs", "fs", "vb"]),
    (&["swift", "xcodebuild"], &["swift", "m"]),
    (&["phpunit", "php", "composer"], &["php"]),
    (&["rspec", "ruby", "rake", "bundle"], &["rb"]),
    (&["ctest", "cmake", "ninja", "gcc", "g++", "clang", "clang++"], &["c", "h", "cc", "cpp", "cxx", "hpp"]),
];

/// How an agent answers for a command that goes on beside it.
const IN_BACKGROUND: &str = "Command running in background";

/// Errors by the commands that failed with them, while outputs are read in order.
#[derive(Debug, Default)]
pub(crate) struct Repairs {
    open: HashMap<String, Vec<usize>>,
    /// By the ending of the file, what compilers and linters found at a place of it, with the changes that were made
    /// before. Many checks pass in a long session: each looks only at what it covers.
    located: HashMap<String, HashMap<usize, usize>>,
    /// Calls and commands so far that changed files, or may have.
    changes: usize,
}

impl Repairs {
    /// Notes how a call ended: the facts of its errors, none when it passed. An error that comes
    /// again is open again.
    pub fn note(
        &mut self,
        registry: &mut Registry,
        call: &Call<'_>,
        output: &Part<'_>,
        errors: &[usize],
    ) {
        self.changes += usize::from(call.action.changes_files() && !output.is_error);
        let Some(script) = call.script.as_deref().filter(|_| !call.looks_only) else {
            return;
        };
        let deeds = scripts::deeds(script);
        // Where nothing is open, no change is looked for: every command is read.
        let is_open = !self.located.is_empty();
        let acts = is_open && deeds.iter().any(|deed| !outcome::is_check(&deed.name));
        self.changes += usize::from(acts);
        let heads = deeds.iter().map(|deed| commands::head(&deed.name));
        if errors.is_empty() {
            for fact in heads.flat_map(|head| self.open.remove(&head).unwrap_or_default()) {
                registry.facts[fact].lighter = GONE;
            }
            if is_open
                && !output.text.starts_with(IN_BACKGROUND)
                && outcome::is_check(script)
                && outcome::went_well(script, output.text, output.is_error) == Some(true)
            {
                let proofs: Vec<Proof<'_>> =
                    deeds.iter().filter_map(|deed| proof(&deed.name)).collect();
                self.settle(registry, &proofs);
            }
            return;
        }
        for fact in errors {
            registry.facts[*fact].lighter = 0;
            let file = located::file_of(&registry.facts[*fact].text);
            if let Some(ending) = file.and_then(|file| file.rsplit('.').next()) {
                let found = self.located.entry(ending.to_owned()).or_default();
                found.insert(*fact, self.changes);
            }
        }
        for head in heads {
            self.open.entry(head).or_default().extend(errors);
        }
    }

    /// Settles what was found in a file before the last change and that a check would have found again.
    fn settle(&mut self, registry: &mut Registry, proofs: &[Proof<'_>]) {
        let changes = self.changes;
        self.located.retain(|ending, found| {
            if proofs.iter().any(|proof| proof.covers(ending)) {
                found.retain(|&fact, before| {
                    let is_gone = *before < changes;
                    if is_gone {
                        registry.facts[fact].lighter = GONE;
                    }
                    !is_gone
                });
            }
            !found.is_empty()
        });
    }
}

/// A check that compiles or runs code.
struct Proof<'a> {
    program: &'a str,
}

impl Proof<'_> {
    /// True where it would find an error in a file with this ending.
    fn covers(&self, ending: &str) -> bool {
        let mut languages = LANGUAGES.iter();
        languages
            .find(|(programs, _)| programs.contains(&self.program))
            .is_none_or(|(_, endings)| endings.contains(&ending))
    }
}

fn proof(command: &str) -> Option<Proof<'_>> {
    let words = commands::words_of(command);
    let mut parts = words.iter().flat_map(|word| word.split([':', '/']));
    let proves = outcome::is_check(command) && !parts.any(|part| NO_PROOF.contains(&part));
    let program = words.first()?.rsplit('/').next()?;
    proves.then_some(Proof { program })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_proves_what_it_compiles() {
        let covers =
            |command: &str, ending: &str| proof(command).is_some_and(|proof| proof.covers(ending));
        assert!(covers("npm run check", "ts") && covers("make test", "ts"));
        assert!(covers("./gradlew build", "kt") && covers("cargo clippy", "rs"));
        assert!(!covers("npm test", "go") && !covers("go vet ./...", "ts"));
        for no_proof in [
            "npm run lint:fix",
            "./node_modules/.bin/eslint src",
            "npm ci",
            "make clean",
            "mvn clean",
            "npm run format:check",
            "git status",
        ] {
            assert!(
                !covers(no_proof, "ts") && !covers(no_proof, "java"),
                "{no_proof}"
            );
        }
    }
}
