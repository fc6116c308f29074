//! Where each agent's sessions are looked for on Linux, macOS and Windows, by default and where a
//! variable names another place.

use palimpsest_formats::{Places, agent_named, format_of};
use std::path::PathBuf;

const LINUX: &str = "/home/ada";
const MAC: &str = "/Users/ada";
const WINDOWS: &str = r"C:\Users\ada";

/// A variable of the environment with its value.
type Variable<'a> = (&'a str, &'a str);

/// The folders of an agent with this home and these variables.
fn roots(agent: &str, home: &str, variables: &[Variable<'_>]) -> Vec<PathBuf> {
    let format = agent_named(agent).and_then(format_of);
    let format = format.unwrap_or_else(|| panic!("{agent} is not read"));
    let env = variables.iter();
    format.default_roots(&Places {
        home: home.into(),
        env: env
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
    })
}

#[test]
fn homes_of_all_systems_are_searched() {
    // Below the home folder on every system.
    for (agent, below) in [
        ("factory-droid", ".factory/sessions"),
        ("mux", ".xum/sessions"),
        ("mux", ".mux/sessions"),
        ("mux", ".cmux/sessions"),
        ("copilot", ".copilot/session-state"),
        ("copilot", ".copilot/history-session-state"),
        ("continue", ".continue/sessions"),
        ("copilot-chat", ".vscode-server/data/User/workspaceStorage"),
    ] {
        for home in [LINUX, MAC, WINDOWS] {
            let expected = PathBuf::from(home).join(below);
            let found = roots(agent, home, &[]);
            assert!(found.contains(&expected), "{agent} {home}: {found:?}");
        }
    }
    // Editors keep their files where each system keeps those of programs.
    for (home, base) in [
        (LINUX, ".config"),
        (MAC, "Library/Application Support"),
        (WINDOWS, "AppData/Roaming"),
    ] {
        for editor in ["Code", "Code - Insiders", "VSCodium"] {
            let user = PathBuf::from(home).join(base).join(editor).join("User");
            let found = roots("copilot-chat", home, &[]);
            for folder in [
                user.join("workspaceStorage"),
                user.join("globalStorage/emptyWindowChatSessions"),
                user.join("globalStorage/transferredChatSessions"),
            ] {
                assert!(found.contains(&folder), "{}", folder.display());
            }
        }
    }
    // A server's chats have no place on the user's machine.
    assert_eq!(roots("coder", LINUX, &[]), Vec::<PathBuf>::new());
}

#[test]
fn variables_name_other_places_on_all_systems() {
    for (agent, variable, value, expected) in [
        (
            "factory-droid",
            "FACTORY_HOME_OVERRIDE",
            "/srv/f",
            "/srv/f/.factory/sessions",
        ),
        ("mux", "XUM_ROOT", "/srv/x", "/srv/x/sessions"),
        ("mux", "MUX_ROOT", "/srv/m", "/srv/m/sessions"),
        ("copilot", "COPILOT_HOME", "/srv/c", "/srv/c/session-state"),
        (
            "copilot",
            "XDG_STATE_HOME",
            "/srv/s",
            "/srv/s/.copilot/session-state",
        ),
        (
            "continue",
            "CONTINUE_GLOBAL_DIR",
            "/srv/g",
            "/srv/g/sessions",
        ),
        (
            "copilot-chat",
            "VSCODE_PORTABLE",
            "/usb",
            "/usb/user-data/User/workspaceStorage",
        ),
        (
            "copilot-chat",
            "APPDATA",
            "/srv/roaming",
            "/srv/roaming/Code/User/workspaceStorage",
        ),
        (
            "copilot-chat",
            "XDG_CONFIG_HOME",
            "/srv/config",
            "/srv/config/Code/User/workspaceStorage",
        ),
    ] {
        for home in [LINUX, MAC, WINDOWS] {
            let found = roots(agent, home, &[(variable, value)]);
            let expected = PathBuf::from(expected);
            assert!(found.contains(&expected), "{agent} {variable}: {found:?}");
            // An empty variable is none.
            let usual = roots(agent, home, &[]);
            assert_eq!(roots(agent, home, &[(variable, "")]), usual, "{variable}");
        }
    }
}

#[test]
fn no_folder_is_named_twice() {
    for agent in [
        "factory-droid",
        "mux",
        "copilot",
        "copilot-chat",
        "continue",
    ] {
        let variables = [
            ("XUM_ROOT", "/home/ada/.xum"),
            ("XDG_STATE_HOME", "/home/ada"),
            ("XDG_CONFIG_HOME", "/home/ada/.config"),
            ("APPDATA", "/home/ada/AppData/Roaming"),
        ];
        let found = roots(agent, LINUX, &variables);
        let mut once = found.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), found.len(), "{agent}: {found:?}");
    }
}
