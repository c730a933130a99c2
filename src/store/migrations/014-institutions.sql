-- What a bank is found under: its words in lower case without accents, in both languages (model/values/institution-names.ts). Filled anew each night.
alter table institutions add column search_text text not null default '';
update institutions set search_text = lower(name);

-- Few of all banks are looked for by number, which must not read them all.
create index institutions_routing on institutions using gin (routing_numbers);

alter table institution_requests add column answer text not null default '', add column answered_at timestamptz;
