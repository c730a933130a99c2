-- A timeline, and whoever ends a connection or deletes a company, looked through all links of the instance.
create index links_of_company on links (instance_id, company_id);

-- Every process asks for these several times a second, and every publication tidies up behind an hour of others.
create index publication_changes_made on publication_changes (made_at);
create index publication_changes_announced on publication_changes (announced_at);
