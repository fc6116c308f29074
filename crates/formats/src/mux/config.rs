//! What Mux's `config.json` says of a workspace.

use crate::json::{field, filled, items, parse};
use serde_json::Value;

/// The entry of workspace `id` in the configuration, and the folder of its project.
pub(super) fn workspace(config: &str, id: &str) -> Option<(Value, Option<String>)> {
    let config = parse(config).ok()?;
    let of_project = |path: Option<&str>, project: &Value| {
        let mut own = items(project, "workspaces").iter();
        let found = own.find(|workspace| filled(workspace, "id") == Some(id))?;
        Some((found.clone(), path.map(str::to_owned)))
    };
    match field(&config, "projects") {
        // Pairs of a folder and its project.
        Value::Array(pairs) => pairs.iter().find_map(|pair| {
            let path = pair.get(0).and_then(Value::as_str);
            of_project(path, pair.get(1)?)
        }),
        Value::Object(projects) => projects
            .iter()
            .find_map(|(path, project)| of_project(Some(path), project)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_list_are_read() {
        for config in [
            r#"{"projects":[["/p",{"workspaces":[{"id":"a"},{"id":"b","name":"x"}]}]]}"#,
            r#"{"projects":{"/p":{"workspaces":[{"id":"b","name":"x"}]}}}"#,
        ] {
            let (found, project) = workspace(config, "b").unwrap();
            assert_eq!(filled(&found, "name"), Some("x"));
            assert_eq!(project.as_deref(), Some("/p"));
            assert_eq!(workspace(config, "c"), None);
        }
        for config in ["", "{}", r#"{"projects":[1,[2],["/p"]]}"#] {
            assert_eq!(workspace(config, "b"), None, "{config}");
        }
    }
}
