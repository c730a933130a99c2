import { SourceError } from '../../connectors/contract/contract.ts'
import { nameOfClient } from '../../connectors/contract/rate-limiter.ts'
import { type Source, clientOf as toClient } from '../../connectors/sources.ts'
import type { Db } from '../../store/db/database.ts'
import type { TokenHash } from '../../store/keys/token-hash.ts'
import { clearAlarms, raiseAlarm, type SourceClient, waitForAlarm } from '../../store/sources/source-alarms.ts'
import { noteKeyTest } from '../../store/sources/source-keys.ts'
import type { Log, Logging, Store, Vault } from '../context/groups.ts'
import { toReason } from '../sources/source-keys-test.ts'

/** Retry interval while a source rejects the operator's keys. */
const ALARM_WAIT_MS = 300_000

/** Thrown without calling the source, because it recently rejected the keys. */
class Alarmed extends SourceError {
  constructor(source: Source, waitMs: number) {
    super('unavailable', `${source.description.name} refuses ${toRefusedKeys(source)}`, { retryAfterMs: waitMs, isClientRefused: true })
  }
}

/** Raises the alarm, once, that the source rejects the operator's keys. Connections stay unchanged. */
export async function raiseClientAlarm(deps: Store & Vault & Logging, source: Source, error: SourceError): Promise<void> {
  if (error instanceof Alarmed) return
  const client = clientOf(deps.hashToken, source)
  if (!(await raiseAlarm(deps.database, client, error.message, ALARM_WAIT_MS))) return
  const { keysOf, description, environment, app } = source
  if (keysOf) {
    await noteKeyTest(deps.database, keysOf, 'refused', toReason(source, error.message))
    deps.log.warn(
      { connector: description.key, instanceId: keysOf.instanceId, err: error },
      "the source refuses an instance's keys; its jobs wait",
    )
  } else if (environment === 'sandbox') {
    deps.log.warn({ connector: description.key, app, err: error }, 'the simulator refuses its keys; its jobs wait')
  } else deps.log.error({ connector: description.key, err: error }, 'the source rejects the keys in sources.json; its jobs wait')
}

function toRefusedKeys({ keysOf, environment }: Source): string {
  if (keysOf) return 'the keys of this instance'
  return environment === 'sandbox' ? 'the keys of its simulator' : "the operator's keys"
}

/** Throws during an alarm, except for the one caller that acts as probe. */
export async function refuseWhileAlarmed(db: Db, hashToken: TokenHash, source: Source): Promise<void> {
  const waitMs = await waitForAlarm(db, clientOf(hashToken, source), ALARM_WAIT_MS)
  if (waitMs > 0) throw new Alarmed(source, waitMs)
}

export async function clearAlarm(db: Db, log: Log, source: Source): Promise<void> {
  if (!(await clearAlarms(db, nameOfClient(toClient(source))))) return
  if (source.keysOf) await noteKeyTest(db, source.keysOf, 'accepted', '')
  log.info({ connector: source.description.key }, 'the source accepts the keys again')
}

/** Delay of a job that met the alarm. */
export function alarmWaitMs(error: SourceError): number {
  return Math.max(1_000, error.retryAfterMs ?? ALARM_WAIT_MS)
}

function clientOf(hashToken: TokenHash, source: Source): SourceClient {
  const { key } = source.description
  return {
    connectorKey: nameOfClient(toClient(source)),
    clientHash: hashToken(`keys of ${key}\n${JSON.stringify(Object.entries(source.kit.app).sort())}`),
  }
}
