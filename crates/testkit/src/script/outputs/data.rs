//! Logs and tables of the programs that the samples are about.

use super::Wanted;
use crate::clock::{iso, parse_iso};
use crate::seeded::Rng;
use std::fmt::Write as _;

const TENANTS: &[&str] = &[
    "kestrel",
    "blue-anchor",
    "mirador",
    "oakline",
    "pinto",
    "sable-and-co",
];
const PROVIDERS: &[&str] = &[
    "northpay",
    "gitforge",
    "parcelo",
    "mailwell",
    "chatterbox",
    "ledgerly",
];

/// Log lines of webhook deliveries: `n=` lines from `start=`, `tenant=` for one tenant only,
/// `limited=` percent of them held back.
pub(super) fn deliveries(wanted: &Wanted) -> Result<String, String> {
    let mut rng = Rng::new(wanted.number("seed", 1)?);
    let limited = wanted.number("limited", 0)?;
    let mut at_ms = parse_iso(wanted.option("start").unwrap_or("2026-10-14T06:12:00Z"));
    let mut text = String::new();
    for _ in 0..wanted.number("n", 100)? {
        at_ms += rng.between(4, 900) as i64;
        let tenant = wanted
            .option("tenant")
            .unwrap_or_else(|| TENANTS[rng.below(TENANTS.len())]);
        let provider = PROVIDERS[rng.below(PROVIDERS.len())];
        let event = rng.next_u64() & 0xFF_FFFF_FFFF;
        let elapsed = rng.between(11, 640);
        let line = if rng.chance(limited) {
            format!(
                "DEBUG courier::limiter: held back tenant={tenant} wait_ms={}",
                rng.between(20, 900)
            )
        } else {
            match rng.below(12) {
                0 => format!(
                    "WARN courier::relay: attempt failed tenant={tenant} provider={provider} event=evt_{event:010x} attempt={} status=503 elapsed_ms={elapsed}",
                    rng.between(1, 5)
                ),
                1 => format!(
                    "WARN courier::relay: attempt failed tenant={tenant} provider={provider} event=evt_{event:010x} attempt=1 status=429 retry_after={} elapsed_ms={elapsed}",
                    rng.between(1, 60)
                ),
                2 => format!(
                    "INFO courier::http: accepted provider={provider} event=evt_{event:010x} bytes={}",
                    rng.between(300, 9_000)
                ),
                _ => format!(
                    "INFO courier::relay: delivered tenant={tenant} provider={provider} event=evt_{event:010x} attempt=1 status=200 elapsed_ms={elapsed}"
                ),
            }
        };
        let _ = writeln!(text, "{}  {line}", iso(at_ms));
    }
    Ok(text)
}

/// Lines of a bank's CSV export: `n=` rows.
pub(super) fn statement(wanted: &Wanted) -> Result<String, String> {
    let mut rng = Rng::new(wanted.number("seed", 1)?);
    let payees = [
        "Stadtwerke Hall",
        "Café Lindner",
        "Bäckerei Öhlmann",
        "Rail Pass 24",
        "Orchard Grocery",
        "Hallway Rent",
        "Salary ACME GmbH",
        "City Library",
        "Phone & Line",
        "Interest",
        "Farmer's Market; Stand 12",
    ];
    let mut text =
        "Buchungstag;Wertstellung;Auftraggeber/Empfänger;Verwendungszweck;Betrag;Währung\n"
            .to_owned();
    for row in 0..wanted.number("n", 60)? {
        let (day, month) = (1 + row % 28, 1 + (row / 28) % 12);
        let payee = payees[rng.below(payees.len())];
        let quoted = if payee.contains(';') {
            format!("\"{payee}\"")
        } else {
            payee.to_owned()
        };
        let (whole, cents) = (rng.between(1, 2_400), rng.between(0, 99));
        let amount = if whole >= 1_000 {
            format!("{}.{:03},{cents:02}", whole / 1_000, whole % 1_000)
        } else {
            format!("{whole},{cents:02}")
        };
        let sign = if rng.chance(80) { "-" } else { "" };
        let _ = writeln!(
            text,
            "{day:02}.{month:02}.2026;{day:02}.{month:02}.2026;{quoted};Ref {:08};{sign}{amount};EUR",
            rng.next_u64() % 100_000_000
        );
    }
    Ok(text)
}

/// Postings in a plain-text ledger: `n=` transactions.
pub(super) fn postings(wanted: &Wanted) -> Result<String, String> {
    let mut rng = Rng::new(wanted.number("seed", 1)?);
    let accounts = [
        "expenses:food",
        "expenses:energy",
        "expenses:rent",
        "expenses:travel",
        "income:salary",
        "expenses:books",
    ];
    let mut text = String::new();
    for row in 0..wanted.number("n", 40)? {
        let (day, month) = (1 + row % 28, 1 + (row / 28) % 12);
        let (whole, cents) = (rng.between(1, 900), rng.between(0, 99));
        let _ = writeln!(
            text,
            "2026-{month:02}-{day:02} * import {:08}\n    {:<28}{whole:>8}.{cents:02} EUR\n    assets:checking\n",
            rng.next_u64() % 100_000_000,
            accounts[rng.below(accounts.len())]
        );
    }
    Ok(text)
}

/// A page of metrics in Prometheus text form.
pub(super) fn metrics(wanted: &Wanted) -> Result<String, String> {
    let mut rng = Rng::new(wanted.number("seed", 1)?);
    let mut text = String::new();
    for (name, what) in [
        (
            "courier_deliveries_total",
            "Deliveries by tenant and outcome",
        ),
        (
            "courier_limiter_held_total",
            "Deliveries held back by the limiter",
        ),
        ("courier_queue_depth", "Deliveries waiting"),
        ("courier_dead_letters_total", "Deliveries given up"),
    ] {
        let kind = if name.ends_with("_total") {
            "counter"
        } else {
            "gauge"
        };
        let _ = writeln!(text, "# HELP {name} {what}\n# TYPE {name} {kind}");
        for tenant in TENANTS {
            let _ = writeln!(
                text,
                "{name}{{tenant=\"{tenant}\"}} {}",
                rng.between(0, 40_000)
            );
        }
    }
    Ok(text)
}

/// Lines of several containers' logs.
pub(super) fn compose_log(wanted: &Wanted) -> Result<String, String> {
    let mut rng = Rng::new(wanted.number("seed", 1)?);
    let services = ["proxy", "web", "worker", "queue", "backup"];
    let mut at_ms = parse_iso(wanted.option("start").unwrap_or("2026-11-10T17:40:00Z"));
    let mut text = String::new();
    for _ in 0..wanted.number("n", 80)? {
        at_ms += rng.between(20, 4_000) as i64;
        let service = services[rng.below(services.len())];
        let line = match rng.below(7) {
            0 => format!("GET /healthz 200 {}ms", rng.between(1, 9)),
            1 => format!(
                "GET /tiles/{}/{}/{}.pbf 200 {}ms",
                rng.between(4, 14),
                rng.below(900),
                rng.below(900),
                rng.between(3, 80)
            ),
            2 => format!(
                "job resize-{} done in {}ms",
                rng.below(9_000),
                rng.between(30, 2_400)
            ),
            3 => format!(
                "checkpoint complete: wrote {} buffers",
                rng.between(12, 900)
            ),
            4 => format!("accepted connection from 172.20.0.{}", rng.between(2, 30)),
            5 => "retrying connection to queue:6379".to_owned(),
            _ => format!(
                "snapshot volume harbor_data size={}MB",
                rng.between(300, 900)
            ),
        };
        let _ = writeln!(text, "{service:<7} | {} {line}", iso(at_ms));
    }
    Ok(text)
}
