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
    // What could not be done, in the two forms in which programs say so.
    "could not create", "could not solve", "could not determine", "could not load", "could not parse",
    "could not start", "could not write", "could not locate", "could not establish", "could not install",
    "could not execute", "could not initialize", "could not bind", "could not verify", "could not download",
    "could not fetch", "could not apply", "could not delete", "could not update", "could not save",
    "could not allocate", "could not launch", "unable to create", "unable to load", "unable to start",
    "unable to parse", "unable to fetch", "unable to locate", "unable to determine", "unable to verify",
    "unable to install", "unable to read", "unable to write", "unable to bind", "unable to execute",
    "unable to get", "unable to authenticate",
    // Resolvers of packages.
    "no installation candidate", "is not installable", "no viable options", "can be installed",
    "no candidates found", "does not satisfy", "do not satisfy", "not satisfied by", "are incompatible",
    "is incompatible with", "not compatible with", "are unsatisfiable", "unmet dependencies",
    "is missing from your system", "depends on conflicting",
    // Servers, deployments and models.
    "is not mergeable", "policy prohibits", "mapping not found", "no matches for kind", "is forbidden:",
    "certificate problem", "certificate has expired", "self-signed certificate", "identification has changed",
    "has changed and you have requested", "has not been declared", "is not expected here", "size mismatch for",
    "unexpected key(s)", "missing key(s)", "cannot be multiplied", "unterminated ", "is not a valid",
    "main process exited",
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
    "response code: ",
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
            ("unable to locate package rows-dev", true),
            ("could not load the plan of row 3", true),
            ("rows 2.0 and cells 1.0 are incompatible", true),
            ("the pull request is not mergeable", true),
            ("response code: 503", true),
        ] {
            assert_eq!(report(line), is, "for {line}");
        }
    }
}
