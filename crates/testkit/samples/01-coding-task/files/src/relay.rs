//! Takes deliveries from the queue and posts them to their tenants.

use crate::config::Config;
use crate::queue::{Lease, Queue};
use chrono::Utc;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tracing::{info, warn};

pub struct Worker {
    config: Config,
    queue: Queue,
    client: reqwest::Client,
}

impl Worker {
    pub fn new(config: Config, queue: Queue) -> Worker {
        Worker { config, queue, client: reqwest::Client::new() }
    }

    pub async fn run(self) -> Result<(), Box<dyn std::error::Error>> {
        let worker = Arc::new(self);
        let slots = Arc::new(Semaphore::new(worker.config.worker.concurrency));
        loop {
            let slot = slots.clone().acquire_owned().await?;
            let now = Utc::now().timestamp();
            match worker.queue.lease(now, worker.config.worker.lease_secs as i64).await? {
                Some(lease) => {
                    let worker = worker.clone();
                    tokio::spawn(async move {
                        worker.deliver(lease).await;
                        drop(slot);
                    });
                }
                None => tokio::time::sleep(worker.config.poll()).await,
            }
        }
    }

    async fn deliver(&self, lease: Lease) {
        let Some(tenant) = self.config.tenant(&lease.tenant) else {
            warn!(tenant = %lease.tenant, "no such tenant; dropping the delivery");
            return;
        };
        let sent = self
            .client
            .post(&tenant.endpoint)
            .header("x-courier-event", lease.event.as_str())
            .body(lease.body.clone())
            .send()
            .await;
        match sent {
            Ok(response) if response.status().is_success() => {
                info!(tenant = %lease.tenant, event = %lease.event, attempt = lease.attempt, "delivered");
                self.queue.done(lease.id).await.ok();
            }
            other => {
                warn!(tenant = %lease.tenant, event = %lease.event, ?other, "attempt failed");
                let wait = 60 * lease.attempt;
                self.queue.retry_at(lease.id, Utc::now().timestamp() + wait).await.ok();
            }
        }
    }
}
