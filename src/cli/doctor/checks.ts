export type Severity = 'error' | 'warning'

interface CheckText {
  severity: Severity
  /** Problem that the check looks for. */
  finds: string
  cure: string
}

const error = (finds: string, cure: string): CheckText => ({ severity: 'error', finds, cure })
const warning = (finds: string, cure: string): CheckText => ({ severity: 'warning', finds, cure })

/** All checks, by id; an id never changes its meaning. */
export const CHECKS = {
  'settings-invalid': error('A setting cannot be used.', 'Correct the environment variable as the sentence says.'),
  'setting-misspelt': warning('A variable looks like a misspelt setting, and is ignored.', 'Rename the variable, or remove it.'),
  'environment-sandbox': error('A sandbox answers at a public https address.', 'Set ENVIRONMENT=production, with a database of its own.'),
  'base-url-not-https': error(
    'BASE_URL is not https in production.',
    'Put a proxy with a certificate in front, and set BASE_URL to its https address (docs/guides/proxy.md).',
  ),
  'base-url-unreachable': error(
    'BASE_URL or CONNECT_URL does not answer from here.',
    'Check the name in DNS, the proxy, its certificate, and that the service runs.',
  ),
  'base-url-foreign': error(
    'Something else answers at BASE_URL or CONNECT_URL.',
    'Point the proxy and the DNS name to this deployment, or correct the setting.',
  ),
  'proxy-untrusted': error(
    'Requests arrive through a proxy that is not trusted, so all clients share one limit.',
    'Name the proxy in TRUSTED_PROXIES (docs/guides/proxy.md).',
  ),
  'private-addresses-allowed': warning(
    'Webhook receivers and sources may be on private addresses in production.',
    'Set ALLOW_PRIVATE_ADDRESSES=false, unless your customers’ systems are in your own network.',
  ),
  'tls-certificate-expiring': warning(
    'The certificate of the service itself expires within 14 days.',
    'Renew the files of TLS_CERT_FILE and TLS_KEY_FILE; they are used without a restart (docs/guides/tls.md).',
  ),
  'breached-passwords-unusable': error(
    'The list of breached passwords is missing, has another form, or is not sorted.',
    'Let BREACHED_PASSWORDS name a file with one SHA-1 hash a line, in ascending order (docs/guides/hardening.md).',
  ),
  'allowed-hosts-useless': warning(
    'The list of destinations has a name or an address that no connection may lead to.',
    'Correct EGRESS_ALLOWED_HOSTS: names of the internet, as in api.example.com, or set ALLOW_PRIVATE_ADDRESSES=true.',
  ),
  'metrics-closed': warning('Nobody can read metrics.', 'Set METRICS_LISTEN or METRICS_TOKEN (docs/guides/monitoring.md).'),
  'mail-missing': warning('No mail server is configured, so no mails are sent.', 'Set SMTP_URL and MAIL_FROM.'),
  'mail-unreachable': error(
    'The mail server refuses the connection or the login.',
    'Correct SMTP_URL; the sentence has the server’s own words.',
  ),
  'mail-failing': warning(
    'Mails were refused or given up in the last 24 hours.',
    'Look at Mail in the portal, and at MAIL_FROM with its SPF and DKIM records.',
  ),
  'callback-shared': warning(
    'Sources share one redirect address, so a code of one could be passed off as that of another.',
    'Register the source’s own address, and set "callback": "own" in sources.json (docs/source-keys.md).',
  ),
  'malware-scanner-unreachable': error(
    'The malware scanner does not answer, so no file is accepted.',
    'Start clamd, correct CLAMD_ADDRESS, and let the user of the service open its socket (docs/guides/hardening.md).',
  ),
  'data-dir-open': error('Other users can read DATA_DIR.', 'Run: chmod 700 on the folder (711 where the service runs as root).'),
  'login-file': error(
    'login.json keeps a password in clear in production.',
    'Delete the file, and set a new password with countinghouse admin-link.',
  ),
  'disk-low': error('DATA_DIR has little free space.', 'Free space or enlarge the volume; PostgreSQL stops writing when it is full.'),
  'feeds-dir-unreadable': error(
    'FEEDS_DIR cannot be read and written by this user.',
    'Give the user of the service read, write and search rights.',
  ),
  'bank-profiles-invalid': error('A bank profile cannot be used.', 'Correct the file; npm run check-profiles explains it.'),
  'keys-unusable': error(
    'The key files are missing, damaged or readable by others.',
    'Do what the sentence says; a lost or damaged key comes back only from its backup.',
  ),
  'keys-foreign': error('The keys are not those of this database.', 'Bring back the DATA_DIR/keys that belongs to the database.'),
  'sealed-unreadable': error(
    'Stored secrets are encrypted with a key that is missing.',
    'Bring the missing key file back into DATA_DIR/keys.',
  ),
  'raw-pages-unreachable': error(
    'Raw pages lie in object storage, which does not answer as it should.',
    'Correct RAW_PAGE_BUCKET and its key and region as the sentence says; explanations and replays wait for it.',
  ),
  'raw-pages-missing': error(
    'Objects of raw pages are missing in object storage.',
    'Bring back the bucket and prefix that the pages were stored in, or its objects from a copy of the bucket.',
  ),
  'raw-page-objects-left': warning(
    'Objects of deleted raw pages could not be removed for more than an hour.',
    'Let the access key delete objects, and look at the log of a worker. Without their pages nobody can open them.',
  ),
  'audit-altered': error(
    'An entry of the audit trail was changed or removed.',
    'Find out who wrote to the database besides the service, and compare audit_entries with a backup. Deleting a token-hash key has the same effect.',
  ),
  'sources-file-invalid': error('sources.json cannot be used.', 'Correct the file as the sentence says.'),
  'sources-file-open': error('Other users can read sources.json.', 'Run: chmod 600 on the file.'),
  'source-keys-unset': warning(
    'No source has keys, so owners can connect files and logins only.',
    'Set keys in the portal or in DATA_DIR/sources.json (docs/source-keys.md).',
  ),
  'source-keys-refused': error(
    'A source refuses the operator’s keys; its jobs wait.',
    'Correct the keys of the source in DATA_DIR/sources.json.',
  ),
  'database-unreachable': error('The database does not answer.', 'Check DATABASE_URL, the network, and that PostgreSQL runs.'),
  'database-embedded': warning(
    'Production runs on the embedded PostgreSQL.',
    'Set DATABASE_URL to a PostgreSQL that you back up and monitor.',
  ),
  'database-unsuitable': error(
    'PostgreSQL is too old, or a pooler is in the wrong mode for the addresses that are set.',
    'Use PostgreSQL 15 or newer; for a pooler, do what the sentence says (docs/guides/scaling.md).',
  ),
  'event-partitions-missing': warning(
    'A partition of events, deliveries or attempts for this week or the next is missing; until it is made, rows stay in the table of all weeks.',
    'Look for “make event partitions” in the log of the workers: they make it every hour, and say what prevents it.',
  ),
  'page-partitions-missing': warning(
    'A partition of raw pages is missing: pages are stored in the table itself, and deleted one by one.',
    'Look for “make page partitions” in the log of the workers: they make it every hour, and say what prevents it.',
  ),
  'database-citus-unused': warning(
    'The database has Citus with several nodes, but every table of this deployment is on the coordinator.',
    'Nothing has to be done: only the first start of a new deployment distributes tables, where a role may own them (docs/guides/citus.md).',
  ),
  'database-citus-node': error(
    'A node of Citus is not active, or the coordinator cannot reach it: companies whose records it holds can be neither read nor synced.',
    'Start the node. One that holds nothing can be removed with citus_remove_node.',
  ),
  'database-citus-commit': error(
    'A node of Citus commits before its log is on the disk: a shard that is moved can lose changes, and a crash can lose halves of them.',
    'Set synchronous_commit = on in the configuration of the node, and reload it.',
  ),
  'database-direct-needless': warning(
    'DATABASE_DIRECT_URL is set, but DATABASE_URL is no pooler in transaction mode.',
    'Remove DATABASE_DIRECT_URL: statements are slower for nothing.',
  ),
  'database-direct-differs': error(
    'DATABASE_DIRECT_URL leads to another database than DATABASE_URL.',
    'Give both the address of one server, by way of the pooler and without it (docs/guides/scaling.md).',
  ),
  'replica-is-primary': error(
    'DATABASE_READ_URL names a server that accepts writes: the primary, or a replica that was promoted.',
    'Name standbys of the primary only; rebuild one that was promoted (docs/guides/scaling.md).',
  ),
  'replica-foreign': error(
    'DATABASE_READ_URL names a server of another PostgreSQL cluster.',
    'Name standbys of the server that DATABASE_URL leads to.',
  ),
  'replica-unreachable': error(
    'A server of DATABASE_READ_URL does not answer as it should.',
    'Check the address, the network, and that PostgreSQL runs there; meanwhile the primary answers.',
  ),
  'replica-behind': error(
    'A replica does not catch up with the primary within DATABASE_READ_STALENESS_SECONDS.',
    'Look at its log and at pg_stat_wal_receiver: replay may be paused, or wait for a long read; rebuild one that lacks files of the log.',
  ),
  'replica-unencrypted': error(
    'The connection to a replica is not encrypted over a network.',
    'Add sslmode=verify-full to DATABASE_READ_URL, or sslmode=disable where nobody else can read the network.',
  ),
  'replica-pooled': warning(
    'A pooler or a balancer is in front of a replica.',
    'Name each replica by its own address: reads of one session then stay with one replica, and statements are kept by name.',
  ),
  'replica-cancels': warning(
    'A replica ends reads that need rows which the primary has removed; the primary answers them again.',
    'Set hot_standby_feedback to on at the replica, and leave max_standby_streaming_delay below the bound on staleness.',
  ),
  'database-superuser': error(
    'The database role is exempt from row-level security.',
    'Use a role that is neither a superuser nor has BYPASSRLS.',
  ),
  'database-read-only': error('The database is read-only.', 'Point DATABASE_URL to the primary, or end its recovery.'),
  'database-unencrypted': error(
    'The connection to the database is not encrypted over a network.',
    'Add sslmode=verify-full to DATABASE_URL, or sslmode=disable where nobody else can read the network.',
  ),
  'database-encoding': error('The database is not in UTF8.', 'Create the database with encoding UTF8 and restore into it.'),
  'database-unsafe': error('PostgreSQL may lose or damage data in a crash.', 'Set fsync, full_page_writes and synchronous_commit to on.'),
  'database-autovacuum': warning('Autovacuum is off, so tables only grow.', 'Set autovacuum to on.'),
  'database-connections': error(
    'PostgreSQL allows too few connections for the pools of the processes.',
    'Raise max_connections as the sentence says.',
  ),
  'clock-skew': error('The clock of this machine differs from the database’s.', 'Let both follow a time server (NTP).'),
  'schema-pending': warning('Migrations are pending.', 'Run countinghouse migrate, or start the new version.'),
  'schema-unusable': error('The schema of the database does not fit this version.', 'Run the version that the sentence names.'),
  'deployment-paused': warning(
    'The deployment is paused: nothing is synced or sent.',
    'Run countinghouse resume, once the original of a restored copy is stopped for good.',
  ),
  'worker-missing': error(
    'No worker has reported for more than 75 seconds, while jobs are due.',
    'Start a process with ROLE=worker or all, and look at its log.',
  ),
  'queue-lag': warning(
    'Due jobs wait for more than five minutes.',
    'Start more workers, or look for a source that blocks them (docs/guides/monitoring.md).',
  ),
  'jobs-dead': warning(
    'Jobs were set aside after their last attempt.',
    'Look at Health in the portal: repair the cause, then put them back.',
  ),
  'subscriptions-disabled': warning(
    'Webhook subscriptions were disabled after failed deliveries.',
    'Tell the customer; the portal shows why and enables them again.',
  ),
  'seed-email-default': warning(
    'An administrator has the address developer@example.com.',
    'Add an administrator with a real address, and delete this one.',
  ),
  'instance-name-default': warning(
    'An instance has the name of the first start, which owners read on their pages.',
    'Rename it: countinghouse instance rename.',
  ),
} as const satisfies Record<string, CheckText>

export type CheckId = keyof typeof CHECKS

export interface Finding {
  id: CheckId
  severity: Severity
  /** One sentence, with what was found here. */
  fact: string
  cure: string
}

export function find(id: CheckId, fact: string): Finding {
  return { id, severity: CHECKS[id].severity, fact: /[.?]$/.test(fact) ? fact : `${fact}.`, cure: CHECKS[id].cure }
}

/** The finding when `isFault`, otherwise none. */
export function findIf(isFault: boolean, id: CheckId, fact: string): Finding[] {
  return isFault ? [find(id, fact)] : []
}
