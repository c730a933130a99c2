import { SourceError } from '../connectors/contract.ts'
import type { Source } from '../connectors/sources.ts'
import { clearAlarms, raiseAlarm, type SourceClient, waitForAlarm } from '../store/source-alarms.ts'
import type { SyncDeps } from './deps.ts'

/** While a source refuses the operator's keys it is asked once in this time, until it takes them or gets others. */
const ALARM_WAIT_MS = 300_000

/** Nobody asked the source, because it refused the keys a while ago. */
class Alarmed extends SourceError {
  constructor(name: string, waitMs: number) {
    super('unavailable', `${name} refuses the operator's keys`, { retryAfterMs: waitMs, isClientRefused: true })
  }
}

/** Tells the operator, once, that the source refuses the keys. Connections stay as they are. */
export async function raiseClientAlarm(deps: SyncDeps, source: Source, error: SourceError): Promise<void> {
  if (error instanceof Alarmed) return
  const client = clientOf(deps, source)
  if (!(await raiseAlarm(deps.database, client, error.message, ALARM_WAIT_MS))) return
  deps.log.error({ connector: client.connectorKey, err: error }, 'the source refuses the keys in sources.json; its jobs wait')
}

/** Throws while the alarm is up, but for the one caller who is to try. */
export async function refuseWhileAlarmed(deps: SyncDeps, source: Source): Promise<void> {
  const waitMs = await waitForAlarm(deps.database, clientOf(deps, source), ALARM_WAIT_MS)
  if (waitMs > 0) throw new Alarmed(source.description.name, waitMs)
}

export async function clearAlarm(deps: SyncDeps, source: Source): Promise<void> {
  const { key } = source.description
  if (await clearAlarms(deps.database, key)) deps.log.info({ connector: key }, 'the source takes the keys again')
}

/** How long a job waits that met the refusal. */
export function alarmWaitMs(error: SourceError): number {
  return Math.max(1_000, error.retryAfterMs ?? ALARM_WAIT_MS)
}

function clientOf(deps: SyncDeps, source: Source): SourceClient {
  const { key } = source.description
  return { connectorKey: key, clientHash: deps.hashToken(`keys of ${key}\n${JSON.stringify(Object.entries(source.kit.app).sort())}`) }
}
