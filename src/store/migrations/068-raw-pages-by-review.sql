-- Transaction: none
-- For retention: raw pages that were kept when they were last looked at.
create index concurrently if not exists raw_pages_by_review on raw_pages (reviewed_at) where reviewed_at is not null;
