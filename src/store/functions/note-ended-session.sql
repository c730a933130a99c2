-- Version: 1
-- Trigger: a session has ended, by whatever statement: also when its user or its instance is deleted.
create or replace function note_ended_session() returns trigger language plpgsql as $$
begin
  insert into ended_sessions (session_id) values (old.id) on conflict do nothing;
  return null;
end
$$;
