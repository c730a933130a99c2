-- Lease of the request that is being executed with a key, and the number of its executions: the request of a process that died is executed
-- again. Rows of release 1.0.0 have no lease.
alter table idempotency_keys add column leased_until timestamptz, add column attempt integer not null default 1;
