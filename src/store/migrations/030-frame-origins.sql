-- Origins of pages that may hold the pages of a link in a frame; empty: none.
alter table owner_pages add column frame_origins text[] not null default '{}';
