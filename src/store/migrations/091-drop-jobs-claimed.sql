-- Transaction: none
drop index concurrently if exists jobs_claimed;
