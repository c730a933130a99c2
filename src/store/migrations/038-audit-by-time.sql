-- The entries of a range of time, among all that are kept.
create index audit_entries_by_time on audit_entries (instance_id, at);
