-- Version: 7
-- Oldest release: 1.0.0, whose workers claim by it while an upgrade is under way. `claim_due_jobs` does the work, so that claims of both
-- releases leave the same marks.
create or replace function claim_jobs(
  claimer uuid, wanted text[], most integer, lease_ms float8, after_instance uuid, after_provider text, cap integer
) returns setof jobs
language plpgsql as $$
declare
  claimed record;
begin
  for claimed in select c.id, c.key from claim_due_jobs(claimer, wanted, most, lease_ms, after_instance, after_provider, cap, null) c loop
    return query select j.* from jobs j where j.state = 'running' and j.key = claimed.key and j.id = claimed.id;
  end loop;
end
$$;
