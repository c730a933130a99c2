-- Last company whose publications were compared with the feed, while the comparison before its first read is not done;
-- null: none, or all. See docs/decisions/0060.
alter table change_feeds add column compared_until uuid;
