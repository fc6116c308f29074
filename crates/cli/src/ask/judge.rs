//! What `judge` asks.

use super::answer::Answer;
use crate::args::Command;
use palimpsest_api::Api;
use palimpsest_api::wire::*;

/// What a question to a model as judge asks the API.
pub(super) async fn judge(api: &Api, command: &Command) -> Result<Answer, WireError> {
    let Command::Judge {
        session,
        what,
        compaction,
        run,
        provider,
        model,
        base_url,
        window,
        chunk,
        dry_run,
        limit,
        show,
        delete,
    } = command
    else {
        return Err(WireError::internal("another command was asked as judge"));
    };
    let asked = api.commands();
    let named = |id: &String| JudgementRequest {
        judgement: id.clone(),
    };
    if let Some(id) = show {
        return Ok(Answer::Judgement(asked.judgement(named(id)).await?));
    }
    if let Some(id) = delete {
        let deleted = asked.judgement_delete(named(id)).await?;
        return Ok(Answer::JudgementDeleted(deleted));
    }
    let Some(what) = *what else {
        let session = session.clone();
        let all = asked.judgements(SessionRequest { session }).await?;
        return Ok(Answer::Judgements(all));
    };
    let entries = compaction.iter().map(|entry| format!("entry:{entry}"));
    let request = JudgeRequest {
        session: session.clone(),
        what,
        of: entries.chain(run.iter().cloned()).collect(),
        provider: provider.clone().unwrap_or_default(),
        model: model.clone(),
        base_url: base_url.clone(),
        window: *window,
        chunk: *chunk,
        brief: false,
        stream: Some("command line".to_owned()),
        above_limit: limit.above_limit,
    };
    Ok(if *dry_run {
        Answer::JudgePlan(asked.judge_plan(request).await?)
    } else {
        Answer::Judgement(asked.judge(request).await?)
    })
}
