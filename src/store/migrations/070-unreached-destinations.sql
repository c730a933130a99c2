-- Destinations of exports at which something of an erased instance may be left; null until that is known.
alter table instance_erasures add column unreached jsonb;
