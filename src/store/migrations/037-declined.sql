-- What an owner was shown and declined stands in the ledger too, ended at once.
alter table consents drop constraint consents_ended_how_check;
alter table consents add constraint consents_ended_how_check
  check (ended_how in ('withdrawn', 'expired', 'disconnected', 'replaced', 'unused', 'declined')) not valid;
-- Owners who agreed and went no further: looked for twice a minute.
create index connections_authorizing on connections (created_at) where status = 6;
