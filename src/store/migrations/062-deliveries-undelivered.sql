-- Transaction: none
-- For the deliveries that failed or wait, among very many that succeeded.
create index concurrently if not exists deliveries_undelivered on deliveries (instance_id, status, created_at, id) where status <> 'delivered';
