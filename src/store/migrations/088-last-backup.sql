-- One row once `countinghouse backup` has written a complete file; a restored copy has none.
create table last_backup (
  is_only boolean primary key default true check (is_only),
  -- The point in time that the file holds.
  taken_at timestamptz not null,
  file_bytes bigint not null
);
