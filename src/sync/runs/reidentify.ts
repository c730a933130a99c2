import { type Connector, SourceError } from '../../connectors/contract/contract.ts'
import type { Source } from '../../connectors/sources.ts'
import type { Connection } from '../../store/connections/connections.ts'
import { listSeen, replaceSeen } from '../../store/connections/run-pages.ts'
import type { SyncRun } from '../../store/connections/sync-runs.ts'
import type { Db } from '../../store/db/database.ts'
import {
  aliasMovements,
  insertAliases,
  listAccountAliases,
  listFreshWindows,
  stageStaleMovements,
} from '../../store/records/record-aliases.ts'
import { listCurrentAccounts, type RecordScope } from '../../store/records/records.ts'
import { countStaged, dropStaged, listNewAccounts, listStagedPages, stageEnded } from '../../store/records/staged-records.ts'
import type { Logging, Vault } from '../context/groups.ts'
import { isOtherLogin, matchAccounts } from './account-matching.ts'
import { openPageScope } from './aliases.ts'
import { FingerprintStore } from './fingerprints.ts'
import { isSeen, readSeen, stagePage } from './page-staging.ts'
import { openPage } from './raw-page-store.ts'
import { readItems } from './read-items.ts'
import { addCounts, setCounts } from './run-progress.ts'

/** Context of a run while it reads. */
interface ReidentifyContext {
  deps: Vault & Logging
  source: Pick<Source, 'files' | 'description'>
  connector: Connector
  connection: Connection
  run: SyncRun
  serviceName: string
}

/**
 * Reidentification after a reconnect: recognizes accounts listed under other ids, so that they keep their records. Part
 * of the transaction of the page that completes the listing. Ambiguous accounts end, and new ones begin. Throws
 * `SourceError('reconnect')` when the login shows none of the known accounts.
 */
export async function reidentifyAccounts(db: Db, reading: ReidentifyContext, pullIndex: number): Promise<void> {
  const { run, connector } = reading
  if (run.reason !== 'reconnect' || !connector.reidentify || !connector.pulls[pullIndex]?.delivers.includes('Accounts')) return
  const pages = (await listSeen(db, run)).filter((page) => page.pull === pullIndex).map((page) => page.seen)
  if (pages.length === 0) return
  const scope = toScope(reading.connection)
  const coming = await listNewAccounts(db, scope, run.id)
  if (coming.length === 0) return
  const seen = readSeen(pages)
  const current = await listCurrentAccounts(db, scope)
  const active = current.filter(({ deleted }) => !deleted)
  const missing = active.filter(({ id }) => !isSeen(seen, id))
  const ended = current.filter(({ id, deleted }) => deleted && !isSeen(seen, id))
  const kept = active.filter(({ id }) => isSeen(seen, id))
  const fingerprintStore = new FingerprintStore(reading.deps, db, run, reading)
  const now = await fingerprintStore.withFingerprints(coming)
  const before = await fingerprintStore.withFingerprints(missing)
  const matches = matchAccounts({
    before,
    ended: await fingerprintStore.withFingerprints(ended),
    now,
    seen: await fingerprintStore.withFingerprints(kept),
  })
  const { pairs, unclear, unclearEnded } = matches
  // When all ids are new, none returns under an old one: an account without a match has left; one that is
  // indistinguishable may be any account of the other side, and has been replaced.
  const isNewGeneration = kept.length === 0
  if (isNewGeneration && isOtherLogin({ before, now }, matches)) {
    throw new SourceError('reconnect', 'the login shows none of the accounts that were connected before')
  }
  const continued = new Set(pairs.map((pair) => pair.before))
  const isAnyNameless = now.some(({ fingerprint }) => !fingerprint)
  const mayBeReplaced = before.filter(({ account, fingerprint }) => !continued.has(account) && (!fingerprint || isAnyNameless))
  const replaced = isNewGeneration ? [...new Set([...unclear, ...mayBeReplaced.map(({ account }) => account)])] : unclear
  const left = isNewGeneration ? missing.filter((account) => !continued.has(account)) : replaced
  await insertAliases(
    db,
    scope,
    'Accounts',
    pairs.map((pair) => ({ origId: pair.now.origId, id: pair.before.id, keptOrigId: pair.before.keptOrigId })),
  )
  await stageEnded(db, scope, run.id, {
    accounts: left.map(({ id }) => id),
    movementsOf: [...replaced, ...unclearEnded].map(({ keptOrigId }) => keptOrigId),
  })
  if (pairs.length > 0) {
    const renamed = pairs.map((pair) => pair.now.id)
    await dropStaged(db, run, 'Accounts', renamed)
    // Transactions read before their accounts still have the source's new account ids.
    const pageIds = await listStagedPages(db, run)
    await restage(db, reading, [...new Set([...pageIds, ...pairs.map((pair) => pair.now.rawPageId)])])
  }
  addCounts(run, { reidentified: pairs.length, unclear: replaced.length })
  setCounts(run, { changed: await countStaged(db, run) })
  if (replaced.length > 0) {
    const fields = { connectionId: run.connectionId, runId: run.id, reidentified: pairs.length, unclear: replaced.length }
    reading.deps.log.warn(fields, 'accounts were ambiguous after a reconnect')
  }
}

/** Whether `reidentifyTransactions` has anything to do. */
export function mayBeRenumbered({ run, connector }: Pick<ReidentifyContext, 'run' | 'connector'>): boolean {
  return connector.reidentify?.renumbersTransactions === true && run.counts.changed > 0
}

/**
 * Recognizes transactions that renamed accounts list under new ids, and ends those no longer listed. In every run,
 * because a source may deliver history long after the reconnect.
 */
export async function reidentifyTransactions(db: Db, reading: ReidentifyContext): Promise<void> {
  const { run } = reading
  if (!mayBeRenumbered(reading)) return
  const scope = toScope(reading.connection)
  if ((await listAccountAliases(db, scope)).length === 0) return
  const windows = await listFreshWindows(db, scope, run.id)
  if (windows.length === 0) return
  const { rawPageIds } = await aliasMovements(db, scope, run.id)
  await restage(db, reading, rawPageIds)
  await stageStaleMovements(db, scope, run.id, windows)
  setCounts(run, { changed: await countStaged(db, run) })
}

/** Normalizes stored pages of the run again, now with aliases, and stages what differs. Counts nothing twice. */
async function restage(db: Db, reading: ReidentifyContext, rawPageIds: string[]): Promise<void> {
  const { run, source, connector, connection, serviceName } = reading
  for (const rawPageId of rawPageIds) {
    const page = await openPage(db, reading.deps, { ...run, id: rawPageId })
    const index = connector.pulls.findIndex(({ name }) => name === page?.pull)
    const pull = connector.pulls[index]
    if (!page || !pull) throw new Error('a page of this run is no longer kept')
    const { answers, fetchedAt } = page
    const read = () => readItems(source, connector, pull, answers)
    const seen = await stagePage(db, {
      run: { ...run, page: page.page, unmapped: [] },
      source,
      connector,
      pull,
      answers,
      rawPageId,
      scope: await openPageScope(db, connection, { serviceName, fetchedAt }, read),
    })
    await replaceSeen(db, run, index, page.page, seen)
  }
}

function toScope({ instanceId, companyId, serviceId }: Connection): RecordScope {
  return { instanceId, companyId, serviceId }
}
