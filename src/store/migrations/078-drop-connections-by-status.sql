-- Transaction: none
-- Replaced by the index before; no release reads through it.
drop index concurrently if exists connections_by_status;
