-- Version: 1
-- Trigger: a row of the consent ledger learns its connection and its end, each once, and nothing else.
create or replace function keep_consent() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - '{connection_id,ended_at,ended_how}'::text[] <> to_jsonb(old) - '{connection_id,ended_at,ended_how}'::text[]
    or (old.connection_id is not null and new.connection_id is distinct from old.connection_id)
    or (old.ended_at is not null and (new.ended_at, new.ended_how) is distinct from (old.ended_at, old.ended_how))
  then
    raise exception 'a consent is not rewritten';
  end if;
  return new;
end
$$;
