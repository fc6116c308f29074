//! Saved prompts and custom presets, from the command line.

use super::program::Program;
use serde_json::{Value, json};
use std::fs;

const SAMPLE: &str = "../../assets/samples";

/// A sample session that comes with the program.
fn session() -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(SAMPLE);
    let mut found = Vec::new();
    let mut open = vec![folder];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "jsonl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found[0].to_str().unwrap().to_owned()
}

#[test]
fn a_run_names_the_version_of_its_prompts() {
    let program = Program::new();
    let session = session();
    let file = program.home.path().join("system.txt");
    let saved = |text: &str| {
        fs::write(&file, text).unwrap();
        let file = file.to_str().unwrap();
        program.json(&[
            "prompts",
            "save",
            "mine",
            "--file",
            file,
            "--strategy",
            "pi",
            "--place",
            "system",
        ])
    };
    assert_eq!(saved("You write summaries.")["version"], 1);
    assert_eq!(saved("You write short summaries.")["version"], 2);
    // A text that is a version already is no new one.
    assert_eq!(saved("You write summaries.")["version"], 1);
    let set = ["--set", "keep_recent_tokens=500"];
    let args = |rest: &[&'static str]| {
        let mut args = vec!["compact", &*session];
        args.extend(set);
        args.extend(rest);
        program.json(&args)
    };
    let named = args(&["--prompt", "system=mine@1"]);
    let call = &named["plan"]["calls"][0];
    assert_eq!(call["system"], "You write summaries.");
    let used = |run: &Value, place: &str| -> Value {
        let all = run["plan"]["prompts"].as_array().unwrap();
        all.iter()
            .find(|own| own["place"] == place)
            .unwrap()
            .clone()
    };
    let system = used(&named, "system");
    assert_eq!(
        (&system["name"], &system["version"]),
        (&json!("mine"), &json!(1))
    );
    assert_eq!(used(&named, "first")["own"], false);
    // What was not saved before the run is saved with it.
    let unsaved = args(&["--instructions", "Name the ports."]);
    let instructions = used(&unsaved, "instructions");
    assert_eq!(instructions["name"], "instructions");
    assert_eq!(instructions["version"], 1);
    let shown = program.json(&["prompts", "show", "instructions@1"]);
    assert_eq!(shown["text"], "Name the ports.");
    assert_eq!(shown["hash"], instructions["hash"]);
    program.json(&["prompts", "delete", "instructions"]);
    program.fails(
        &["prompts", "show", "instructions"],
        &["no saved prompt 'instructions'"],
    );
}

#[test]
fn a_prompt_without_its_place_is_refused() {
    let program = Program::new();
    let file = program.home.path().join("prompt.txt");
    let fails = |text: &str, words: &[&str]| {
        fs::write(&file, text).unwrap();
        let file = file.to_str().unwrap();
        let args = [
            "prompts",
            "save",
            "bad",
            "--file",
            file,
            "--strategy",
            "pi",
            "--place",
            "first",
        ];
        program.fails(&args, words);
    };
    fails("Summarize.", &["'first'", "{{conversation}}"]);
    fails("{{conversation}} {{nonsense}}", &["nonsense", "there are"]);
    fails(" ", &["is empty"]);
    let of_nobody = [
        "prompts",
        "save",
        "x",
        "--file",
        file.to_str().unwrap(),
        "--strategy",
        "nobody",
    ];
    fs::write(&file, "Be brief.").unwrap();
    program.fails(&of_nobody, &["no strategy 'nobody'"]);
    let nowhere = program.json(&["prompts", "import", "--project", "/nowhere"]);
    let warning = nowhere["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("The project folder /nowhere is not on this machine."),
        "{warning}"
    );
    assert_eq!(program.json(&["prompts"]), json!([]));
}

#[test]
fn a_saved_prompt_that_does_not_fit_its_place_is_named() {
    let program = Program::new();
    let file = program.home.path().join("prompt.txt");
    fs::write(&file, "Summarize.").unwrap();
    program.json(&["prompts", "save", "mine", "--file", file.to_str().unwrap()]);
    let session = session();
    let plan = |prompt: &str, words: &[&str]| {
        program.fails(&["plan", &session, "--prompt", prompt], words);
    };
    plan(
        "first=mine",
        &["saved prompt 'mine'", "'first'", "{{conversation}}"],
    );
    // The names that are listed can be given as they are.
    plan(
        "nowhere=mine",
        &["no prompt 'nowhere'", "first", "instructions"],
    );
    let elsewhere = program.run(&[
        "plan",
        &session,
        "--base-url",
        "ftp://127.0.0.1:9",
        "--provider",
        "openai",
        "--model",
        "m",
    ]);
    assert_eq!(elsewhere.code, 2);
    for words in ["begins with ftp://", "with --base-url"] {
        assert!(elsewhere.stderr.contains(words), "{}", elsewhere.stderr);
    }
}

#[test]
fn agents_settings_are_taken_over_and_not_touched() {
    let program = Program::new();
    let home = program.home.path().to_owned();
    let write = |path: &str, text: &str| {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    };
    let codex = write(
        ".codex/config.toml",
        "experimental_compact_prompt_file = \"own.md\"\n",
    );
    write(".codex/own.md", "Hand over with ports.\n");
    write(
        ".claude/CLAUDE.md",
        "# Me\n## Compact Instructions\nKeep paths.\n",
    );
    write(
        ".pi/agent/settings.json",
        "{\"compaction\": {\"keepRecentTokens\": 700}}",
    );
    write(".config/opencode/opencode.json", "{ broken");
    let project = write(
        "project/CLAUDE.md",
        "## Compact Instructions\nKeep tests.\n",
    );
    let project = project.parent().unwrap().to_str().unwrap().to_owned();
    let before = fs::metadata(&codex).unwrap().modified().unwrap();
    let dry = program.json(&["prompts", "import", "--dry-run", "--project", &project]);
    assert_eq!(dry["found"].as_array().unwrap().len(), 4);
    assert_eq!(program.json(&["prompts"]), json!([]));
    let done = program.json(&["prompts", "import", "--project", &project]);
    let warnings = done["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].as_str().unwrap().contains("opencode.json"));
    let prompts = program.json(&["prompts"]);
    let texts: Vec<&str> = prompts
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        texts,
        ["Keep tests.", "Keep paths.", "Hand over with ports."]
    );
    // pi's settings are a strategy now.
    let session = session();
    let plan = program.json(&["plan", &session, "--strategy", "my-pi"]);
    assert_eq!(plan["params"]["keep_recent_tokens"], 700);
    // A second time finds the same and makes nothing new.
    program.json(&["prompts", "import", "--project", &project]);
    assert_eq!(program.json(&["prompts"]), prompts);
    assert_eq!(fs::metadata(&codex).unwrap().modified().unwrap(), before);
    assert_eq!(
        fs::read_to_string(home.join(".codex/own.md")).unwrap(),
        "Hand over with ports.\n"
    );
}

#[cfg(unix)]
#[test]
fn settings_of_a_project_lead_to_no_file_outside_of_it() {
    use std::os::unix::fs::symlink;
    let program = Program::new();
    let home = program.home.path().to_owned();
    let write = |path: &str, text: &str| {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    };
    let secret = write("secret.md", "## Compact Instructions\nThe secret.\n");
    write("project/inside/prompt.md", "Inside.");
    let project = home.join("project");
    symlink(&secret, project.join("CLAUDE.md")).unwrap();
    let names = [
        "../../secret.md",
        "~/secret.md",
        "../linked.md",
        "../inside/prompt.md",
    ];
    symlink(&secret, project.join("linked.md")).unwrap();
    let mut taken = Vec::new();
    for name in names {
        let text = format!("experimental_compact_prompt_file = {name:?}\n");
        write("project/.codex/config.toml", &text);
        let project = project.to_str().unwrap();
        let found = program.json(&["prompts", "import", "--dry-run", "--project", project]);
        assert!(!found.to_string().contains("The secret"), "{name}: {found}");
        let warnings = found["warnings"].to_string();
        assert!(
            warnings.contains("outside of the project"),
            "{name}: {warnings}"
        );
        taken.push(found["found"].as_array().unwrap().len());
    }
    assert_eq!(taken, [0, 0, 0, 1], "only what is inside is taken");
}

#[test]
fn a_broken_preset_of_the_user_is_listed_with_its_reason() {
    let program = Program::new();
    let folder = program.data_dir().join("presets");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("mine.json"),
        r#"{"name": "x", "extends": "pi", "select": {"keep_recent_tokens": 9}}"#,
    )
    .unwrap();
    fs::write(folder.join("broken.json"), "{").unwrap();
    fs::write(folder.join("pi.json"), "{}").unwrap();
    let all = program.json(&["strategies"]);
    let of = |name: &str, own: bool| -> Value {
        let rows = all.as_array().unwrap().iter();
        let mut found = rows.filter(|row| row["name"] == name && row["path"].is_string() == own);
        found.next_back().cloned().unwrap()
    };
    assert_eq!(of("mine", true)["error"], Value::Null);
    assert!(
        of("broken", true)["error"]
            .as_str()
            .unwrap()
            .contains("the JSON ends too early")
    );
    assert!(
        of("pi", true)["error"]
            .as_str()
            .unwrap()
            .contains("built-in")
    );
    assert!(of("pi", false)["error"].is_null());
    program.fails(
        &["plan", &session(), "--strategy", "broken"],
        &["broken.json", "cannot be used"],
    );
    program.fails(
        &["plan", &session(), "--strategy", "nobody"],
        &["nobody", "palimpsest strategies"],
    );
    let refused = program.run(&["plan", &session(), "--strategy", "nobody", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&refused.stdout).unwrap();
    let known = document["error"]["next"]["known"].as_array().unwrap();
    for name in ["mine", "pi"] {
        assert!(known.iter().any(|own| own == name), "{document}");
    }
}

#[test]
fn strategies_are_lines_and_one_is_shown_whole() {
    let program = Program::new();
    let all = program.run(&["strategies"]).stdout;
    let lines: Vec<&str> = all.lines().collect();
    // A line each, and what they are followed by.
    let count = program.json(&["strategies"]).as_array().unwrap().len();
    assert!(lines.len() < count + 5, "{} lines", lines.len());
    assert!(lines.iter().any(|line| line.starts_with("extractive ")));
    let one = program.run(&["strategies", "pi"]).stdout;
    for words in [
        "keep_recent_tokens = 20000 tokens",
        "prompts.first: ",
        "  | ## Goal",
    ] {
        assert!(one.contains(words), "{words} is not in {one}");
    }
    assert!(!one.contains("assumptions and omissions"), "{one}");
    let one = program.run(&["strategies", "codex"]).stdout;
    let told = "\nassumptions and omissions\n  - The system prompt and the tools of Codex";
    assert!(one.contains(told), "{one}");
    let one = program.json(&["strategies", "pi"]);
    assert_eq!(one.as_array().unwrap().len(), 1);
    program.fails(
        &["strategies", "nobody"],
        &["no strategy 'nobody'", "palimpsest strategies"],
    );
}

#[test]
fn a_plan_names_each_of_its_calls() {
    let program = Program::new();
    let plan = program.run(&["plan", &session(), "--strategy", "kask"]);
    let call = |which: &str| format!("call for the summary ({which}): about ");
    for which in ["segment 1 of 2", "segment 2 of 2", "segments put together"] {
        assert!(plan.stdout.contains(&call(which)), "{}", plan.stdout);
    }
}

#[test]
fn the_wording_of_an_installed_agent_is_found_and_imported() {
    let program = Program::new();
    let package = program
        .home
        .path()
        .join("apps/node_modules/@earendil-works/pi-coding-agent");
    let modules = package.join("dist/core/compaction");
    fs::create_dir_all(&modules).unwrap();
    let manifest = r#"{"name": "@earendil-works/pi-coding-agent", "version": "1.5.2"}"#;
    fs::write(package.join("package.json"), manifest).unwrap();
    let module = "const SUMMARIZATION_PROMPT = `Put the state on paper.`;\n";
    fs::write(modules.join("compaction.js"), module).unwrap();
    let folder = program.home.path().join("apps");
    let folder = folder.to_str().unwrap();
    let found = program.json(&["prompts", "find", "--in", folder]);
    assert_eq!(found["agents"][0]["agent"], "pi");
    assert_eq!(found["agents"][0]["version"], "1.5.2");
    let prompt = &found["agents"][0]["prompts"][0];
    assert_eq!(
        (&prompt["strategy"], &prompt["place"]),
        (&json!("pi"), &json!("first"))
    );
    assert_eq!(
        found["without"],
        json!(["claude-code", "codex", "opencode"])
    );
    let import = |more: &[&'static str]| {
        let mut args = vec!["prompts", "import", "--installed", "--in", folder];
        args.extend(more);
        program.json(&args)
    };
    import(&["--dry-run"]);
    assert_eq!(program.json(&["prompts"]), json!([]));
    assert_eq!(import(&[])["found"][0]["version"], 1);
    let saved = program.json(&["prompts"]);
    let source = saved[0]["source"].as_str().unwrap();
    assert!(source.ends_with("pi-coding-agent (pi 1.5.2)"), "{source}");
    let human = program.run(&["prompts", "find", "--in", folder]);
    assert!(
        human.stdout.contains("saved as pi first (installed)@1"),
        "{}",
        human.stdout
    );
    assert!(
        human.stdout.contains("no prompt found of codex"),
        "{}",
        human.stdout
    );
    let missing = program.run(&[
        "prompts",
        "import",
        "--installed",
        "--in",
        folder,
        "--name",
        "x",
    ]);
    assert_eq!(missing.code, 1);

    let name = "pi first (installed)";
    let labeled = program.json(&["prompts", "label", name, "baseline"]);
    assert_eq!(labeled["label"], "baseline");
    program.json(&["prompts", "rename", name, "pi's own"]);
    let saved = program.json(&["prompts", "show", "pi's own@1"]);
    assert_eq!(saved["label"], "baseline");
    let human = program.run(&["prompts"]);
    assert!(
        human.stdout.contains("pi's own@1 (baseline)"),
        "{}",
        human.stdout
    );
    let removed = program.json(&["prompts", "label", "pi's own", "--remove"]);
    assert_eq!(removed["label"], json!(null));
}

#[test]
fn a_prompt_is_not_replaced_offline() {
    let program = Program::new();
    let session = session();
    let args = |command| {
        [
            command,
            &*session,
            "--set",
            "keep_recent_tokens=500",
            "--instructions",
            "Only ports.",
            "--replace-prompt",
        ]
    };
    let refused = program.run(&args("compact"));
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("Leave out --replace-prompt."),
        "{}",
        refused.stderr
    );
    // A plan shows what a model would be sent.
    assert_eq!(program.run(&args("plan")).code, 0);
}
