//! The screen of an agent's terminal that a person copies into a message: what another session said and did.

use super::line::Line;
use std::ops::Range;

/// Signs with which agents begin what they say, call and print in a terminal (Claude Code 1 and 2).
const SIGNS: [char; 8] = ['⏺', '⎿', '✻', '✽', '✶', '※', '❯', '⏵'];

/// Signs of its frames and of its head.
const FRAMES: [char; 8] = ['╭', '╰', '│', '▐', '▝', '▘', '─', '═'];

/// Of such a screen the lines with a sign or a frame, what is indented below them, and lines right below them that do
/// not read like a person's words are material.
pub(super) fn screens(text: &str, lines: &[Range<usize>], kinds: &mut [Line]) {
    let content = |at: usize| text[lines[at].clone()].trim_start();
    let is_said = |at: usize| content(at).starts_with(['⏺', '⎿']);
    if !(0..lines.len()).any(is_said) {
        return;
    }
    let mut inside = false;
    for at in 0..lines.len() {
        let is_sign = content(at).starts_with(SIGNS) || inside && content(at).starts_with(FRAMES);
        let goes_on = inside
            && (text[lines[at].clone()].starts_with([' ', '\t'])
                || at > 0 && kinds[at - 1] == Line::Material && kinds[at] != Line::Words);
        if content(at).is_empty() {
            continue;
        }
        inside = is_sign || goes_on;
        if inside && kinds[at] != Line::Wrapped {
            kinds[at] = Line::Material;
        }
    }
}
