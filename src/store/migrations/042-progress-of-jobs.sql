-- How far the attempts of a job have got: farther than before, and the failures until then no longer count.
alter table jobs add column furthest integer not null default 0;
