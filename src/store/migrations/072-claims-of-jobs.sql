-- When a running job was claimed. Claims list the running jobs by it (claim_due_jobs); null for those claimed before.
alter table jobs add column claimed_at timestamptz;
