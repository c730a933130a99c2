-- Transaction: none
-- For the mails that wait, failed or were refused, among very many that were sent.
create index concurrently if not exists mails_unsent on mails (instance_id, state, created_at, id) where state <> 'sent';
