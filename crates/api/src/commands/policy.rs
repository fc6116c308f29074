//! When agents would have compacted by themselves.

use super::{Empty, names};
use crate::wire::*;
use palimpsest_app::policies::PolicyParam;
use palimpsest_app::view::policies::{self as view, PolicyQuery};
use palimpsest_app::{App, AppError, AppResult, OpenSession};

/// What policies would have done along a path.
pub(crate) fn policy(app: &App, request: PolicyRequest) -> AppResult<PolicyReport> {
    let set = request.set.unwrap_or_default();
    let report = app.policies(&PolicyQuery {
        session: request.session,
        at: request.at,
        policies: request.policies,
        set: set.clone().into_iter().collect(),
        window: request.window,
        max_output: request.max_output,
    })?;
    let open = &report.open;
    let path = report.at.map(|at| open.tree.path(at)).unwrap_or_default();
    let mut notes = vec![NOTE.to_owned()];
    if report.limits.window.is_none() {
        notes.push(NO_WINDOW.to_owned());
    }
    let set = set.iter().map(|(name, value)| format!("{name} = {value}"));
    let set: Vec<String> = set.collect();
    if !set.is_empty() {
        notes.push(format!("Simulated with {}.", set.join(", ")));
    }
    notes.extend(report.broken.iter().map(|own| {
        let path = own.path.display();
        format!("The policy in {path} cannot be used: {}.", own.problem)
    }));
    let courses = report.policies.iter();
    let courses = courses.map(|own| course(open, own, &report.limits, request.totals_only));
    Ok(PolicyReport {
        session: open.id.clone(),
        at: report.at.map(|ix| names::id(&open.session, ix)),
        model: report.model.clone(),
        window: report.limits.window,
        max_output: report.limits.max_output,
        length: path.len() as u64,
        policies: courses.collect::<AppResult<_>>()?,
        actual: report
            .actual
            .iter()
            .map(|mark| ActualCompaction {
                entry_id: names::id(&open.session, mark.ix),
                position: mark.position as u64,
                tokens_before: mark.before,
                tokens_after: mark.after,
            })
            .collect(),
        notes,
    })
}

/// The policies there are, and what can be set of them.
pub(crate) fn policies(app: &App, _: Empty) -> AppResult<PolicyList> {
    let (known, broken) = app.known_policies()?;
    let policies = known.into_iter().map(|own| PolicyInfo {
        params: own.policy.params().into_iter().map(param).collect(),
        name: own.policy.name,
        agent: own.policy.agent,
        version: own.policy.version,
        description: own.policy.description,
        source: own.policy.source,
        preset: own.policy.preset,
        path: own.path.map(|path| path.display().to_string()),
    });
    let broken = broken.into_iter().map(|own| BrokenPolicyView {
        path: own.path.display().to_string(),
        hint: own.problem.next.as_ref().map(ToString::to_string),
        next: own.problem.next.map(Into::into),
        reason: own.problem.message,
    });
    Ok(PolicyList {
        policies: policies.collect(),
        broken: broken.collect(),
    })
}

fn param(param: PolicyParam) -> PolicyParamView {
    PolicyParamView {
        name: param.name,
        path: param.path,
        value: param.value,
        unit: param.unit.and_then(word),
    }
}

/// What the figures are.
const NOTE: &str = "Sizes are estimates of the agent, scaled to the reported counts. Each policy \
    starts without a compaction, and the agent's own policy starts again after each compaction of \
    the session. The size of its summaries is assumed.";
/// What is missing without a window.
const NO_WINDOW: &str = "The context window of the session's model is not known. Policies that \
                         depend on its size are off until the size is given.";

fn course(
    open: &OpenSession,
    own: &view::PolicyCourse,
    limits: &view::Limits,
    totals_only: bool,
) -> AppResult<PolicyCourse> {
    let (policy, course) = (&own.policy, &own.course);
    let line = course.line.as_ref().ok();
    let rule = serde_json::to_value(&policy.trigger);
    // A table of totals shows none of them.
    let fires = if totals_only {
        &[][..]
    } else {
        &course.fires[..]
    };
    Ok(PolicyCourse {
        name: policy.name.clone(),
        agent: policy.agent.clone(),
        version: policy.version.clone(),
        description: policy.description.clone(),
        source: policy.source.clone(),
        is_own: own.is_own,
        threshold_tokens: line.and_then(|line| line.tokens),
        threshold_messages: line.and_then(|line| line.messages),
        inclusive: line.is_some_and(|line| line.inclusive),
        // Claude Code lets its users set a window in the place of the model's.
        window: policy.limits(limits).window,
        rule: rule.map_err(|error| AppError::Internal(error.to_string()))?,
        counting: policy.counting.into(),
        checks: policy.checks.iter().map(|&check| check.into()).collect(),
        off: policy.off.clone(),
        preset: policy.preset.clone(),
        levels: own
            .levels
            .iter()
            .map(|(level, line)| PolicyLevel {
                name: level.name.clone(),
                meaning: level.meaning.clone(),
                tokens: line.tokens,
            })
            .collect(),
        fire_count: course.fires.len() as u64,
        fires: fires
            .iter()
            .map(|fire| PolicyFire {
                entry_id: names::id(&open.session, fire.at),
                line: open.place(fire.at).line,
                position: fire.position as u64,
                check: fire.check.into(),
                forced: fire.forced,
                tokens_before: fire.tokens_before,
                tokens_after: fire.tokens_after,
                lost_tokens: fire.lost_tokens(),
                summarized: fire.summarized as u64,
                kept: fire.kept as u64,
            })
            .collect(),
        lost_tokens: course.lost_tokens(),
        peak_tokens: course.peak_tokens,
        off_reason: course.line.as_ref().err().map(ToString::to_string),
        stopped_at: course.stop.map(|stop| names::id(&open.session, stop.at)),
        stop_reason: course.stop.map(|stop| stop.why.message().to_owned()),
    })
}
