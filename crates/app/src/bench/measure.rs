//! Reading the process's own clocks and memory.

use std::time::Instant;

/// Time used between two points, by all threads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spent {
    pub(super) cpu_s: f64,
    pub(super) wall_ms: f64,
}

/// Runs `work` and says what it took.
pub(super) fn spent<T>(work: impl FnOnce() -> T) -> (T, Spent) {
    let (cpu, wall) = (cpu_seconds(), Instant::now());
    let result = work();
    let wall_ms = wall.elapsed().as_secs_f64() * 1_000.0;
    (
        result,
        Spent {
            cpu_s: cpu_seconds() - cpu,
            wall_ms,
        },
    )
}

/// CPU seconds of the process so far, ended threads included.
#[cfg(unix)]
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Without a clock for the process, wall time is the nearest there is.
#[cfg(not(unix))]
fn cpu_seconds() -> f64 {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Forgets the peak so far, so that [`peak_mb`] is of what follows.
pub(super) fn reset_peak() {
    // Linux: 5 resets the high-water mark (proc(5), clear_refs).
    std::fs::write("/proc/self/clear_refs", "5").ok();
}

/// Most memory in use since [`reset_peak`], in MB; `None` where the system does not tell.
pub(super) fn peak_mb() -> Option<f64> {
    status_kb("VmHWM:")
}

fn status_kb(name: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    let kb: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kb * 1_024.0 / 1e6)
}
