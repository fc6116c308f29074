//! The modules of one crate with their files, and what a path in one of them names.

use std::collections::{BTreeMap, BTreeSet};

use super::read::{Module, Path, Use, is_test_file, read};

/// The questions asked on the way to an answer: a name seen from a module. One asked twice is a
/// name that leads to itself.
type Asked = BTreeSet<(Path, Path)>;

/// The files of a crate by their path from `src`, with `/` between folders.
pub type Files = BTreeMap<String, String>;

/// All modules of one crate by their path; the root is the empty one. A second root (`main.rs`
/// beside `lib.rs`, `bin/name.rs`) stands under its file's name, which no module has.
#[derive(Debug, Default)]
pub struct Tree {
    modules: BTreeMap<Path, (String, Module)>,
    /// Files that only tests use.
    pub of_tests: BTreeSet<String>,
    /// Files that no `mod` leads to.
    pub unreached: BTreeSet<String>,
}

/// What a path names.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Named {
    /// An item, by the file that declares it.
    Item(String),
    /// A module.
    Module(Path),
}

impl Tree {
    /// Reads the modules of a crate from its roots down.
    pub fn of(files: &Files) -> Tree {
        let mut tree = Tree::default();
        let is_root = |file: &&String| {
            matches!(file.as_str(), "lib.rs" | "main.rs") || file.starts_with("bin/")
        };
        for file in files.keys().filter(is_root) {
            let path = match file.as_str() {
                "lib.rs" => Path::new(),
                root => vec![root.to_owned()],
            };
            tree.take_file(files, file, path);
        }
        let is_known = |file: &&String| {
            !tree.of_tests.contains(*file) && !tree.modules.values().any(|(of, _)| of == *file)
        };
        tree.unreached = files.keys().filter(is_known).cloned().collect();
        tree
    }

    fn take_file(&mut self, files: &Files, file: &str, path: Path) {
        let Some(source) = files.get(file) else {
            return;
        };
        if is_test_file(source) {
            self.of_tests.insert(file.to_owned());
            return;
        }
        self.take_module(files, file, path, read(source));
    }

    fn take_module(&mut self, files: &Files, file: &str, path: Path, module: Module) {
        for name in &module.of_tests {
            let alone = join(&folder_of(file), &format!("{name}.rs"));
            let folder = join(&folder_of(file), &format!("{name}/"));
            let below = |file: &&String| **file == alone || file.starts_with(&folder);
            self.of_tests.extend(files.keys().filter(below).cloned());
        }
        for (name, at) in &module.in_files {
            let child = [path.as_slice(), std::slice::from_ref(name)].concat();
            let folder = folder_of(file);
            let candidates = match at {
                Some(at) => vec![join(parent(file), at)],
                None => vec![
                    join(&folder, &format!("{name}.rs")),
                    join(&folder, &format!("{name}/mod.rs")),
                ],
            };
            for candidate in candidates.iter().filter(|file| files.contains_key(*file)) {
                self.take_file(files, candidate, child.clone());
            }
        }
        for (name, inline) in &module.inline {
            let child = [path.as_slice(), std::slice::from_ref(name)].concat();
            self.take_module(files, file, child, inline.clone());
        }
        self.modules.insert(path, (file.to_owned(), module));
    }

    /// Which file uses which names of which other file.
    pub fn arrows(&self) -> BTreeMap<(String, String), BTreeSet<String>> {
        let mut arrows: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        for (at, (file, module)) in &self.modules {
            let passed_on = |one: &&Use| {
                let name = one.name.as_ref();
                !one.is_public || name.is_some_and(|name| module.names.contains(name))
            };
            let used = module.uses.iter().filter(passed_on);
            let taken = used.flat_map(|one| match &one.name {
                Some(_) => vec![one.path.clone()],
                None => self.taken_by_star(&one.path, at, module),
            });
            for path in taken.chain(module.paths.iter().cloned()) {
                if let Some(Named::Item(to)) = self.named(&path, at, &mut Asked::new())
                    && to != *file
                {
                    let name = path.last().cloned().unwrap_or_default();
                    arrows.entry((file.clone(), to)).or_default().insert(name);
                }
            }
        }
        arrows
    }

    /// The names of `use path::*` that the module's code uses, as paths.
    fn taken_by_star(&self, path: &Path, at: &Path, module: &Module) -> Vec<Path> {
        let with = |name: &String| [path.as_slice(), std::slice::from_ref(name)].concat();
        let firsts = module.paths.iter().filter_map(|path| path.first());
        match self.named(path, at, &mut Asked::new()) {
            // The variants of an enum.
            Some(Named::Item(_)) => vec![path.clone()],
            Some(Named::Module(of)) => {
                let known = |name: &&String| {
                    self.in_module(&of, &[(*name).clone()], &mut Asked::new())
                        .is_some()
                };
                module
                    .names
                    .iter()
                    .chain(firsts)
                    .filter(known)
                    .map(with)
                    .collect()
            }
            None => Vec::new(),
        }
    }

    /// What `path` names in the module `at`; `None` for what is outside the crate.
    fn named(&self, path: &[String], at: &Path, asked: &mut Asked) -> Option<Named> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.inside(&self.root_of(at), rest, asked),
            "self" => self.inside(at, rest, asked),
            "super" => {
                let (_, above) = at.split_last()?;
                let again = [&["self".to_owned()], rest].concat();
                self.named(&again, &above.to_vec(), asked)
            }
            _ => self.in_module(at, path, asked),
        }
    }

    /// The root of the module's crate: `lib.rs`, or the program it is part of.
    fn root_of(&self, at: &Path) -> Path {
        match at.first() {
            Some(root) if root.ends_with(".rs") => vec![root.clone()],
            _ => Path::new(),
        }
    }

    /// What `path` names in the module `at`. A name that stands nowhere was declared by a macro
    /// and counts as the module's.
    fn inside(&self, at: &Path, path: &[String], asked: &mut Asked) -> Option<Named> {
        let (file, _) = self.modules.get(at)?;
        let found = self.in_module(at, path, asked);
        found.or_else(|| Some(Named::Item(file.clone())))
    }

    /// What `path` names, seen from within the module `at`.
    fn in_module(&self, at: &Path, path: &[String], asked: &mut Asked) -> Option<Named> {
        let (file, module) = self.modules.get(at)?;
        let Some((first, rest)) = path.split_first() else {
            return Some(Named::Module(at.clone()));
        };
        if !asked.insert((at.clone(), path.to_vec())) {
            return None;
        }
        if first == "super" || first == "self" {
            return self.named(path, at, asked);
        }
        let child = [at.as_slice(), std::slice::from_ref(first)].concat();
        // A module and a function may have one name; only the module has names behind it.
        if !rest.is_empty() && self.modules.contains_key(&child) {
            return self.inside(&child, rest, asked);
        }
        if module.items.contains(first) {
            return Some(Named::Item(file.clone()));
        }
        let leads_in = |one: &Use| one.path.len() > 1 && self.modules.contains_key(&child);
        for one in &module.uses {
            let found = match &one.name {
                // `use plan::plan;` leads into the module `plan`; where there is none, it is
                // another crate's.
                Some(name) if name == first && (one.path[0] != *first || leads_in(one)) => {
                    let whole = [one.path.as_slice(), rest].concat();
                    self.named(&whole, at, asked)
                }
                Some(_) => None,
                None => match self.named(&one.path, at, asked) {
                    Some(Named::Module(of)) if of != *at => self.in_module(&of, path, asked),
                    _ => None,
                },
            };
            if found.is_some() {
                return found;
            }
        }
        self.modules
            .contains_key(&child)
            .then_some(Named::Module(child))
    }
}

/// The folder that holds the modules of a file: `plan/mod.rs` and `plan.rs` have `plan`.
fn folder_of(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    if matches!(name, "mod.rs" | "lib.rs" | "main.rs") {
        parent(file).to_owned()
    } else {
        file.trim_end_matches(".rs").to_owned()
    }
}

fn parent(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}
