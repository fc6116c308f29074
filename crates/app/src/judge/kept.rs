//! Judgements as they are kept.

use super::planning::JudgeSpec;
use crate::error::{AppError, Result};
use crate::workspace::App;
use palimpsest_core::Usage;
use palimpsest_core::failure::{Listed, NextStep};
use palimpsest_judge::{Outcome, Plan};
use palimpsest_store::user::{JudgementRow, RunStatus};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A call of a judgement as it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedCall {
    /// Which call of the plan, from 0.
    pub number: usize,
    /// The reply as it came.
    pub reply: String,
    /// Why the model stopped.
    pub stop_reason: String,
    /// Its usage.
    pub usage: Usage,
    /// How long it took, waits included.
    pub elapsed_ms: u64,
    /// How often the request was repeated.
    #[serde(default)]
    pub retries: u32,
    /// Why the reply was not used; the call was then made again, or the judgement failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The judgement that paid for the reply, where that was an earlier one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// A judgement with its parts read.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The row.
    pub row: JudgementRow,
    /// What was asked for.
    pub spec: JudgeSpec,
    /// The calls as they were sent.
    pub plan: Plan,
    /// What came back.
    pub calls: Vec<JudgedCall>,
    /// The result, where it is done.
    pub outcome: Option<Outcome>,
    /// What to do about its error.
    pub next: Option<NextStep>,
}

impl Judgement {
    /// Reads the parts of a row.
    pub fn from_row(row: JudgementRow) -> Result<Judgement> {
        let failed = matches!(row.status, RunStatus::Failed | RunStatus::Interrupted);
        Ok(Judgement {
            spec: from_json(&row, &row.spec)?,
            plan: from_json(&row, &row.plan)?,
            calls: from_json(&row, &row.calls)?,
            outcome: match &row.result {
                Some(result) => Some(from_json(&row, result)?),
                None => None,
            },
            next: failed.then_some(NextStep::RunAgain),
            row,
        })
    }

    /// The replies that were used, in the order of the calls, as far as there are any.
    pub fn replies(&self) -> Vec<String> {
        let used = |number: usize| {
            let mut calls = self.calls.iter();
            calls.find(|call| call.number == number && call.refused.is_none())
        };
        let replies = (0..self.plan.calls.len()).map_while(used);
        replies.map(|call| call.reply.clone()).collect()
    }
}

fn from_json<T: DeserializeOwned>(row: &JudgementRow, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| {
        AppError::bad_request(
            format!(
                "the judgement {} was saved by another version of Palimpsest and cannot be read \
                 ({error})",
                row.id
            ),
            NextStep::RunAgain,
        )
    })
}

impl App {
    /// The judgements of a session, newest first.
    pub fn judgements(&self, session: &str) -> Result<Vec<Judgement>> {
        let open = self.open(session)?;
        let rows = self.user_db()?.judgements_of(&open.id)?;
        // One unreadable judgement must not hide the others.
        let all = rows.into_iter().map(|row| self.judgement_of(row));
        Ok(all.filter_map(Result::ok).collect())
    }

    /// The judgement with this id or beginning of one.
    pub fn judgement(&self, name: &str) -> Result<Judgement> {
        let mut rows = self.user_db()?.judgements_by_prefix(name)?;
        match (rows.pop(), rows.is_empty()) {
            (Some(row), true) => self.judgement_of(row),
            (None, _) => Err(AppError::not_found(
                format!("there is no judgement '{name}'"),
                NextStep::choose(Listed::Judgements, name, Vec::new()),
            )),
            (Some(_), false) => Err(AppError::not_found(
                format!("several judgements have an id that begins with '{name}'"),
                NextStep::GiveLongerId,
            )),
        }
    }

    fn judgement_of(&self, mut row: JudgementRow) -> Result<Judgement> {
        if row.status == RunStatus::Running && !self.is_being_made(&row.id) {
            row.status = RunStatus::Interrupted;
            row.error = Some("the program ended before the judgement did".to_owned());
        }
        Judgement::from_row(row)
    }

    /// Deletes a judgement, and with it its facts in ledgers.
    pub fn delete_judgement(&self, name: &str) -> Result<()> {
        let found = self.judgement(name)?;
        if found.row.status == RunStatus::Running {
            return Err(AppError::bad_request(
                format!("the judgement {} has not ended", found.row.id),
                NextStep::TryLater,
            ));
        }
        self.user_db()?.delete_judgement(&found.row.id)?;
        Ok(())
    }
}
