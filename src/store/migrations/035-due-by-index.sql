-- What is looked for by its time, every few seconds or hours, is found by an index that begins with that time.
create index authorizations_by_expiry on authorizations (expires_at);
create index authorizations_of_connection on authorizations (instance_id, connection_id);
create index mails_unsettled on mails (created_at) where settled_at is null;
create index connections_to_repair on connections (instance_id) where status = 8;

-- Only credentials that are older than migration 005 have none.
update connections set credentials_issued_at = created_at where credentials is not null and credentials_issued_at is null;
create index connections_idle on connections (connector_key, credentials_issued_at) where credentials is not null and status not in (6, 7, 8, 20, 26);
