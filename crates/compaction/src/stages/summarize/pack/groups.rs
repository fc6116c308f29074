//! How files are grouped, and which of them are never packed.

use crate::stages::summarize::pack::GroupBy;

/// The group of what belongs to no other; it always comes last.
pub(super) const OTHER: &str = "Other";

/// Languages by the endings of their files.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("Rust", &["rs"]),
    ("Python", &["py", "pyi", "pyx", "ipynb"]),
    ("TypeScript", &["ts", "tsx", "mts", "cts"]),
    ("JavaScript", &["js", "jsx", "mjs", "cjs"]),
    ("Svelte", &["svelte"]),
    ("Vue", &["vue"]),
    ("Go", &["go"]),
    ("Java", &["java"]),
    ("Kotlin", &["kt", "kts"]),
    ("Scala", &["scala", "sbt"]),
    ("Swift", &["swift"]),
    ("C", &["c", "h"]),
    ("C++", &["cc", "cpp", "cxx", "hh", "hpp", "hxx"]),
    ("C#", &["cs", "csx"]),
    ("F#", &["fs", "fsx"]),
    ("Ruby", &["rb", "rake", "gemspec"]),
    ("PHP", &["php", "phtml"]),
    ("Perl", &["pl", "pm"]),
    ("Lua", &["lua"]),
    ("Elixir", &["ex", "exs"]),
    ("Erlang", &["erl", "hrl"]),
    ("Haskell", &["hs", "lhs"]),
    ("OCaml", &["ml", "mli"]),
    ("Clojure", &["clj", "cljs", "cljc", "edn"]),
    ("Dart", &["dart"]),
    ("R", &["r", "rmd"]),
    ("Julia", &["jl"]),
    ("Zig", &["zig"]),
    ("Nix", &["nix"]),
    ("Shell", &["sh", "bash", "zsh", "fish"]),
    ("PowerShell", &["ps1", "psm1"]),
    ("SQL", &["sql"]),
    ("HTML", &["html", "htm"]),
    ("CSS", &["css", "scss", "sass", "less"]),
    ("Markdown", &["md", "mdx"]),
    ("YAML", &["yml", "yaml"]),
    ("TOML", &["toml"]),
    ("JSON", &["json", "jsonc", "json5"]),
    ("XML", &["xml", "xsd", "xsl"]),
    ("Protocol Buffers", &["proto"]),
    ("HCL", &["tf", "hcl"]),
];

/// Endings of files that say nothing as text: media, archives, programs, fonts, what is built.
const NOT_TEXT: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "svg", "tiff", "psd", "mp3", "mp4", "wav",
    "ogg", "flac", "avi", "mov", "mkv", "webm", "zip", "gz", "tgz", "bz2", "xz", "zst", "7z",
    "rar", "tar", "jar", "war", "exe", "dll", "so", "dylib", "a", "o", "obj", "lib", "bin",
    "class", "pyc", "wasm", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "ttf", "otf",
    "woff", "woff2", "eot", "db", "sqlite", "lock", "map", "snap", "pb", "parquet", "npy", "pt",
];

/// Names of files that a package tool writes.
const LOCK_FILES: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "bun.lockb",
    "go.sum",
    "packages.lock.json",
    "Package.resolved",
    "gradle.lockfile",
];

/// What files built from others end with.
const BUILT: &[&str] = &[".min.js", ".min.css"];

/// The group of the file at `path`.
pub(super) fn group(path: &str, by: GroupBy) -> &str {
    match by {
        GroupBy::Language => {
            let ending = ending(path);
            let known = LANGUAGES
                .iter()
                .find(|(_, endings)| endings.iter().any(|own| own.eq_ignore_ascii_case(ending)));
            known.map_or(OTHER, |(name, _)| name)
        }
        GroupBy::Directory => path.rsplit_once('/').map_or(OTHER, |(folder, _)| folder),
    }
}

/// Whether the file at `path` is never packed; `custom` are additions of the user.
pub(super) fn is_ignored(path: &str, custom: &[String]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = ending(path);
    let by_user = custom.iter().any(|pattern| {
        if let Some(folder) = pattern.strip_suffix('/') {
            // The last part is the file's name.
            path.split('/').rev().skip(1).any(|part| part == folder)
                || path.starts_with(pattern.as_str())
        } else if let Some(end) = pattern.strip_prefix('*') {
            path.ends_with(end)
        } else {
            name == pattern || path == pattern
        }
    });
    by_user
        || NOT_TEXT.iter().any(|own| own.eq_ignore_ascii_case(ending))
        || LOCK_FILES.contains(&name)
        || BUILT.iter().any(|end| name.ends_with(end))
}

fn ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_is_the_language() {
        assert_eq!(group("src/a.RS", GroupBy::Language), "Rust");
        assert_eq!(group("Makefile", GroupBy::Language), OTHER);
        assert_eq!(group("src/a/b.rs", GroupBy::Directory), "src/a");
        assert_eq!(group("b.rs", GroupBy::Directory), OTHER);
    }

    #[test]
    fn locks_media_and_built_files_are_ignored() {
        for path in [
            "Cargo.lock",
            "ui/package-lock.json",
            "a.min.js",
            "b.PNG",
            "c.js.map",
        ] {
            assert!(is_ignored(path, &[]), "{path}");
        }
        assert!(!is_ignored("src/main.rs", &[]));
        let own = ["*.md".to_owned(), "dist/".to_owned(), "a.rs".to_owned()];
        for path in ["x/y.md", "dist/a.js", "ui/dist/b.ts", "src/a.rs"] {
            assert!(is_ignored(path, &own), "{path}");
        }
        assert!(!is_ignored("distance/b.rs", &own));
    }
}
