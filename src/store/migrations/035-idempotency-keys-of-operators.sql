-- Requests of operators have idempotency keys too: like all that is theirs, these belong to the nil instance, which has no row.
alter table idempotency_keys drop constraint if exists idempotency_keys_instance_id_fkey;
