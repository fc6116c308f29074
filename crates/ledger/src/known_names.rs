//! Names the identifier rules know: extensions, directories, units.

/// Extensions that make a name without a slash a file.
#[rustfmt::skip]
pub(crate) const EXTENSIONS: &[&str] = &[
    "astro", "bash", "bat", "c", "cc", "cfg", "cjs", "conf", "cpp", "cs", "css", "csv", "cts",
    "dart", "db", "env", "erl", "ex", "exs", "fish", "go", "gradle", "graphql", "h", "hpp", "hs",
    "html", "ini", "ipynb", "java", "jpg", "js", "json", "json5", "jsonc", "jsonl", "jsx", "kt",
    "lock", "log", "lua", "md", "mdx", "mjs", "ml", "mts", "nix", "patch", "pdf", "php", "plist",
    "png", "prisma", "proto", "ps1", "py", "pyi", "rb", "rs", "scala", "scss", "sh", "snap",
    "sql", "sqlite", "svelte", "svg", "swift", "tar", "tf", "toml", "ts", "tsv", "tsx", "txt",
    "vue", "wasm", "webp", "xml", "yaml", "yml", "zig", "zip", "zsh",
];

/// First directories that make `a/b` a path in plain prose, where it could be "either/or".
#[rustfmt::skip]
pub(crate) const DIRECTORIES: &[&str] = &[
    ".", "..", "api", "app", "apps", "assets", "bin", "build", "cmd", "components", "config",
    "crates", "dist", "docs", "etc", "examples", "fixtures", "home", "include", "internal", "lib",
    "libs", "migrations", "modules", "node_modules", "opt", "packages", "pkg", "public",
    "resources", "root", "scripts", "server", "spec", "src", "srv", "static", "target", "test",
    "tests", "tmp", "tools", "ui", "usr", "var", "vendor", "web", "~",
];

/// Files known by their bare name.
#[rustfmt::skip]
pub(crate) const FILE_NAMES: &[&str] = &[
    ".dockerignore", ".editorconfig", ".env", ".gitattributes", ".gitignore", ".npmrc",
    "CMakeLists.txt", "Dockerfile", "Gemfile", "Justfile", "LICENSE", "Makefile", "Procfile",
    "README",
];

/// Names of products that look like files or symbols.
#[rustfmt::skip]
pub(crate) const PRODUCTS: &[&str] = &[
    "BigQuery", "DevOps", "DynamoDB", "ESLint", "GitHub", "GitLab", "GraphQL", "IntelliJ",
    "JavaScript", "LaTeX", "LinkedIn", "MacOS", "MariaDB", "McDonald", "MongoDB", "MySQL",
    "NixOS", "NoSQL", "NumPy", "OAuth", "OpenAI", "OpenAPI", "OpenSSL", "PostgreSQL",
    "PowerShell", "PyPI", "PyTorch", "RabbitMQ", "SQLite", "StackOverflow", "TensorFlow",
    "TypeScript", "VSCode", "WebAssembly", "WebKit", "WebSocket", "YouTube", "iOS", "macOS",
];

/// Units a number may carry, each with the form under which spellings meet.
#[rustfmt::skip]
pub(crate) const UNITS: &[(&str, &str)] = &[
    ("%", "%"), ("b", "b"), ("bytes", "b"), ("byte", "b"), ("kb", "kb"), ("kib", "kib"),
    ("mb", "mb"), ("mib", "mib"), ("gb", "gb"), ("gib", "gib"), ("tb", "tb"), ("ns", "ns"),
    ("us", "us"), ("µs", "us"), ("ms", "ms"), ("millisecond", "ms"), ("milliseconds", "ms"),
    ("s", "s"), ("sec", "s"), ("secs", "s"), ("second", "s"), ("seconds", "s"), ("min", "min"),
    ("mins", "min"), ("minute", "min"), ("minutes", "min"), ("h", "h"), ("hour", "h"),
    ("hours", "h"), ("day", "d"), ("days", "d"), ("week", "w"), ("weeks", "w"), ("px", "px"),
    ("hz", "hz"), ("khz", "khz"), ("mhz", "mhz"), ("ghz", "ghz"), ("k", "k"), ("x", "x"),
    ("kbps", "kbps"), ("mbps", "mbps"), ("rpm", "rpm"), ("rps", "rps"), ("qps", "qps"),
    ("fps", "fps"), ("percent", "%"), ("eur", "eur"), ("usd", "usd"),
];

/// Things counted: a unit only for numbers of two digits or more, as "2 files" says little.
#[rustfmt::skip]
pub(crate) const COUNTED: &[&str] = &[
    "tokens", "lines", "rows", "items", "entries", "requests", "tests", "files", "retries",
    "attempts", "workers", "threads", "connections", "users", "records", "messages",
    "characters", "chars", "columns", "points", "cores", "pages", "errors", "warnings",
];

/// Units too short to be trusted after a space ("5 s" and "5 x" are rare, "3 h" is not prose).
#[rustfmt::skip]
pub(crate) const ATTACHED_ONLY: &[&str] = &[
    "b", "k", "x", "s", "h",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_for_the_search_are_sorted() {
        assert!(EXTENSIONS.is_sorted());
    }
}
