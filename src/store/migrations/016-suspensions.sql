-- Instances that an operator has suspended: nobody signs in, nothing is read, nothing is sent. A table of its own, so that
-- the few are found without looking at all instances.
create table instance_suspensions (
  instance_id uuid primary key references instances (id) on delete cascade,
  suspended_at timestamptz not null default clock_timestamp(),
  -- Why, for the instance's administrators and the operators; no secret.
  reason text not null
);
select enforce_instance_isolation('instance_suspensions');
