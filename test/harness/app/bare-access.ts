import pino from 'pino'
import { type Access, type AccessSettings, createAccess } from '../../../src/api/access/access.ts'
import { defaultApiSettings } from '../../../src/api/context/settings.ts'
import type { Database } from '../../../src/store/db/database.ts'
import { createSealer } from '../../../src/store/keys/sealing.ts'
import { testDatabase } from '../database.ts'
import { testKeys } from '../keys.ts'
import { NO_PROVIDERS } from './api-deps.ts'
import { TEST_HASH_COST } from './users.ts'

/** A host name: passkeys are bound to one. */
const ORIGIN = 'http://localhost:8080'

/** Authentication without the routes, on a database of its own, with a clock that only moves on request. */
export interface BareAccess {
  access: Access
  database: Database
  moveClock(ms: number): void
  close(): Promise<void>
}

export async function bareAccess(settings: Partial<AccessSettings> = {}): Promise<BareAccess> {
  const { database, drop } = await testDatabase()
  const keys = await testKeys()
  let nowMs = Date.parse('2026-11-20T12:00:00Z')
  const access = createAccess({
    ...{ database, keys, sealer: createSealer(keys), log: pino({ level: 'silent' }), providers: NO_PROVIDERS },
    settings: { ...defaultApiSettings(ORIGIN), hashCost: TEST_HASH_COST, ...settings },
    now: () => new Date(nowMs),
  })
  const moveClock = (ms: number) => {
    nowMs += ms
  }
  return { access, database, moveClock, close: drop }
}
