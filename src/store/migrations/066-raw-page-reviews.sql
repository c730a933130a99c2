-- When retention last looked at a raw page that it kept; null: not yet. Each is looked at once a month, like runs.
alter table raw_pages add column reviewed_at timestamptz;
