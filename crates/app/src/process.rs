//! This process among the others of the machine: what it makes is noted with its mark, and another
//! process tells by the mark whether it still runs.

use palimpsest_store::user::ProcessMark;
use std::sync::OnceLock;

/// The mark of this process.
pub(crate) fn own() -> &'static ProcessMark {
    static OWN: OnceLock<ProcessMark> = OnceLock::new();
    OWN.get_or_init(|| {
        let pid = std::process::id();
        ProcessMark {
            pid,
            began: began(pid).unwrap_or_default(),
        }
    })
}

/// Whether the process of a mark runs now. A number that was given to another process since does
/// not count.
pub(crate) fn is_live(mark: &ProcessMark) -> bool {
    mark == own() || began(mark.pid).is_some_and(|began| began == mark.began)
}

/// When a process began: the start of the system and the time since, in the system's ticks. `None`
/// for a process that has ended.
#[cfg(target_os = "linux")]
fn began(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let (state, ticks) = state_and_start(&stat)?;
    // One that has ended and that nobody has asked about yet still has its number.
    (!matches!(state, "Z" | "X")).then(|| format!("{} {ticks}", boot.trim()))
}

/// The third and the 22nd field of `/proc/PID/stat` (proc(5)). The second is the name of the program
/// in parentheses, which may hold anything.
#[cfg(any(target_os = "linux", test))]
fn state_and_start(stat: &str) -> Option<(&str, &str)> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    Some((fields.next()?, fields.nth(18)?))
}

/// The same where there is no `/proc`.
#[cfg(all(unix, not(target_os = "linux")))]
fn began(pid: u32) -> Option<String> {
    let told = std::process::Command::new("ps")
        .args(["-o", "lstart=", "-p", &pid.to_string()])
        .output()
        .ok()?;
    let told = String::from_utf8_lossy(&told.stdout).trim().to_owned();
    (!told.is_empty()).then_some(told)
}

/// Where neither is known, only this process counts as running.
#[cfg(not(unix))]
fn began(_: u32) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_hides_no_field() {
        let fields: Vec<String> = (4..30).map(|number| number.to_string()).collect();
        let stat = format!("17 (a ) S (b) R {}", fields.join(" "));
        assert_eq!(state_and_start(&stat), Some(("R", "22")));
    }

    #[cfg(unix)]
    #[test]
    fn a_process_is_live_until_it_ends_and_its_number_alone_is_not_enough() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let mark = ProcessMark {
            pid: child.id(),
            began: began(child.id()).unwrap(),
        };
        assert!(is_live(own()) && is_live(&mark));
        let other = ProcessMark {
            began: "before".to_owned(),
            ..mark.clone()
        };
        assert!(!is_live(&other));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_live(&mark));
    }
}
