//! Which files need reading, decided from a listing and from what is stored. Pure.

use super::Failed;
use super::outside::was_written_outside;
use palimpsest_formats::assembly::split_address;
use palimpsest_store::index::SourceRow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

/// A file as a listing shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The file, absolute.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Time of modification, nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Inode number; 0 where the system has none.
    pub inode: u64,
}

/// A file to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The file.
    pub listed: Listed,
    /// What was stored of it.
    pub stored: Option<SourceRow>,
    /// How to read it.
    pub how: How,
}

/// How to read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// From the beginning.
    Whole,
    /// From where reading stopped, if the bytes before are still the same, else whole.
    FromStored,
    /// The file is as it was, another one that its document is made from is not: from the
    /// beginning, unless the document is the same.
    Beside,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Files to read, oldest first.
    pub jobs: Vec<Job>,
    /// Number of files that are as they were.
    pub unchanged: u64,
    /// What was stored of files that are gone.
    pub removed: Vec<SourceRow>,
    /// Unchanged files that were no sessions when they were read.
    pub known_failures: Vec<Failed>,
    /// Unchanged sessions of databases that are in another state ([`super::outside`]), with that.
    pub states: Vec<(String, u64)>,
}

/// Files that are read one group after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The files, oldest first, so that entries of the newest have the highest numbers and are
    /// found first.
    pub jobs: Vec<Job>,
    /// True where they are older than everything in the index and in the groups before, so that
    /// their entries need lower numbers.
    pub is_older: bool,
}

/// The first group of new files has so many at most: 200 rows of a list, and a few files that are no
/// sessions.
const FIRST_FILES: usize = 220;
/// ...and so many bytes, which are read in half a second.
const FIRST_BYTES: u64 = 24 << 20;
/// Bytes of a later group. Each ends with a commit, of which there should be few.
const GROUP_BYTES: u64 = 64 << 20;

/// The jobs in the order in which they are carried out. What was changed after the oldest session
/// in the index (`oldest_ns`) is read first and in one group; of what is older, the newest first, so
/// that a first index soon has something to show.
pub fn groups(jobs: Vec<Job>, oldest_ns: Option<i64>) -> Vec<Group> {
    let is_older = |job: &Job| {
        job.stored.is_none() && oldest_ns.is_none_or(|oldest| job.listed.mtime_ns < oldest)
    };
    let (older, newer): (Vec<Job>, Vec<Job>) = jobs.into_iter().partition(is_older);
    let mut groups = Vec::new();
    if !newer.is_empty() {
        groups.push(Group {
            jobs: newer,
            is_older: false,
        });
    }
    let mut group: Vec<Job> = Vec::new();
    let mut bytes = 0;
    let (mut most_files, mut most_bytes) = (FIRST_FILES, FIRST_BYTES);
    let mut end = |group: &mut Vec<Job>| {
        let mut jobs = std::mem::take(group);
        jobs.reverse();
        if !jobs.is_empty() {
            groups.push(Group {
                jobs,
                is_older: true,
            });
        }
    };
    for job in older.into_iter().rev() {
        if group.len() >= most_files || !group.is_empty() && bytes + job.listed.size > most_bytes {
            end(&mut group);
            bytes = 0;
            (most_files, most_bytes) = (usize::MAX, GROUP_BYTES);
        }
        bytes += job.listed.size;
        group.push(job);
    }
    end(&mut group);
    groups
}

/// Compares a listing with what is stored of the same places; `stale` are the paths of documents
/// that were made from files which are no longer as they were. Nothing is taken for gone at or below
/// a path in `unseen`: those could not be listed.
pub fn plan(
    listed: Vec<Listed>,
    stored: Vec<SourceRow>,
    stale: &HashSet<String>,
    unseen: &[PathBuf],
) -> Plan {
    let mut stored: BTreeMap<String, SourceRow> = stored
        .into_iter()
        .map(|row| (row.path.clone(), row))
        .collect();
    let mut plan = Plan::default();
    let mut seen = BTreeSet::new();
    for listed in listed {
        // Roots may overlap.
        if !seen.insert(listed.path.clone()) {
            continue;
        }
        let stored = stored.remove(&listed.path);
        let how = how(&listed, stored.as_ref())
            .or_else(|| stale.contains(&listed.path).then_some(How::Beside));
        match how {
            Some(how) => plan.jobs.push(Job {
                listed,
                stored,
                how,
            }),
            None => {
                if let Some(row) = stored.as_ref().filter(|row| row.inode != listed.inode) {
                    plan.states.push((row.path.clone(), listed.inode));
                }
                match stored.and_then(|row| row.skipped) {
                    Some(reason) => {
                        plan.known_failures.push(Failed {
                            path: listed.path.into(),
                            reason,
                        });
                    }
                    None => plan.unchanged += 1,
                }
            }
        }
    }
    plan.jobs.sort_by(|a, b| {
        (a.listed.mtime_ns, &a.listed.path).cmp(&(b.listed.mtime_ns, &b.listed.path))
    });
    // A folder that cannot be read does not lose its sessions.
    let gone = |row: &SourceRow| {
        !unseen
            .iter()
            .any(|place| split_address(&row.path).0.starts_with(place))
    };
    plan.removed = stored.into_values().filter(gone).collect();
    plan
}

/// How to read a file; `None` when it is as it was.
fn how(listed: &Listed, stored: Option<&SourceRow>) -> Option<How> {
    let Some(stored) = stored else {
        return Some(How::Whole);
    };
    // A session of a database has the state of the database there.
    let is_inside = split_address(&listed.path).1.is_some();
    if is_inside && was_written_outside(stored.inode, listed.inode) {
        return Some(How::Whole);
    }
    // An agent that rewrites a file by renaming a new one over it changes the inode.
    let same_file = is_inside || listed.inode == stored.inode;
    if same_file && listed.size == stored.size && listed.mtime_ns == stored.mtime_ns {
        return None;
    }
    // Of the same size but written since: something inside may be different, and the hashes only
    // cover both ends.
    let grown = same_file && listed.size > stored.size && stored.skipped.is_none();
    Some(if grown { How::FromStored } else { How::Whole })
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::Agent;

    fn listed(path: &str, size: u64, mtime_ns: i64, inode: u64) -> Listed {
        Listed {
            path: path.to_owned(),
            size,
            mtime_ns,
            inode,
        }
    }

    fn stored(path: &str, size: u64, mtime_ns: i64, inode: u64) -> SourceRow {
        SourceRow {
            path: path.to_owned(),
            agent: Agent::PI,
            size,
            mtime_ns,
            inode,
            head_hash: 0,
            tail_hash: 0,
            read_to: size,
            session: None,
            skipped: None,
            beside: None,
        }
    }

    fn jobs(plan: &Plan) -> Vec<(&str, How)> {
        plan.jobs
            .iter()
            .map(|job| (job.listed.path.as_str(), job.how))
            .collect()
    }

    #[test]
    fn sessions_of_a_database_that_was_changed_outside_are_read_again() {
        let (changes, other) = (3_u64 << 32, 4_u64 << 32);
        let told = |state: u64, now: u64| {
            let listed = vec![listed("/a.db#s", 10, 1, now)];
            let plan = plan(
                listed,
                vec![stored("/a.db#s", 10, 1, state)],
                &HashSet::new(),
                &[],
            );
            (jobs(&plan).len(), plan.states)
        };
        let noted = |state| vec![("/a.db#s".to_owned(), state)];
        assert_eq!(told(changes | 1, changes | 2), (1, Vec::new()));
        assert_eq!(told(changes | 1, other | 2), (0, noted(other | 2)));
        assert_eq!(told(0, changes | 2), (0, noted(changes | 2)));
        assert_eq!(told(changes | 2, changes | 2), (0, Vec::new()));
    }

    #[test]
    fn only_what_changed_is_read() {
        let plan = plan(
            vec![
                listed("/same", 10, 1, 1),
                listed("/grown", 12, 9, 2),
                listed("/shrunk", 8, 8, 3),
                listed("/touched", 10, 7, 4),
                listed("/replaced", 12, 6, 55),
                listed("/new", 1, 5, 6),
                listed("/new", 1, 5, 6),
            ],
            vec![
                stored("/same", 10, 1, 1),
                stored("/grown", 10, 1, 2),
                stored("/shrunk", 10, 1, 3),
                stored("/touched", 10, 1, 4),
                stored("/replaced", 10, 1, 5),
                stored("/gone", 10, 1, 7),
            ],
            &HashSet::new(),
            &[],
        );
        let whole = How::Whole;
        let expected = [
            ("/new", whole),
            ("/replaced", whole),
            ("/touched", whole),
            ("/shrunk", whole),
            ("/grown", How::FromStored),
        ];
        assert_eq!(jobs(&plan), expected, "oldest first");
        assert_eq!(plan.unchanged, 1);
        assert_eq!(
            plan.removed.iter().map(|row| &row.path).collect::<Vec<_>>(),
            ["/gone"]
        );
    }

    #[test]
    fn of_new_files_the_newest_are_read_first() {
        let job = |n: i64, size: u64, stored: Option<SourceRow>| Job {
            listed: listed(&format!("/{n}"), size, n, 1),
            stored,
            how: How::Whole,
        };
        let told = |jobs: Vec<Job>, oldest: Option<i64>| -> Vec<(Vec<i64>, bool)> {
            let groups = groups(jobs, oldest).into_iter();
            let times = |group: &Group| group.jobs.iter().map(|job| job.listed.mtime_ns).collect();
            groups
                .map(|group| (times(&group), group.is_older))
                .collect()
        };
        let many: Vec<Job> = (0..600).map(|n| job(n, 1, None)).collect();
        let groups = told(many, None);
        let ends: Vec<_> = groups.iter().map(|(own, _)| (own[0], own.len())).collect();
        assert_eq!(ends, [(380, 220), (0, 380)]);
        let large: Vec<Job> = (0..3).map(|n| job(n, GROUP_BYTES, None)).collect();
        let each = [2, 1, 0].map(|n| (vec![n], true));
        assert_eq!(told(large, None), each);
        let old = stored("/5", 1, 1, 1);
        let mixed = vec![
            job(1, 1, None),
            job(2, 1, None),
            job(5, 1, Some(old)),
            job(7, 1, None),
        ];
        let expected = [(vec![5, 7], false), (vec![1, 2], true)];
        assert_eq!(told(mixed, Some(3)), expected);
        assert!(told(Vec::new(), None).is_empty());
    }

    #[test]
    fn what_could_not_be_listed_is_not_gone() {
        let rows = vec![stored("/a/x", 1, 1, 1), stored("/ab", 1, 1, 2)];
        let plan = plan(Vec::new(), rows, &HashSet::new(), &["/a".into()]);
        assert_eq!(
            plan.removed.iter().map(|row| &row.path).collect::<Vec<_>>(),
            ["/ab"]
        );
    }

    #[test]
    fn a_file_that_was_no_session_is_read_again_only_when_it_changed() {
        let mut row = stored("/notes.jsonl", 10, 1, 1);
        row.skipped = Some("not a session".to_owned());
        let same = plan(
            vec![listed("/notes.jsonl", 10, 1, 1)],
            vec![row.clone()],
            &HashSet::new(),
            &[],
        );
        assert!(same.jobs.is_empty());
        assert_eq!((same.unchanged, same.known_failures.len()), (0, 1));
        let grown = plan(
            vec![listed("/notes.jsonl", 20, 2, 1)],
            vec![row],
            &HashSet::new(),
            &[],
        );
        assert_eq!(jobs(&grown), [("/notes.jsonl", How::Whole)]);
    }
}
