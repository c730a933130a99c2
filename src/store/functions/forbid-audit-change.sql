-- Version: 1
-- Trigger: audit entries are only added; retention deletes the oldest under a setting of its own.
create or replace function forbid_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and coalesce(current_setting('countinghouse.audit_retention', true), '') = 'on' then
    return old;
  end if;
  raise exception 'audit entries are never changed';
end
$$;
