//! Puts the built interface into the program, or a page that says how to build it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const NOT_BUILT: &str = "<!doctype html><title>Palimpsest</title><p>The interface is not built. \
    Run <code>./start</code> in the project's root, or <code>npm run build</code> in \
    <code>ui/</code> and build this program again.";

fn main() {
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let dist = manifest.join("../../ui/dist");
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    collect(&dist, &dist, &mut files);
    let mut table = String::from("static FILES: &[(&str, &[u8])] = &[\n");
    if files.iter().any(|(name, _)| name == "index.html") {
        for (name, path) in files {
            // Watched one by one: cargo compares only the folder's own time otherwise.
            println!("cargo::rerun-if-changed={}", path.display());
            let _ = writeln!(table, "    ({name:?}, include_bytes!({path:?})),");
        }
    } else {
        let _ = writeln!(table, "    (\"index.html\", {NOT_BUILT:?}.as_bytes()),");
    }
    table.push_str("];\n");
    if let Err(error) = std::fs::write(out.join("interface.rs"), table) {
        println!("cargo::error=cannot write the table of interface files: {error}");
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(root, &path, files);
        } else if let (Ok(name), Ok(path)) = (path.strip_prefix(root), path.canonicalize()) {
            files.push((name.to_string_lossy().replace('\\', "/"), path));
        }
    }
    files.sort();
}
