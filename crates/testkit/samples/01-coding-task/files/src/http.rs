//! The door webhooks come in through.

use crate::config::Config;
use crate::provider::Headers;
use crate::queue::Queue;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::Router;

#[derive(Clone)]
struct Door {
    queue: Queue,
    tenants: Vec<String>,
}

pub async fn serve(config: &Config, queue: Queue) -> Result<(), Box<dyn std::error::Error>> {
    let tenants = config.tenant.iter().map(|tenant| tenant.name.clone()).collect();
    let app = Router::new()
        .route("/healthz", get(|| async { "ok" }))
        .route("/in/{provider}", post(accept))
        .with_state(Door { queue, tenants });
    let listener = tokio::net::TcpListener::bind(&config.server.listen).await?;
    axum::serve(listener, app).await?;
    Ok(())
}

async fn accept(
    State(door): State<Door>,
    Path(provider): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, StatusCode> {
    let adapter = crate::provider::by_name(&provider).ok_or(StatusCode::NOT_FOUND)?;
    let now = chrono::Utc::now().timestamp();
    adapter.verify(&Headers::from(headers), &body, now).map_err(|_| StatusCode::UNAUTHORIZED)?;
    let event = adapter.parse(&body).map_err(|_| StatusCode::UNPROCESSABLE_ENTITY)?;
    for tenant in &door.tenants {
        door.queue.push(event.id(), tenant, &body).await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    }
    Ok(StatusCode::ACCEPTED)
}
