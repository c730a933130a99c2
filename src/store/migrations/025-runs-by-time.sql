-- What an instance's usage counts: its runs of the last days, whatever their connection.
create index sync_runs_by_time on sync_runs (instance_id, started_at);
