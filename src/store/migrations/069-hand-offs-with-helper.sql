-- Transaction: none
-- For retention: hand-offs that still name their helper.
create index concurrently if not exists hand_offs_with_helper on hand_offs (instance_id, link_id) where helper is not null;
