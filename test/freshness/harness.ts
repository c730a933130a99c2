import { toServiceId } from '../../src/model/catalogue.ts'
import { findFirstInstance } from '../../src/store/access/instances.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { runSync } from '../../src/sync/runs/run.ts'
import { linkByForm } from '../harness/app/owner-link.ts'
import { BASE_URL, SILENT, sourcesWithKits, syncDeps } from '../harness/app/sync-deps.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { openTestFolder, type Service, startService } from '../process/service.ts'
import { VersionedBank } from './versioned-bank.ts'

/** A company with its books. */
export interface Books {
  companyId: string
  connectionId: string
  /** The newest version whose publication has been committed. */
  published: number
}

/** Two processes of the service that read one database, and this process, which publishes to it. */
export interface FreshnessHarness {
  readers: readonly [Service, Service]
  test: TestDatabase
  sync: SyncDeps
  instanceId: string
  addBooks(): Promise<Books>
  disconnect(books: Books): Promise<void>
  /** Links the same company to its bank again. */
  reconnect(books: Books): Promise<void>
  /** Publishes the bank's next version; returns after the commit. */
  publish(books: Books): Promise<void>
  read(service: Service, books: Books, etag?: string): Promise<Answer>
  close(): Promise<void>
}

const LOGIN = { email: 'developer@example.com', password: 'harbour-violet-teapot-91' }

/** `versions`: versions shown by the accounts of the page; more than one if publications were mixed. */
export type Answer = { status: 200; etag: string; versions: number[] } | { status: 304 }

export async function openFreshnessHarness(): Promise<FreshnessHarness> {
  const test = await testDatabase()
  const folder = await openTestFolder()
  const environment = { DATABASE_URL: test.url, ROLE: 'api', ENVIRONMENT: 'production', BASE_URL, SEED_PASSWORD: LOGIN.password }
  const first = await startService({ dataDir: folder.path, environment })
  const second = await startService({ dataDir: folder.path, environment })
  const { database } = test
  const keys = await openKeys(folder.path)
  const bank = new VersionedBank()
  const sync = syncDeps({ database, keys, sources: sourcesWithKits([bank.description]), log: SILENT })
  const instanceId = (await findFirstInstance(database))?.id ?? ''
  const authorization = await logIn(first)
  const serviceId = toServiceId(bank.description.key)

  const link = async (companyId: string): Promise<string> => {
    return await linkByForm(sync, { instanceId, companyId, serviceId }, { customer: companyId })
  }

  return {
    readers: [first, second],
    test,
    sync,
    instanceId,
    addBooks: async () => {
      const companyId = await addCompany(database, instanceId)
      return { companyId, connectionId: await link(companyId), published: 0 }
    },
    disconnect: async ({ companyId }) => {
      await disconnect(sync, { instanceId, companyId, serviceId })
    },
    reconnect: async (books) => {
      books.connectionId = await link(books.companyId)
    },
    publish: async (books) => {
      const version = books.published + 1
      bank.versions.set(books.companyId, version)
      const { connectionId } = books
      await runSync(sync, { instanceId, connectionId, reason: 'schedule', isAwaited: false, isStopping: () => false })
      books.published = version
    },
    read: async (service, books, etag) => {
      const address = `${service.baseUrl}/admin/api/v1/normalized-data/${books.companyId}/banking/accounts/${serviceId}`
      const response = await fetch(address, { headers: { authorization, ...(etag === undefined ? {} : { 'if-none-match': etag }) } })
      if (response.status === 304) return { status: 304 }
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
      const { data } = (await response.json()) as { data: { actualBalance: number }[] }
      const versions = new Set(data.map((account) => account.actualBalance))
      return { status: 200, etag: response.headers.get('etag') ?? '', versions: [...versions] }
    },
    close: async () => {
      await first.stop()
      await second.stop()
      await test.drop()
      await folder.remove()
    },
  }
}

async function logIn({ baseUrl }: Service): Promise<string> {
  const response = await fetch(`${baseUrl}/admin/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(LOGIN),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return `Bearer ${token}`
}
