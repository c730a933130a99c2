-- Transaction: none
-- For the jobs claimed since the last claim, among very many whose entries an open transaction keeps.
create index concurrently if not exists jobs_claimed on jobs (claimed_at) where state = 'running';
