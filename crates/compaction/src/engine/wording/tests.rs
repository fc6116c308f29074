use super::*;

fn piece(text: &str) -> Vec<Vec<u8>> {
    vec![text.as_bytes().to_vec()]
}

fn of(found: &[Wording], strategy: &str, place: &str) -> String {
    let own = found
        .iter()
        .find(|own| own.strategy == strategy && own.place == place);
    own.map(|own| own.text.clone()).unwrap_or_default()
}

#[test]
fn pi_has_constants_in_modules() {
    let module = "import x from 'y';\nexport const SUMMARIZATION_SYSTEM_PROMPT = `Be a clerk.`;\n\
        const RULES = `1. Keep \\`paths\\`.`;\n\
        const SUMMARIZATION_PROMPT = `Write it down.\n\n## Goal\n[which]`;\n\
        const UPDATE_SUMMARIZATION_PROMPT = `Write it again.\n${RULES}`;\n\
        const BRANCH_SUMMARY_PREAMBLE = `They went elsewhere.\n\n`;\n\
        const BRANCH_SUMMARY_PROMPT = `What of the branch?`;\n";
    let found = wordings(PromptAgent::Pi, Some("1.5.2"), &piece(module));
    assert_eq!(of(&found, "pi", "system"), "Be a clerk.");
    let first = of(&found, "pi", "first");
    assert!(first.starts_with("<conversation>\n{{conversation}}\n</conversation>\n\n{{#request}}Write it down.\n\n## Goal\n[which]{{#instructions}}"), "{first}");
    assert!(
        first.ends_with("{{instructions}}{{/instructions}}{{/request}}"),
        "{first}"
    );
    let update = of(&found, "pi", "update");
    assert!(update.contains("{{previous_summary}}"), "{update}");
    assert!(
        update.contains("{{#request}}Write it again.\n1. Keep `paths`."),
        "{update}"
    );
    let stored = of(&found, "pi-branch", "stored");
    assert!(
        stored.starts_with("They went elsewhere.\n\n{{summary}}"),
        "{stored}"
    );
    assert!(of(&found, "pi-branch", "first").contains("What of the branch?"));
    assert_eq!(found.len(), 5);
}

#[test]
fn pi_in_a_bundle_and_by_version() {
    let bundle = "a=1;var SUMMARIZATION_PROMPT=`Of the library.`,SUMMARIZATION_PROMPT2=`Write it down.`,b=`x`;";
    for (version, strategy) in [
        (Some("0.87.1"), "pi-0.87"),
        (Some("0.86.0"), "pi-0.73"),
        (Some("0.1.0"), "pi-0.18"),
        (Some("2.0.0"), "pi"),
        (None, "pi"),
    ] {
        let found = wordings(PromptAgent::Pi, version, &piece(bundle));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].strategy, strategy, "{version:?}");
        assert_eq!(found[0].setting, "SUMMARIZATION_PROMPT");
        assert!(found[0].text.contains("Write it down."));
    }
}

#[test]
fn claude_code_has_three_requests_with_references() {
    let asks = |head: &str, last: &str| {
        format!(
            "{head}\n\n${{Zk}}\n\n1. Primary Request and Intent: all.\n9. {last}: more.${{q$}}\n<analysis></analysis><summary></summary>"
        )
    };
    let source = format!(
        "function a(e){{return`x ${{e.b}} Primary Request and Intent <analysis> <summary>`}}\
         var q$=' Only \"these\" \\u2014 ok.',Zk=`Think in tags.`,k1=`{}`,k2=`{}`,k3=`{}`;function b(){{}}",
        asks("All of it.", "Optional Next Step"),
        asks("The RECENT part.", "Optional Next Step"),
        asks("What was before.", "Context for Continuing Work"),
    );
    let found = wordings(PromptAgent::ClaudeCode, Some("2.1.329"), &piece(&source));
    assert_eq!(found.len(), 6);
    let text = of(&found, "claude-code", "first");
    assert!(
        text.contains("{{#request}}All of it.\n\nThink in tags.\n\n1."),
        "{text}"
    );
    assert!(
        text.contains("more. Only \"these\" \u{2014} ok.\n"),
        "{text}"
    );
    assert!(
        text.contains("Additional Instructions:\n{{instructions}}"),
        "{text}"
    );
    assert!(of(&found, "claude-code-from", "update").contains("The RECENT part."));
    assert!(of(&found, "claude-code-up-to", "first").contains("What was before."));
}

#[test]
fn opencode_joins_its_request_behind_the_conversation() {
    let source = "var v={};D(v,{buildPrompt:()=>HP,SessionCompaction:()=>v});var sf=`Keep this form.`,ZX=`Make one of both.`,\
        HP=(H)=>{let L=`So far:\n${H.context.join(`\n`)}`;if(!H.previousSummary)return[L,\"Begin with it.\",sf].join(`\n\n`);\
        return[L,`Before:\n${H.previousSummary}`,ZX,sf].join(`\n\n`)};var re=`You are a clerk.`;\
        x={explore:{prompt:ae},compaction:{name:\"compaction\",hidden:!0,prompt:re,options:{}},title:{}}";
    let found = wordings(PromptAgent::OpenCode, None, &piece(source));
    assert_eq!(found.len(), 3, "{found:#?}");
    assert_eq!(of(&found, "opencode", "system"), "You are a clerk.");
    let first = of(&found, "opencode", "first");
    assert!(
        first.contains("{{#request}}Begin with it.\n\nKeep this form.{{#instructions}}"),
        "{first}"
    );
    let update = of(&found, "opencode", "update");
    assert!(
        update.contains("{{#request}}Make one of both.\n\nKeep this form.{{#instructions}}"),
        "{update}"
    );
    // A function of the same name elsewhere is none of the prompt.
    let other = source.replace("SessionCompaction", "SessionTitle");
    assert_eq!(
        wordings(PromptAgent::OpenCode, None, &piece(&other)).len(),
        1
    );
}

#[test]
fn codex_has_texts_without_marks_between_them() {
    let prose = "A colleague began with this and left notes on it. The tools are as they were left. Go on from there and \
        repeat nothing that the notes call done, and here they are:";
    let binary = format!(
        "skill.injected{prose}event core/src/compact.rs:350codex_core::compactcore/src/compact.rssummary is missingNow \
         write it all down for a colleague.\n\nPut down:\n- the state\n- the rules\n- what is left\n\nBe short, and \
         be clear.\n(none)<status>x</status>\n"
    );
    let found = wordings(PromptAgent::Codex, Some("0.169.0"), &piece(&binary));
    let first = of(&found, "codex", "first");
    assert!(first.contains("{{#request}}Now write it all down for a colleague.\n\nPut down:\n- the state\n- the rules\n- what is left\n\nBe short, and be clear.{{/request}}"), "{first}");
    assert_eq!(
        of(&found, "codex", "stored"),
        format!("{prose}\n{{{{summary}}}}")
    );
    assert_eq!(found.len(), 3);
}

#[test]
fn a_file_without_ends_is_given_up() {
    let deep = "SUMMARIZATION_PROMPT=".to_owned() + &"`${".repeat(30_000);
    assert_eq!(wordings(PromptAgent::Pi, None, &piece(&deep)), []);
    let open = "a=`".repeat(30_000);
    assert_eq!(wordings(PromptAgent::Pi, None, &piece(&open)), []);
}

#[test]
fn nothing_is_found_where_nothing_is() {
    let files = [
        "",
        "`",
        "x=`${",
        "SUMMARIZATION_PROMPT",
        "SUMMARIZATION_PROMPT=`never ends",
        "SUMMARIZATION_PROMPT=`a ${f(x)} b`",
        "SUMMARIZATION_PROMPT=`a ${SUMMARIZATION_PROMPT} b`",
        "core/src/compact.rs:\n- ",
        "buildPrompt:()=>HP,SessionCompaction",
        "name:\"compaction\",prompt:",
        "k='\\u12' Primary Request and Intent",
        "k=\"\u{e9}\\ud83d\" =`\u{e9}`",
    ];
    for file in files {
        for agent in PromptAgent::ALL {
            assert_eq!(wordings(agent, None, &piece(file)), [], "{agent:?} {file}");
            let cut = [file.as_bytes(), &[0xff, 0xc3]].concat();
            assert_eq!(wordings(agent, None, &[cut]), [], "{agent:?} {file}");
        }
    }
}
