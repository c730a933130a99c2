-- Transaction: none
-- For retention: raw pages that it has not looked at. 1.0.0 still reads through raw_pages_by_age.
create index concurrently if not exists raw_pages_by_age_alone on raw_pages (fetched_at) where reviewed_at is null;
