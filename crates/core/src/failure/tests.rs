//! What every next step says.

use super::NextStep;

#[test]
fn every_step_has_words_that_hold_in_every_host() {
    for step in NextStep::examples() {
        let words = step.to_string();
        assert!(words.starts_with(char::is_uppercase), "{step:?}: {words}");
        assert!(words.ends_with('.'), "{step:?}: {words}");
        for of_one_host in ["--", "`", "palimpsest ", "window of", "; "] {
            assert!(!words.contains(of_one_host), "{step:?}: {words}");
        }
    }
}

#[test]
fn a_step_is_read_as_it_was_written() {
    for step in NextStep::examples() {
        let json = serde_json::to_string(&step).unwrap();
        assert_eq!(serde_json::from_str::<NextStep>(&json).unwrap(), step);
    }
}
