/** Statements that ask all shards, each with the reason. */
export const OF_ALL_SHARDS: Readonly<Record<string, string>> = {
  'old versions': 'finds them by age alone, in bounded batches, in the background',
  'versions of publications': 'asks the shards of the companies that are read at once, for the page cache',
  'changes that are placed': 'compares the publications of several companies at once',
  'an export that begins': 'pins the publications of all companies, or of one',
  'changed records': 'reads the records of several companies at once',
  'published records': 'reads the records of several companies at once',
  'words of earlier publications': 'walks over all publications once, in bounded batches, in the background',
  'accounts by words': 'finds accounts of an instance, of any company, by words that are not distributed',
  'days of usage': 'counts the runs of an instance by day, once for each day',
  'connections with old runs': 'finds them by age alone, in bounded batches, in the background',
  'old files': 'finds them by age alone, in bounded batches, in the background',
  'connections with old pages': 'finds them by age alone, in bounded batches, in the background',
  'pages to move': 'walks over all pages, in bounded batches, in the background',
  'pages in storage': 'looks at some of the newest and oldest of all, for doctor',
  'stored bytes that were never counted': 'counts connections of earlier releases, once, in bounded batches',
  'rows of an instance': 'deletes them on all nodes, after the records, when an instance is erased',
  'records of an instance': 'exports them on one server; on a cluster it reads the whole table',
  'records of the connections of an instance': 'looks for records that were written while an instance is erased',
  'rows without their company': 'fills them, once, before anything is distributed',
  'columns of a restored cluster': 'fills those that a backup does not hold, once, in bounded batches',
}

/** What a cluster never has to do: its tables were distributed while they were empty, and have no partitions. */
export const NEVER_ON_CLUSTER = [
  'stored bytes that were never counted',
  'rows without their company',
  'pages of a partition that records came from',
  'records of an instance',
]
/** What only a cluster has to do. */
export const ONLY_ON_CLUSTER = ['columns of a restored cluster']
/** What compares the key where the planner of one server does not see it, and by itself on a cluster. */
export const KEYED_ON_CLUSTER = ['a page']
/** Of those that ask all shards, what a cluster does company by company. */
const BY_COMPANY = ['changed records', 'published records']
export const OF_ALL_SHARDS_ON_CLUSTER = Object.keys(OF_ALL_SHARDS).filter((name) => ![...NEVER_ON_CLUSTER, ...BY_COMPANY].includes(name))

/**
 * Functions whose statements use tables which are not distributed as well, by those tables. On a cluster a statement
 * would need the rows of one node on another: there they ask the servers one after the other.
 */
export const MIXED: Readonly<Record<string, readonly string[]>> = {
  'connections, whose first publication says since when records are shown': [
    ...['a page as of a day', 'a page of what changed', 'a piece of an export', 'a pinned list', 'accounts of a company'],
    ...['accounts of a company as of a day', 'a record with its origin', 'a record with its origin as of a day'],
  ],
  'connections and the horizon': ['a whole list'],
  'connections and places': ['changed records', 'published records', 'changes that are placed'],
  'connections and exports': ['an export that begins'],
  'page_spans and partitions, of which a cluster has none': ['a raw page', 'pages of a partition that records came from'],
  'deliveries and usage_days': ['days of usage'],
  connections: ['records of an instance'],
  'connections and stored_bytes': ['stored bytes that were never counted'],
}
