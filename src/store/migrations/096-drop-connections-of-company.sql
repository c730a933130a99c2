-- Transaction: none
-- Replaced by the index before, which finds the connections of a company too.
drop index concurrently if exists connections_of_company;
