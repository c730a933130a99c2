import pino from 'pino'
import { Registry } from 'prom-client'
import { type Static, Type } from 'typebox'
import { Parse } from 'typebox/value'
import { defaultApiSettings } from '../../src/api/context/settings.ts'
import { createPageCache } from '../../src/api/read-cache/create-page-cache.ts'
import { referenceOf } from '../../src/api/reference/reference-of.ts'
import type { ReferenceDocument } from '../../src/api/reference/reference-schema.ts'
import { createApi } from '../../src/api/server.ts'
import { createSources } from '../../src/connectors/sources.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { tokenHasher } from '../../src/store/keys/token-hash.ts'
import { NO_PROVIDERS } from '../../test/harness/app/api-deps.ts'
import { testKeys } from '../../test/harness/keys.ts'
import { readDocument } from '../../test/harness/test-answers.ts'

const ADDRESS = 'http://127.0.0.1:8480'

const ApiDocument = Type.Object({ components: Type.Object({ schemas: Type.Record(Type.String(), Type.Unknown()) }) })
export type ApiDocument = Static<typeof ApiDocument>

/**
 * OpenAPI document of the whole API, including the sandbox's operations. Built from the routes alone, without a
 * database connection.
 */
export async function readApiDocument(): Promise<ApiDocument> {
  return withApp(async (app) => Parse(ApiDocument, await readDocument(app)))
}

/** What the pages of the reference show. */
export async function readReferencePages(): Promise<ReferenceDocument> {
  return withApp(async (app) => {
    await app.ready()
    return await referenceOf(app)
  })
}

/** The documents as they are served to developers, as text, by name. */
export async function readServedDocuments(): Promise<Record<string, string>> {
  return withApp(async (app) => ({
    openapi: (await app.inject({ url: '/admin/api/openapi.json' })).body,
    administration: (await app.inject({ url: '/admin/api/administration.json' })).body,
  }))
}

async function withApp<Result>(use: (app: ReturnType<typeof createApi>) => Promise<Result>): Promise<Result> {
  // The pool connects on the first query, and there is none.
  const database = openDatabase('postgres://nobody@127.0.0.1:1/none')
  const keys = await testKeys()
  const sealer = createSealer(keys)
  const log = pino({ level: 'silent' })
  const now = () => new Date()
  const noKit = () => {
    throw new Error('there are no sources')
  }
  const app = createApi({
    database,
    keys,
    sealer,
    log,
    metrics: new Registry(),
    settings: defaultApiSettings(ADDRESS),
    providers: NO_PROVIDERS,
    now,
    sync: {
      database,
      sealer,
      log,
      hide: () => undefined,
      now,
      hashToken: tokenHasher(keys),
      baseUrl: ADDRESS,
      sources: createSources([], { settings: {}, simulators: {}, createKit: noKit }),
    },
    pageCache: createPageCache(database, { maxBytes: 0 }),
    webhooks: { database, sealer, callbackRules: { allowPrivate: false } },
    sandbox: {
      list: async () => [],
      fault: async () => null,
      clearFaults: async () => null,
      moveClock: async () => null,
      readStates: async () => [],
    },
    catcher: { list: () => [], find: () => null },
  })
  const result = await use(app)
  await app.close()
  await database.end()
  return result
}
