use courier::queue::Queue;

#[tokio::test]
async fn a_lease_is_given_once() {
    let queue = common::queue().await;
    common::push(&queue, "kestrel").await;
    assert!(queue.lease(100, 30).await.unwrap().is_some());
    assert!(queue.lease(100, 30).await.unwrap().is_none());
}

#[tokio::test]
async fn a_lease_that_ran_out_is_given_again() {
    let queue = common::queue().await;
    common::push(&queue, "kestrel").await;
    queue.lease(100, 30).await.unwrap();
    assert_eq!(queue.lease(131, 30).await.unwrap().unwrap().attempt, 2);
}

#[tokio::test]
async fn deliveries_come_in_order() {
    let queue = common::queue().await;
    let first = common::push(&queue, "kestrel").await;
    common::push(&queue, "mirador").await;
    assert_eq!(queue.lease(100, 30).await.unwrap().unwrap().id, first);
}

#[tokio::test]
async fn a_retry_waits_for_its_time() {
    let queue = common::queue().await;
    let id = common::push(&queue, "kestrel").await;
    queue.lease(100, 30).await.unwrap();
    queue.retry_at(id, 500).await.unwrap();
    assert!(queue.lease(499, 30).await.unwrap().is_none());
    assert!(queue.lease(500, 30).await.unwrap().is_some());
}
