-- The link with which an owner named a bank that is missing, so that one link leaves so many and no more; null for a developer's.
alter table institution_requests add column link_id uuid;
create index institution_requests_of_link on institution_requests (instance_id, link_id) where link_id is not null;
