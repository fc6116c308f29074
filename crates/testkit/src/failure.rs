//! What every error of the workspace keeps to.

use palimpsest_core::Failure;

/// Checks that the message of each error holds no next step: no advice after a semicolon, no option
/// or command of one host, and no step of its own.
///
/// # Panics
/// With the message that does not.
pub fn assert_apart(errors: &[&dyn Failure]) {
    for error in errors {
        let message = error.to_string();
        for of_a_step in ["; ", "--", "`palimpsest"] {
            assert!(!message.contains(of_a_step), "'{of_a_step}' in: {message}");
        }
        if let Some(next) = error.next() {
            let words = next.to_string();
            assert!(!message.contains(&words), "'{words}' in: {message}");
        }
        let begins = message.chars().next();
        assert!(
            begins.is_some_and(|first| first.is_lowercase() || first == '\''),
            "the message does not begin like others: {message}"
        );
    }
}

/// Checks that a message that names the file ends with it, so that it can be copied whole.
///
/// # Panics
/// With the message that does not.
pub fn assert_path_last(errors: &[&dyn Failure], path: &str) {
    for error in errors {
        let message = error.to_string();
        assert!(
            !message.contains(path) || message.ends_with(path),
            "the path is not last: {message}"
        );
    }
}
