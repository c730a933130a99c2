-- Which redirect address the developer of the app has registered: the one of all sources, as release 1.0.0 knows, or the
-- source’s own.
alter table source_keys add column callback text not null default 'shared';
alter table source_keys add constraint source_keys_callback check (callback in ('shared', 'own')) not valid;
