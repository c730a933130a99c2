import type { Config } from '../../process/settings/config.ts'
import { shouldEncrypt } from '../../process/settings/setting-values.ts'
import { urlsOf } from '../../store/db/connection/database-url.ts'
import type { Db } from '../../store/db/database.ts'
import { examineReplica, type PrimaryFacts, type ReplicaFacts, readPrimaryFacts } from '../../store/db/replicas/replica-facts.ts'
import { type Finding, find, findIf } from './checks.ts'

/** Servers of DATABASE_READ_URL: whether each is a replica of this primary, catches up, and suits long reads. */
export async function checkReplicas({ databaseReadUrl, databaseReadStalenessSeconds }: Config, db: Db): Promise<Finding[]> {
  const url = databaseReadUrl?.reveal()
  if (url === undefined) return []
  const primary = await readPrimaryFacts(db)
  const examined = await Promise.all(
    urlsOf(url).map((one) => examineReplica(one, { primary, timeoutMs: databaseReadStalenessSeconds * 1_000 })),
  )
  // All servers of a cluster may be named, of which one leads.
  const mayBePrimary = examined.some(({ isStandby }) => isStandby)
  const known = { primary, mayBePrimary, mustBeEncrypted: shouldEncrypt(url), seconds: databaseReadStalenessSeconds }
  return examined.flatMap((facts) => toFindings(facts, known))
}

function toFindings(
  facts: ReplicaFacts,
  {
    primary,
    mayBePrimary,
    mustBeEncrypted,
    seconds,
  }: { primary: PrimaryFacts; mayBePrimary: boolean; mustBeEncrypted: boolean; seconds: number },
): Finding[] {
  const { name } = facts
  if (facts.error !== null) return [find('replica-unreachable', `${name}: ${facts.error}`)]
  if (facts.cluster !== primary.cluster) return [find('replica-foreign', `${name} is of another PostgreSQL cluster.`)]
  if (!facts.isStandby) {
    const isPrimary = facts.startedAt === primary.startedAt
    return findIf(!(isPrimary && mayBePrimary), 'replica-is-primary', `${name} accepts writes.`)
  }
  return [
    ...findIf(!facts.isCaughtUp, 'replica-behind', `${name} did not get to where the primary was within ${seconds} s.`),
    ...findIf(mustBeEncrypted && !facts.isEncrypted, 'replica-unencrypted', `The connection to ${name} is in clear.`),
    ...findIf(facts.isPooled, 'replica-pooled', `${name} is a pooler or a balancer.`),
    ...findIf(!facts.hasFeedback, 'replica-cancels', `${name} has hot_standby_feedback off.`),
  ]
}
