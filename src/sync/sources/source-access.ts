import type { Source } from '../../connectors/sources.ts'
import type { Db } from '../../store/db/database.ts'
import { listCurrentKeys, listHiddenSources } from '../../store/sources/source-keys.ts'
import type { Vault } from '../context/groups.ts'
import type { Service } from './catalogue.ts'
import { sourceForNewConnection } from './source-keys.ts'

/** Why a source cannot be connected: its keys are not set, or the instance does not offer it. */
export type UnavailableReason = 'noKeys' | 'hidden'

/** Connector keys from an instance's settings. */
interface SourceAccess {
  hidden: ReadonlySet<string>
  keyed: ReadonlySet<string>
}

export async function readSourceAccess(db: Db, instanceId: string): Promise<SourceAccess> {
  const hidden = await listHiddenSources(db, instanceId)
  const keys = await listCurrentKeys(db, instanceId)
  return { hidden: new Set(hidden), keyed: new Set(keys.map(({ connectorKey }) => connectorKey)) }
}

/** Null when the source can be connected. */
export function closedBy({ hidden, keyed }: SourceAccess, { description, isEnabled }: Source): UnavailableReason | null {
  if (hidden.has(description.key)) return 'hidden'
  return isEnabled || keyed.has(description.key) ? null : 'noKeys'
}

/** Service as an instance offers it to owners, its source with the instance's own keys, if any. */
export async function serviceAsOffered(db: Db, vault: Vault, instanceId: string, service: Service): Promise<Service> {
  const access = await readSourceAccess(db, instanceId)
  const isEnabled = closedBy(access, service.source) === null
  return { ...service, isEnabled, source: await sourceForNewConnection(db, vault, service.source, instanceId) }
}
