import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { createInstance } from '../../src/store/access/instances.ts'
import { expireAuthorizations, hasAuthorization } from '../../src/store/connections/authorizations.ts'
import { listConnections } from '../../src/store/connections/connection-list.ts'
import { listConsentsExpiringBefore } from '../../src/store/connections/consents.ts'
import { listLeftVersions } from '../../src/store/connections/credential-versions.ts'
import { listIdleCredentials } from '../../src/store/connections/credentials.ts'
import { type Db, inTransaction } from '../../src/store/db/database.ts'
import { enqueueDueSyncs, spreadOverdue } from '../../src/store/jobs/due-syncs.ts'
import { claimJobs } from '../../src/store/jobs/jobs.ts'
import { requeueExpiredJobs } from '../../src/store/jobs/leases.ts'
import { deleteOldMails } from '../../src/store/mail/mails.ts'
import { claimDueErasures } from '../../src/store/owners/owner-connections.ts'
import { listConnectionsToRepair, listConsentsToRemind } from '../../src/store/owners/reminders.ts'
import { claimObjectsToRemove, listPageWindow } from '../../src/store/records/page-objects.ts'
import { listPublicationChanges } from '../../src/store/records/publication-changes.ts'
import { deleteExpiredRows, FIRST_POSITION } from '../../src/store/retention/expired-rows.ts'
import { listConnectionsWithOldPages } from '../../src/store/retention/old-pages.ts'
import { listConnectionsWithOldRuns } from '../../src/store/retention/old-runs.ts'
import { AGED_CLASSES, RULES } from '../../src/store/retention/rules.ts'
import { claimDueFeeds } from '../../src/store/sources/file-feeds.ts'
import { claimDeliveries, listDueInstances } from '../../src/store/webhooks/deliveries.ts'
import { deleteOldAttempts, listDeliveries } from '../../src/store/webhooks/delivery-log.ts'
import { deleteOldEvents } from '../../src/store/webhooks/events.ts'
import { pagesRead } from '../harness/app/pages-read.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const ROWS = 100_000
/**
 * Limit in pages of tables and indexes; a table of `ROWS` rows has more than a thousand, each of its indexes several
 * hundred.
 */
const FEW_PAGES = 300
const instanceId = randomUUID()
const companyId = randomUUID()
const subscriptionId = randomUUID()
const test = databaseForTests()

beforeAll(async () => {
  await createInstance(test.database, { id: instanceId, name: 'Test Lender' })
  await addCompany(test.database, instanceId, { id: companyId })
  await inTransaction(test.database, async (db) => {
    await db.query('set local statement_timeout = 0')
    for (const statement of CROWD) await db.query(statement.text, statement.values)
  })
  await test.database.query('analyze')
}, 240_000)

const nth = `('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`
const series = `generate_series(1, ${ROWS}) n`
/** Some hours ahead, a different time for each row. */
const later = `clock_timestamp() + make_interval(secs => 7200 + n)`

/** Rows that are not due. */
const CROWD: { text: string; values: unknown[] }[] = [
  {
    text: `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, refresh_hours,
        update_scheduled_at, entity_id, credentials, credentials_issued_at, erase_at)
      select $1, ${nth}, $2, ${nth}, 'books', 'Accounting', '', 15, 24, ${later}, 'e', 'x', clock_timestamp(), ${later} from ${series}`,
    values: [instanceId, companyId],
  },
  {
    text: `insert into jobs (instance_id, kind, key, provider, run_at) select $1, 'sync', 'other/' || n, 'books', ${later} from ${series}`,
    values: [instanceId],
  },
  {
    text: `insert into authorizations (instance_id, id, link_id, connection_id, state_hash, expires_at)
      select $1, ${nth}, ${nth}, ${nth}, n::text::bytea, ${later} from ${series}`,
    values: [instanceId],
  },
  {
    text: `insert into credential_versions (instance_id, connection_id, id, base_generation, issued_at, sealed)
      select $1, ${nth}, ${nth}, 1, clock_timestamp(), 'x' from ${series}`,
    values: [instanceId],
  },
  {
    text: `insert into file_feeds (instance_id, id, name, source, every_minutes, next_at) select $1, ${nth}, '', '{}', 60, ${later} from ${series}`,
    values: [instanceId],
  },
  {
    text: `insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body)
      select $1, ${nth}, 'Error', $2, ${nth}, ${nth}, n::text, '' from ${series}`,
    values: [instanceId, companyId],
  },
  {
    text: `insert into subscriptions (instance_id, id, event, callback_url) values ($1, $2, 'NormalizedData', 'https://receiver.example')`,
    values: [instanceId, subscriptionId],
  },
  {
    text: `insert into deliveries (instance_id, id, event_id, subscription_id, kind, due_at) select $1, ${nth}, ${nth}, $2, 'Error', ${later} from ${series}`,
    values: [instanceId, subscriptionId],
  },
  {
    text: `insert into delivery_attempts (instance_id, delivery_id, number, started_at, duration_ms, http_status)
      select $1, ${nth}, 1, clock_timestamp(), 1, 500 from ${series}`,
    values: [instanceId],
  },
  {
    text: `insert into raw_pages (instance_id, id, connection_id, pull, page, fetched_at, content_hash, sealed, company_id)
      select $1, ${nth}, ${nth}, 'accounts', 0, clock_timestamp() - make_interval(mins => 30 * n), 'x', 'x', $2 from ${series}`,
    values: [instanceId, companyId],
  },
  { text: `insert into unclaimed_objects (object_key, due_at) select n::text, ${later} from ${series}`, values: [] },
  {
    text: `insert into mails (instance_id, id, kind, recipient_hash, recipient_shown) select $1, ${nth}, 'k', 'x', '' from ${series}`,
    values: [instanceId],
  },
  { text: `insert into consent_texts (instance_id, hash, texts) values ($1, 'x', '{}')`, values: [instanceId] },
  {
    text: `insert into consents (instance_id, id, company_id, service_id, link_id, connection_id, purpose_key, purpose_version, text_hash,
        language, duration_days, given_at, expires_at)
      select $1, ${nth}, $2, ${nth}, ${nth}, ${nth}, 'p', 0, 'x', 'en', 365, clock_timestamp(), clock_timestamp() + interval '365 days' from ${series}`,
    values: [instanceId, companyId],
  },
  {
    text: `insert into publication_changes (instance_id, key, made_at) select $1, n::text, clock_timestamp() - interval '1 minute' from ${series}`,
    values: [instanceId],
  },
]

/** Rows with a retention period, each half an hour older than the one before. */
const aged = `clock_timestamp() - make_interval(mins => 30 * n)`
CROWD.push(
  {
    text: `insert into sync_runs (instance_id, id, connection_id, reason, state, fence, started_at, ended_at, company_id)
      select $1, ${nth}, ${nth}, 'schedule', 'unchanged', 1, ${aged}, ${aged}, $2 from ${series}`,
    values: [instanceId, companyId],
  },
  {
    text: `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at)
      select $1, ${nth}, n::text::bytea, $2, ${nth}, '', ${aged} from ${series}`,
    values: [instanceId, companyId],
  },
  {
    text: `insert into connection_timeline (instance_id, connection_id, at, to_status) select $1, ${nth}, ${aged}, 15 from ${series}`,
    values: [instanceId],
  },
  {
    text: `insert into source_files (instance_id, id, connection_id, name, content_hash, received_at, sealed, company_id)
      select $1, ${nth}, ${nth}, '', 'x', ${aged}, 'x', $2 from ${series}`,
    values: [instanceId, companyId],
  },
  {
    text: `insert into receipts (instance_id, id, company_id, connection_id, kind, issued_at, service_name, signed)
      select $1, ${nth}, $2, ${nth}, 'deletion', ${aged}, '', '' from ${series}`,
    values: [instanceId, companyId],
  },
  {
    text: `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, valid_to, orig_id, connection_id, doc,
        content_hash, sort_key, run_id, raw_index, mapping_version)
      select $1, $2, $3, 'Accounts', ${nth}, '-infinity', case when n % 2 = 0 then ${aged} end, '', $3, '', 'x', '', $3, 0, 1 from ${series}`,
    values: [instanceId, companyId, randomUUID()],
  },
)

const claim = { worker: randomUUID(), kinds: ['sync'], limit: 10, leaseMs: 60_000, after: null, cap: 10 }
const rules = { perSubscription: 8, failuresUntilProbing: 5, leaseMs: 60_000, pauseMs: 60_000, aheadMs: 0 }
const HOUR_MS = 3_600_000
/** 50,000 of the rows with a retention period have expired before it. */
const LONG_AGO = new Date(Date.now() - 50_000 * 1_800_000)

/** Queries that each worker repeats, and those of an owner's step. */
const QUESTIONS: Record<string, (db: Db) => Promise<unknown>> = {
  'due syncs': (db) => enqueueDueSyncs(db, 1_000),
  'overdue syncs': (db) => spreadOverdue(db, 600_000, HOUR_MS, 1_000),
  'due jobs': (db) => claimJobs(db, claim),
  'jobs of dead workers': (db) => requeueExpiredJobs(db, 8),
  'due deliveries by instance': (db) => listDueInstances(db),
  'due deliveries of an instance': (db) => claimDeliveries(db, instanceId, { lease: randomUUID(), limit: 10 }, rules),
  'due feeds': (db) => claimDueFeeds(db, 100),
  'due erasures': (db) => claimDueErasures(db, 100),
  'expired authorizations': expireAuthorizations,
  'authorizations of a connection': (db) => hasAuthorization(db, instanceId, randomUUID()),
  'credentials that were left': (db) => listLeftVersions(db, 100),
  'idle credentials': (db) => listIdleCredentials(db, [{ connectorKey: 'books', days: 7, isEnabled: true }], 100),
  'expired consents': (db) => listConsentsExpiringBefore(db, new Date(), 100),
  'consents to remind of': (db) => listConsentsToRemind(db, new Date(), [30, 7, 1], 100),
  'connections to repair': (db) => listConnectionsToRepair(db, 100),
  'changes of publications': listPublicationChanges,
  'old events': (db) => deleteOldEvents(db, instanceId, 90, 100),
  'old attempts': (db) => deleteOldAttempts(db, instanceId, 30, 100),
  'old mails': deleteOldMails,
  'pages to move': (db) => listPageWindow(db, false, { instanceId, id: randomUUID() }, 10),
  'objects to remove': (db) => claimObjectsToRemove(db, 10),
  'old pages': (db) => listConnectionsWithOldPages(db, LONG_AGO, 10),
  'old runs': (db) => listConnectionsWithOldRuns(db, LONG_AGO, 10),
  ...Object.fromEntries(
    AGED_CLASSES.map((of) => [`expired ${of}`, (db: Db) => deleteExpiredRows(db, RULES[of], LONG_AGO, FIRST_POSITION, 10)]),
  ),
}

for (const [name, ask] of Object.entries(QUESTIONS)) {
  it(`${name}: reads what is due and not the ${ROWS} others`, async () => {
    const pages = await pagesRead(test.database, ask)
    expect(pages.length).toBeGreaterThan(0)
    expect(pages.filter(({ count }) => count > FEW_PAGES)).toEqual([])
  })
}

/** A count of everything, then the page. */
const newest = { filter: [], descending: true, limit: 100, offset: 0, mayReadAudit: true }
const LISTS: Record<string, (db: Db) => Promise<unknown>> = {
  connections: (db) => listConnections(db, instanceId, null, new Map([['books', 'Books']]), { ...newest, orderBy: 'createdOn' }),
  deliveries: (db) => listDeliveries(db, instanceId, { ...newest, orderBy: 'createdAt' }),
}

for (const [name, ask] of Object.entries(LISTS)) {
  it(`a page of the newest ${name} reads its own rows, and the total no table but the list's`, async () => {
    const [count, page] = await pagesRead(test.database, ask)
    expect(page?.count).toBeLessThan(4 * FEW_PAGES)
    expect(count?.text).toContain('count(*)')
    expect(new Set(count?.relations.map((relation) => relation.replace(/_\d{8}$/, ''))).size).toBe(1)
  })
}

it('no statement compares a column with clock_timestamp(), which no index supports', () => {
  const comparing = globSync('src/**/*.ts', { exclude: ['**/*.test.ts'] }).filter((file) =>
    /(<=?|>=?|between)\s*clock_timestamp\(/.test(readFileSync(file, 'utf8')),
  )
  expect(comparing).toEqual([])
})
