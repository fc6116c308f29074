use wiremock::{matchers::method, Mock, MockServer, ResponseTemplate};

#[tokio::test]
async fn delivers_an_event_to_its_tenant() {
    let tenant = common::tenant_answering(200).await;
    let relay = common::relay(&tenant).await;
    relay.push("kestrel").await;
    relay.run_until_idle().await;
    assert_eq!(tenant.received().await, 1);
}

#[tokio::test]
async fn tries_again_after_a_server_error() {
    let tenant = common::tenant_answering(503).await;
    let relay = common::relay(&tenant).await;
    relay.push("kestrel").await;
    relay.run_until_idle().await;
    assert_eq!(relay.queue.lease(relay.now() + 61, 30).await.unwrap().unwrap().attempt, 2);
}

#[tokio::test]
async fn an_unknown_tenant_is_dropped() {
    let tenant = common::tenant_answering(200).await;
    let relay = common::relay(&tenant).await;
    relay.push("nobody").await;
    relay.run_until_idle().await;
    assert_eq!(tenant.received().await, 0);
}
