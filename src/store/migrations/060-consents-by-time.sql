-- Transaction: none
-- For the consents of an instance by the time at which they were given.
create index concurrently if not exists consents_by_time on consents (instance_id, given_at, id);
