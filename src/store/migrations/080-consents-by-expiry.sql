-- Transaction: none
-- For the consents of an instance in the order of their expiry.
create index concurrently if not exists consents_by_expiry on consents (instance_id, expires_at, id);
