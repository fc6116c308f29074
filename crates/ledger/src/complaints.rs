//! Turns of programs that report a failure in words of their own.

use crate::turns::Turns;

/// Turns that report a failure without a word like "error": of shells, parsers of arguments,
/// compilers, package managers, git, servers and formatters.
#[rustfmt::skip]
pub(crate) const PHRASES: &[&str] = &[
    "command not found", "no such file", "permission denied", "operation not permitted",
    "connection refused", "connection reset", "timed out", "network is unreachable",
    "cannot find", "could not find", "couldn't find", "can't find", "cannot read",
    "cannot open", "can't open", "cannot write", "cannot access", "cannot stat", "cannot create",
    "cannot remove", "cannot resolve", "can't resolve", "could not resolve", "could not connect",
    "could not read", "could not open", "unable to resolve", "unable to find", "unable to access",
    "merge conflict", "conflict (content)", "unexpected token", "unexpected end of",
    "syntax error", "parse error", "is not recognized", "segmentation fault", "core dumped",
    "out of memory", "stack overflow", "data race", "unbound variable", "bad substitution",
    "is a directory", "not a directory", "no space left", "address already in use",
    "unknown flag", "unknown shorthand flag", "unknown option", "unknown command",
    "unknown argument", "unrecognized option", "unrecognized argument", "unrecognized command",
    "invalid option", "invalid choice", "unexpected argument", "missing required",
    "requires an argument", "accepts at most", "accepts at least", "too many arguments",
    "too few arguments", "arg(s), received", "the following arguments are required",
    "not a git repository", "did not match any file", "would be overwritten by",
    "[rejected]", "non-fast-forward", "patch does not apply", "refusing to", "needs merge",
    "undefined:", "is not defined", "undefined reference", "undeclared", "declared and not used",
    "imported and not used", "no module named", "module not found", "missing script",
    "no matching", "syntax error at or near", "no such table", "no such column",
    "access denied", "401 unauthorized", "403 forbidden", "bad gateway", "service unavailable",
    "internal server error", "too many requests", "rate limit exceeded",
    "would reformat", "need gofmt", "not formatted", "code style issues found",
    "cannot connect", "can't connect", "couldn't connect", "no matches found", "is not exported by",
    "expecting value", "not a known attribute", "does not exist on type", "version solving failed",
    "404 not found", "400 bad request", "409 conflict", "405 method not allowed", "422 unprocessable",
    "gateway timeout", "undefined symbol", "can't locate", "needs an argument", "nxdomain", "servfail",
    "terminate called after throwing",
    "unresolved reference", "cannot be resolved", "unable to connect", "unable to open",
];

static PHRASE_TURNS: Turns = Turns::anywhere(PHRASES);

/// What stands in front of a status of HTTP.
pub(crate) const STATUSES: &[&str] = &[
    "http ",
    "http/1.1 ",
    "http/2 ",
    "status code ",
    "status code: ",
    "status: ",
];

/// True for a status of HTTP that refuses (`HTTP 404`, `HTTP/1.1 502`, `status code 403`).
fn refused_by_server(lower: &str) -> bool {
    STATUSES.iter().any(|cue| {
        lower.match_indices(cue).any(|(at, _)| {
            let code = lower[at + cue.len()..].bytes();
            let digits: Vec<u8> = code.take_while(u8::is_ascii_digit).collect();
            digits.len() == 3 && matches!(digits[0], b'4' | b'5')
        })
    })
}

/// True for a line, in lower case, with such a turn or such a status.
pub(crate) fn report(lower: &str) -> bool {
    PHRASE_TURNS.stand_in(lower) || refused_by_server(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_of_programs_report_failures() {
        for (line, is) in [
            ("unknown flag: --fast", true),
            ("gh: not found (http 404)", true),
            ("status: 503", true),
            ("http/1.1 200 ok", false),
            ("status: 12 rows", false),
            ("all rows are read", false),
        ] {
            assert_eq!(report(line), is, "for {line}");
        }
    }
}
