-- One row while the deployment is paused: its processes take no jobs, call no sources and send nothing. A restored copy begins so.
-- `if not exists`: a restore makes it before the other tables of a version that lacks it, so that no process starts on an unpaused copy.
create table if not exists deployment_pause (
  is_paused boolean primary key default true check (is_paused),
  paused_at timestamptz not null default clock_timestamp(),
  reason text not null check (reason in ('restored', 'requested')),
  -- The backup that a restored copy was made from.
  backup_id uuid
);
