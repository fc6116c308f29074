//! `palimpsest-torture [--seconds N] [--seed N] [--batches N] [--program FILE] [--place DIR]... [ATTACK...]`:
//! attacks the whole program and counts what it did wrong.
//!
//! Attacks: `sessions` (damaged sessions through index, growth and every command), `growth` (sessions
//! that grow, change, come and go), `index` (damaged indexes), `kill` (`kill -9` of index runs and runs), `requests` (to `serve`), `terminal` (what is
//! printed). The first three work in processes whose memory and silence are watched. The same seed does
//! the same again: `palimpsest-torture --seed N --batches 1 ATTACK`.

mod asked;
mod attack;
mod batches;
mod commands;
mod contents;
mod corpus;
mod figures;
mod mutate;
mod panics;
mod pool;
mod program;
mod said;
mod sessions;
mod watch;

use asked::{Asked, Attack};
use figures::Figures;
use pool::Pool;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let Some(asked) = Asked::read(std::env::args().skip(1)) else {
        eprintln!(
            "usage: palimpsest-torture [--seconds N] [--seed N] [--batches N] [--program FILE] \
             [--place DIR]... [sessions | growth | index | kill | requests | terminal]..."
        );
        return ExitCode::from(2);
    };
    let done = match asked.worker {
        Some(worker) => work(&asked, worker).map(|()| true),
        None => all(&asked),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("palimpsest-torture: {error}");
            ExitCode::from(2)
        }
    }
}

/// Does the part of an attack that is watched.
fn work(asked: &Asked, worker: Attack) -> std::io::Result<()> {
    let pool = Pool::of(&asked.places);
    let (seed, batches) = (asked.seed, asked.batches.unwrap_or(1));
    match worker {
        Attack::Growth => attack::growth::work(&pool, seed, batches, &asked.folder),
        Attack::Index => attack::index::work(&pool, seed, batches, &asked.folder),
        _ => sessions::work(&pool, seed, batches, &asked.folder),
    }
}

/// Attacks in turn until the time is over; whether nothing was found.
fn all(asked: &Asked) -> std::io::Result<bool> {
    let pool = Pool::of(&asked.places);
    if pool.is_empty() {
        return Err(std::io::Error::other(
            "there are no sessions to damage; name a folder with --place",
        ));
    }
    let mut arguments = Vec::new();
    for place in &asked.places {
        arguments.extend([
            "--place".to_owned(),
            std::path::absolute(place)?.display().to_string(),
        ]);
    }
    let deadline = Instant::now() + Duration::from_secs(asked.seconds);
    let mut figures: BTreeMap<Attack, Figures> = BTreeMap::new();
    let mut next: BTreeMap<Attack, u64> = BTreeMap::new();
    let end = asked.batches.map(|batches| asked.seed + batches);
    let is_over = |seed: u64| Instant::now() >= deadline || end.is_some_and(|end| seed >= end);
    loop {
        let mut went_on = false;
        for &attack in &asked.attacks {
            let seed = *next.entry(attack).or_insert(asked.seed);
            if is_over(seed) {
                continue;
            }
            let most = attack.seeds_in_turn();
            let batches = end.map_or(most, |end| most.min(end - seed));
            let figures = figures.entry(attack).or_default();
            let part = watch::Part {
                worker: attack.name(),
                seed,
                batches,
            };
            for seed in seed..seed + batches {
                match attack {
                    Attack::Sessions | Attack::Growth | Attack::Index => {
                        watch::run(part, &arguments, deadline, figures)?;
                        break;
                    }
                    Attack::Kill => attack::kill::attack(&asked.program()?, &pool, seed, figures)?,
                    Attack::Requests => attack::requests::attack(&asked.program()?, seed, figures)?,
                    Attack::Terminal => {
                        attack::terminal::attack(&asked.program()?, &pool, seed, figures)?
                    }
                }
            }
            next.insert(attack, seed + batches);
            went_on = true;
        }
        if !went_on {
            break;
        }
    }
    let mut out = std::io::stdout();
    for (attack, figures) in &figures {
        let last = next.get(attack).map_or(0, |next| next.saturating_sub(1));
        // Whoever closed the output wants no more of it.
        let _ = write!(
            out,
            "{}, seeds {} to {last}:\n{figures}",
            attack.name(),
            asked.seed
        );
    }
    Ok(figures.values().all(Figures::is_clean))
}
