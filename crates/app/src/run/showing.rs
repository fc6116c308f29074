//! Plans for the screen: a run executes the plan that was shown, or fails and names what changed.

use super::change::PlanChange;
use super::planned::{PlanSpec, Planned};
use super::planning::blocking;
use super::shown::asked_for;
use super::uses::Uses;
use crate::error::Result;
use crate::session::OpenSession;
use crate::workspace::App;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl App {
    /// Plans for the screen, as [`App::plan_with_vectors`] does. The next request for the same place
    /// and strategy cancels it. The plan is kept so that a run can execute it by its hash.
    pub async fn plan_shown(self: &Arc<Self>, spec: &PlanSpec) -> Result<Arc<Planned>> {
        let (at, strategy) = (spec.at.as_deref(), spec.strategy.as_deref());
        // One plan for each place and strategy: the window plans several strategies side by side.
        let name = format!("plan {} {at:?} {strategy:?}", spec.session);
        let cancel = self.begin(&name);
        let planned = self.plan_with_vectors(spec, &cancel).await;
        // When it was cancelled the name belongs to the plan that followed.
        if !cancel.is_cancelled() {
            self.end(&name);
        }
        let planned = Arc::new(planned?);
        self.shown_plans.keep(spec, &planned);
        Ok(planned)
    }

    /// The plan that was shown under `hash` when `spec` was asked for, with its texts.
    ///
    /// It is the kept one, on the session as it was: lines that were appended do not count. A plan
    /// that is no longer kept is planned again. Fails with [`PlanChange`] when an entry it uses has
    /// changed, or when the same request makes another plan now.
    pub(super) async fn plan_named(
        self: &Arc<Self>,
        hash: &str,
        spec: &PlanSpec,
        cancel: &CancellationToken,
    ) -> Result<Arc<Planned>> {
        let found = self.shown_plans.find(hash, spec);
        let mut open = None;
        let mut there = asked_for(spec);
        if let Some(found) = found {
            let (app, session) = (Arc::clone(self), spec.session.clone());
            let (uses, before) = (Arc::clone(&found.uses), found.open.clone());
            // Checked even if the whole plan is kept: it must not be sent if the file says
            // something else now.
            let unchanged = move || app.check_unchanged(&session, &uses, before.as_deref());
            blocking(unchanged).await?;
            if let Some(whole) = found.whole {
                return Ok(whole);
            }
            open = found.open;
            there = found.there;
        }
        let planned = self.plan_in(open, &there, cancel).await?;
        let planned = Arc::new(planned);
        match &planned.shown {
            Some(shown) if shown.hash == hash => {
                self.shown_plans.keep(spec, &planned);
                Ok(planned)
            }
            _ => Err(PlanChange::Other.into()),
        }
    }

    /// Fails when an entry that is used has other bytes now than it had, or is gone. `before` is
    /// the session as it was planned; without it entries are looked for at their places.
    fn check_unchanged(
        &self,
        session: &str,
        uses: &Uses,
        before: Option<&OpenSession>,
    ) -> Result<()> {
        let now = self.open(session)?;
        let path = || now.session.meta.path.clone();
        let entries = &now.session.entries;
        // Made only if an entry has moved, which appending never does.
        let mut by_id = None;
        let mut places = Vec::with_capacity(uses.entries().len());
        for &(ix, _) in uses.entries() {
            let was = before.map(|before| &before.session.entry(ix).id);
            let place = match (was, entries.get(ix.get())) {
                (None, Some(_)) => ix,
                (None, None) => return Err(PlanChange::Other.into()),
                (Some(id), Some(entry)) if entry.id == *id => ix,
                (Some(id), _) => {
                    let by_id = by_id.get_or_insert_with(|| now.session.by_id());
                    let gone = || PlanChange::Gone {
                        id: id.to_string(),
                        path: path(),
                    };
                    *by_id.get(id.as_str()).ok_or_else(gone)?
                }
            };
            places.push(place);
        }
        let hashes = now.bodies.content_hashes_now(&places)?;
        let pairs = uses.entries().iter().zip(hashes);
        let changed = pairs.zip(&places).find(|(((_, was), is), _)| was != is);
        match changed {
            None => Ok(()),
            Some((_, &place)) => Err(PlanChange::Entry {
                id: now.session.name_of(place),
                path: path(),
            }
            .into()),
        }
    }
}
