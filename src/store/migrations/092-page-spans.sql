-- Raw pages get partitions by the months in which they were fetched (docs/decisions/0091), which the service adds and
-- drops. From which day to which (UTC), one after the other.
create table page_spans (
  begins date primary key,
  ends date not null check (ends > begins),
  -- Since when all its pages have expired: nothing new may refer to them from then on.
  closed_at timestamptz,
  -- Process that empties it, and until when.
  held_by uuid,
  held_until timestamptz
);
