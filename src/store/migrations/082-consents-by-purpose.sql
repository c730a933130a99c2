-- Transaction: none
-- For the consents of an instance by purpose.
create index concurrently if not exists consents_by_purpose on consents (instance_id, purpose_key, id);
