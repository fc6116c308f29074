//! Where agents are installed, and which of their files hold prompts.

use palimpsest_compaction::wording::PromptAgent;
use palimpsest_formats::Places;
use palimpsest_store::regular::read_text;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files of one installed agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Installation {
    pub agent: PromptAgent,
    pub version: Option<String>,
    /// What is shown: the package or the program.
    pub path: PathBuf,
    /// What is read.
    pub files: Vec<PathBuf>,
    /// True for a file that a user named: it may be of any agent.
    pub is_guess: bool,
}

/// Folders above a file in which its package can be.
const MOST_PARENTS: usize = 6;
/// Most entries of a folder that are looked at.
const MOST_ENTRIES: usize = 4_000;

/// The packages of an agent on npm.
fn packages(agent: PromptAgent) -> &'static [&'static str] {
    match agent {
        PromptAgent::Pi => &[
            "@earendil-works/pi-coding-agent",
            "@mariozechner/pi-coding-agent",
        ],
        PromptAgent::ClaudeCode => &["@anthropic-ai/claude-code"],
        PromptAgent::Codex => &["@openai/codex"],
        PromptAgent::OpenCode => &["opencode-ai"],
    }
}

/// How the names of its packages for one system begin.
fn systems_of(agent: PromptAgent) -> &'static str {
    match agent {
        PromptAgent::Pi => "@earendil-works/pi-coding-agent-",
        PromptAgent::ClaudeCode => "@anthropic-ai/claude-code-",
        PromptAgent::Codex => "@openai/codex-",
        PromptAgent::OpenCode => "opencode-",
    }
}

/// The name of its program.
fn command(agent: PromptAgent) -> &'static str {
    match agent {
        PromptAgent::Pi => "pi",
        PromptAgent::ClaudeCode => "claude",
        PromptAgent::Codex => "codex",
        PromptAgent::OpenCode => "opencode",
    }
}

/// The installed agents in the usual places, or those in `folder`, which can also be a file.
pub(super) fn installations(places: &Places, folder: Option<&Path>) -> Vec<Installation> {
    let mut found = Vec::new();
    if let Some(file) = folder.filter(|path| path.is_file()) {
        found.extend(PromptAgent::ALL.map(|agent| Installation {
            is_guess: true,
            ..program(agent, file)
        }));
        return found;
    }
    let (programs, modules) = match folder {
        Some(folder) => (
            vec![folder.to_owned(), folder.join("bin")],
            vec![
                folder.to_owned(),
                folder.join("node_modules"),
                folder.join("lib/node_modules"),
            ],
        ),
        None => (program_folders(places), module_folders(places)),
    };
    for agent in PromptAgent::ALL {
        if let Some(folder) = folder {
            found.extend(package(agent, folder));
        }
        for folder in &programs {
            for name in [command(agent).to_owned(), format!("{}.exe", command(agent))] {
                // Links of package managers lead to the file of the package.
                if let Ok(file) = folder.join(name).canonicalize()
                    && file.is_file()
                {
                    found.extend(of_program(agent, &file));
                }
            }
        }
        if folder.is_none() {
            found.extend(own_versions(agent, &places.home));
        }
        for folder in &modules {
            for name in packages(agent) {
                found.extend(package(agent, &folder.join(name)));
            }
        }
    }
    // One package is reached on several ways.
    let mut seen = BTreeSet::new();
    found.retain(|own: &Installation| {
        let files = own.files.iter().map(|file| file.canonicalize());
        let files: Vec<PathBuf> = files.flatten().collect();
        !files.is_empty() && seen.insert(files)
    });
    found
}

/// Folders with programs: those of the environment, and those of installers.
fn program_folders(places: &Places) -> Vec<PathBuf> {
    let path = places.env.get("PATH").map(String::as_str).unwrap_or("");
    let set = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let own = [
        ".local/bin",
        ".opencode/bin",
        ".claude/local",
        ".bun/bin",
        ".volta/bin",
    ];
    let own = own.iter().map(|folder| places.home.join(folder));
    set.chain(own).collect()
}

/// Folders of packages that were installed for all projects.
fn module_folders(places: &Places) -> Vec<PathBuf> {
    let home = &places.home;
    let mut folders: Vec<PathBuf> = program_folders(places)
        .iter()
        .filter_map(|folder| Some(folder.parent()?.join("lib/node_modules")))
        .collect();
    for name in ["NPM_CONFIG_PREFIX", "npm_config_prefix"] {
        if let Some(prefix) = places.env.get(name) {
            folders.push(Path::new(prefix).join("lib/node_modules"));
        }
    }
    if let Some(data) = places.env.get("APPDATA") {
        folders.push(Path::new(data).join("npm/node_modules"));
    }
    for own in [
        ".npm-global/lib/node_modules",
        ".bun/install/global/node_modules",
        ".claude/local/node_modules",
    ] {
        folders.push(home.join(own));
    }
    for (versions, inside) in [
        (".nvm/versions/node", "lib/node_modules"),
        (".volta/tools/image/packages", "lib/node_modules"),
        (".local/share/pnpm/global", "node_modules"),
    ] {
        let versions = entries(&home.join(versions)).into_iter();
        folders.extend(versions.map(|own| own.join(inside)));
    }
    folders
}

/// Programs that an agent's installer keeps by version.
fn own_versions(agent: PromptAgent, home: &Path) -> Vec<Installation> {
    if agent != PromptAgent::ClaudeCode {
        return Vec::new();
    }
    let kept = entries(&home.join(".local/share/claude/versions"));
    let files = kept.into_iter().filter(|path| path.is_file());
    files.map(|file| program(agent, &file)).collect()
}

/// The package that a program belongs to, or the program itself.
fn of_program(agent: PromptAgent, file: &Path) -> Vec<Installation> {
    let parents = file.ancestors().skip(1).take(MOST_PARENTS);
    let known = parents.filter(|folder| {
        let name = manifest(folder).and_then(|own| own["name"].as_str().map(str::to_owned));
        name.is_some_and(|name| packages(agent).contains(&name.as_str()))
    });
    match known.map(|folder| package(agent, folder)).next() {
        Some(found) if !found.is_empty() => found,
        _ => vec![program(agent, file)],
    }
}

fn program(agent: PromptAgent, file: &Path) -> Installation {
    Installation {
        agent,
        version: version_of(agent, file),
        path: file.to_owned(),
        files: vec![file.to_owned()],
        is_guess: false,
    }
}

/// The files with prompts of a package, which may be in packages beside it for each system.
fn package(agent: PromptAgent, folder: &Path) -> Vec<Installation> {
    if manifest(folder).is_none() {
        return Vec::new();
    }
    let beside: Vec<PathBuf> = [folder.join("node_modules")]
        .into_iter()
        .chain(
            folder
                .ancestors()
                .find(|own| own.ends_with("node_modules"))
                .map(Path::to_owned),
        )
        .collect();
    let of_package = || version_of(agent, &folder.join("package.json"));
    let systems = |scope: &str, prefix: &str| -> Vec<PathBuf> {
        let folders = beside.iter().flat_map(|own| entries(&own.join(scope)));
        let is_own = |path: &PathBuf| name_of(path).starts_with(prefix);
        folders.filter(is_own).collect()
    };
    let programs = |folders: Vec<PathBuf>, inside: &[&str]| -> Vec<Installation> {
        let files = folders.iter().flat_map(|own| {
            inside
                .iter()
                .flat_map(|at| [own.join(at), own.join(format!("{at}.exe"))])
        });
        let files = files.filter(|file| file.is_file());
        let found = files.map(|file| program(agent, &file));
        // Packages for a system add its name to the version.
        let found = found.map(|own| Installation {
            version: of_package().or(own.version),
            ..own
        });
        found.collect()
    };
    let whole = |files: Vec<PathBuf>| Installation {
        agent,
        version: of_package(),
        path: folder.to_owned(),
        files,
        is_guess: false,
    };
    match agent {
        PromptAgent::Pi => {
            let modules = scripts(&folder.join("dist/core/compaction"));
            let files = if modules.is_empty() {
                scripts(&folder.join("dist/bundle/chunks"))
            } else {
                modules
            };
            vec![whole(files)]
        }
        PromptAgent::ClaudeCode => {
            let mut found = programs(systems("@anthropic-ai", "claude-code-"), &["claude"]);
            let script = folder.join("cli.js");
            if script.is_file() {
                found.push(program(agent, &script));
            }
            found
        }
        PromptAgent::Codex => {
            let mut folders = systems("@openai", "codex-");
            folders.push(folder.to_owned());
            let vendored = folders.iter().flat_map(|own| entries(&own.join("vendor")));
            programs(vendored.collect(), &["bin/codex", "codex/codex"])
        }
        PromptAgent::OpenCode => programs(systems("", "opencode-"), &["bin/opencode"]),
    }
}

/// The scripts of a folder.
fn scripts(folder: &Path) -> Vec<PathBuf> {
    let is_script = |path: &PathBuf| path.extension().is_some_and(|own| own == "js");
    entries(folder).into_iter().filter(is_script).collect()
}

/// What is in a folder, by name; nothing where it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = read.take(MOST_ENTRIES).map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn name_of(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}

fn manifest(folder: &Path) -> Option<Value> {
    serde_json::from_str(&read_text(&folder.join("package.json")).ok()?).ok()
}

/// The version of the agent's package around a file; of a program kept by version its name.
fn version_of(agent: PromptAgent, file: &Path) -> Option<String> {
    let name = name_of(file);
    if name.starts_with(|c: char| c.is_ascii_digit()) && name.contains('.') {
        return Some(name.to_owned());
    }
    let folders = file.ancestors().skip(1).take(MOST_PARENTS);
    // The package of a project around it has a version as well.
    let is_own = |own: &Value| {
        let name = own["name"].as_str().unwrap_or_default();
        let mut known = packages(agent).iter();
        known.any(|known| name.starts_with(known)) || name.starts_with(systems_of(agent))
    };
    let mut stated = folders.filter_map(manifest).filter(is_own);
    stated.find_map(|own| own["version"].as_str().map(str::to_owned))
}
