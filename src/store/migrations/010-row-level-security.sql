-- Row-level security of all tables of an instance. The setting is read once for a query where thousands of rows are
-- read or written.
select enforce_instance_isolation('instances', of_column => 'id');
select enforce_instance_isolation(c.oid, by_the_thousand => c.relname in ('record_versions', 'staged_records', 'jobs'))
from pg_class c join pg_attribute a on a.attrelid = c.oid
where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attname = 'instance_id' and not a.attisdropped;
