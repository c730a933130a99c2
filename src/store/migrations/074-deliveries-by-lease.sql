-- Transaction: none
-- For the deliveries in flight, among very many whose entries an open transaction keeps.
create index concurrently if not exists deliveries_leased on deliveries (instance_id, subscription_id, leased_until) where leased_until is not null;
