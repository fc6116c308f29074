use super::*;
use crate::options::Options;
use palimpsest_formats::Places;
use palimpsest_testkit::home::TempHome;
use std::sync::Arc;

/// A machine with agents of our own making.
struct Machine {
    home: TempHome,
    app: Arc<App>,
}

const PI: &str = "const SUMMARIZATION_PROMPT = `Write the state down.`;\n";
const CODEX: &[u8] =
    b"\x7fELF\0\xff so it is.core/src/compact.rsNow put it on paper for a colleague.\n\nWrite:\n\
    - what\n- how\n- when\n\nBe short.\nnext text\0";

impl Machine {
    fn new() -> Machine {
        let home = TempHome::new();
        let bin = home.path().join("usr/bin");
        let options = Options {
            data_dir: home.path().join("data"),
            places: Places {
                home: home.path().to_owned(),
                env: [("PATH".to_owned(), bin.display().to_string())].into(),
            },
            samples_only: false,
            programs_in: None,
            only_known_programs: false,
        };
        let app = App::start(options, Arc::new(|_| {})).unwrap();
        Machine { home, app }
    }

    fn add(&self, path: &str, bytes: impl AsRef<[u8]>) {
        self.home.add_file(path, bytes.as_ref()).unwrap();
    }

    /// pi as npm installs it, its version in the package.
    fn add_pi(&self, modules: &str, version: &str, text: &str) {
        let package = format!("{modules}/@earendil-works/pi-coding-agent");
        let manifest =
            format!(r#"{{"name": "@earendil-works/pi-coding-agent", "version": "{version}"}}"#);
        self.add(&format!("{package}/package.json"), manifest);
        self.add(
            &format!("{package}/dist/core/compaction/compaction.js"),
            text,
        );
        self.add(&format!("{package}/dist/cli.js"), "start();");
    }
}

#[test]
fn an_empty_machine_has_none() {
    let machine = Machine::new();
    let found = machine.app.installed_prompts(None).unwrap();
    assert_eq!(found.agents, []);
    assert_eq!(found.without, ["pi", "claude-code", "codex", "opencode"]);
    let missing = machine.home.path().join("nowhere");
    assert!(machine.app.installed_prompts(Some(&missing)).is_err());
}

#[cfg(unix)]
#[test]
fn a_program_of_the_path_leads_to_its_package() {
    let machine = Machine::new();
    machine.add_pi("usr/lib/node_modules", "1.5.2", PI);
    machine.add("usr/bin/other", "x");
    let cli = "../lib/node_modules/@earendil-works/pi-coding-agent/dist/cli.js";
    std::os::unix::fs::symlink(cli, machine.home.path().join("usr/bin/pi")).unwrap();
    let found = machine.app.installed_prompts(None).unwrap();
    // Found by the link and in the folder of packages, listed once.
    assert_eq!(found.agents.len(), 1, "{found:#?}");
    let pi = &found.agents[0];
    assert_eq!((pi.agent, pi.version.as_deref()), ("pi", Some("1.5.2")));
    assert!(pi.path.ends_with("pi-coding-agent"), "{}", pi.path);
    let prompt = &pi.prompts[0];
    assert_eq!(prompt.name, "pi first (installed)");
    assert_eq!(prompt.saved, None);
    assert_eq!(found.without, ["claude-code", "codex", "opencode"]);
    // Nothing was saved by looking.
    assert!(machine.app.prompts(None).unwrap().is_empty());
}

#[test]
fn what_is_imported_is_a_version_with_its_origin() {
    let machine = Machine::new();
    machine.add_pi("usr/lib/node_modules", "1.5.2", PI);
    let report = machine.app.import_installed(None, &[]).unwrap();
    assert_eq!((report.imported.len(), report.warnings.len()), (1, 0));
    let saved = machine.app.prompt("pi first (installed)").unwrap();
    assert!(
        saved.text.contains("{{#request}}Write the state down."),
        "{}",
        saved.text
    );
    assert_eq!(saved.origin.strategy.as_deref(), Some("pi"));
    assert_eq!(saved.origin.place.as_deref(), Some("first"));
    let source = saved.origin.source.unwrap();
    assert!(source.ends_with("pi-coding-agent (pi 1.5.2)"), "{source}");
    // Again: the same version. A newer agent: the next one.
    machine.app.import_installed(None, &[]).unwrap();
    assert_eq!(machine.app.prompts(None).unwrap().len(), 1);
    let found = machine.app.installed_prompts(None).unwrap();
    assert_eq!(found.agents[0].prompts[0].saved, Some(1));
    machine.add_pi("usr/lib/node_modules", "1.6.0", &PI.replace("down", "here"));
    let report = machine.app.import_installed(None, &[]).unwrap();
    assert_eq!(report.imported[0].version, Some(2));
    let unknown = machine
        .app
        .import_installed(None, &["pi last (installed)".to_owned()]);
    assert!(unknown.is_err());
}

#[test]
fn programs_and_packages_of_systems_are_read() {
    let machine = Machine::new();
    let modules = "apps/node_modules";
    machine.add(
        &format!("{modules}/@openai/codex/package.json"),
        r#"{"name": "@openai/codex", "version": "0.9.0"}"#,
    );
    let codex = format!("{modules}/@openai/codex-linux-x64");
    machine.add(
        &format!("{codex}/package.json"),
        r#"{"version": "0.9.0-linux"}"#,
    );
    machine.add(&format!("{codex}/vendor/some-system/bin/codex"), CODEX);
    // A second system with the same text says nothing new.
    let other = format!("{modules}/@openai/codex-linux-arm64/vendor/other/bin/codex");
    machine.add(&other, CODEX);
    machine.add(
        &format!("{modules}/opencode-ai/package.json"),
        r#"{"name": "opencode-ai", "version": "1.0.0"}"#,
    );
    machine.add(
        &format!("{modules}/opencode-linux-x64/bin/opencode"),
        "name:\"compaction\",prompt:k,x;var k=`Be a clerk.`",
    );
    machine.add(
        ".local/share/claude/versions/2.1.0",
        "nothing that is known",
    );
    let found = machine
        .app
        .installed_prompts(Some(&machine.home.path().join("apps")))
        .unwrap();
    let said: Vec<_> = found
        .agents
        .iter()
        .map(|own| (own.agent, own.version.as_deref(), own.prompts.len()))
        .collect();
    assert_eq!(
        said,
        [("codex", Some("0.9.0"), 2), ("opencode", Some("1.0.0"), 1)],
        "{found:#?}"
    );
    let found = machine.app.installed_prompts(None).unwrap();
    let claude = &found.agents[0];
    assert_eq!(
        (claude.agent, claude.version.as_deref()),
        ("claude-code", Some("2.1.0"))
    );
    assert_eq!(
        claude.problem.as_deref(),
        Some("its files hold no prompt in a known form")
    );
    // One file, whatever its name.
    machine.add("downloads/program", CODEX);
    let file = machine.home.path().join("downloads/program");
    let found = machine.app.installed_prompts(Some(&file)).unwrap();
    assert_eq!(found.agents.len(), 1);
    assert_eq!(
        (found.agents[0].agent, found.agents[0].prompts.len()),
        ("codex", 2)
    );
    let names = ["codex update (installed)".to_owned()];
    let report = machine.app.import_installed(Some(&file), &names).unwrap();
    assert_eq!(report.imported.len(), 1);
    assert_eq!(machine.app.prompts(None).unwrap().len(), 1);
}

#[cfg(unix)]
#[test]
fn nothing_that_could_wait_is_read() {
    let machine = Machine::new();
    machine.add_pi("usr/lib/node_modules", "1.5.2", PI);
    let folder = "usr/lib/node_modules/@earendil-works/pi-coding-agent/dist/core/compaction";
    let pipe = machine.home.path().join(folder).join("utils.js");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let found = machine.app.installed_prompts(None).unwrap();
    assert_eq!(found.agents[0].prompts.len(), 1, "{found:#?}");
}
