-- Transaction: none
-- For the consents of an instance in the order in which they ended.
create index concurrently if not exists consents_by_end on consents (instance_id, ended_at, id) where ended_at is not null;
