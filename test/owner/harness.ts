import { readFile } from 'node:fs/promises'
import type { Json } from '../../src/model/values/json.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { issueOwnerAccess } from '../../src/sync/owner/owner-access.ts'
import { type ConnectHarness, openConnectHarness } from '../connect/kit/harness.ts'
import { type LoadedPage, Owner } from '../connect/kit/owner.ts'
import { runJob } from '../harness/app/jobs.ts'

const STATEMENT = new URL('../../simulators/statements/caisse-du-plateau.ofx', import.meta.url)

/** The owner's pages, and the jobs behind them, which run on request of a test. */
export interface OwnerPageHarness {
  connectHarness: ConnectHarness
  /** Runs all queued jobs, including those that they queue. */
  work(): Promise<void>
  /** A company with imported bank statements, and its owner with the own page open. */
  connected(language?: string): Promise<{ owner: Owner; companyId: string; connectionId: string; page: LoadedPage }>
  /** The owner's own page of a company, opened by a new address in a new browser. */
  open(companyId: string, language?: string): Promise<{ owner: Owner; page: LoadedPage }>
  upload(owner: Owner, companyId: string): Promise<LoadedPage>
  close(): Promise<void>
}

export async function openOwnerPageHarness(options: Parameters<typeof openConnectHarness>[0] = {}): Promise<OwnerPageHarness> {
  const harness = await openConnectHarness(options)
  const statement = await readFile(STATEMENT)
  const handlers = syncHandlers(harness.deps)
  const work = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn += 1) {
      const { rows } = await harness.deps.database.query<{
        kind: keyof typeof handlers
        key: string
        payload: { [name: string]: Json }
        instance: string
      }>(
        `delete from jobs where id in (select id from jobs where state = 'ready' and kind in ('sync', 'erase', 'revoke') order by created_at limit 1)
         returning kind, key, payload, instance_id as instance`,
      )
      const [job] = rows
      if (!job) return
      await runJob(handlers[job.kind], { ...job, instanceId: job.instance })
    }
    throw new Error('the jobs do not end')
  }
  const upload = async (owner: Owner, companyId: string): Promise<LoadedPage> => {
    const page = await owner.agree(await harness.link('bank-files', companyId))
    return await owner.upload(page, [{ name: 'caisse.ofx', bytes: statement }])
  }
  const open = async (companyId: string, language = 'en') => {
    const owner = new Owner(harness.origin, { language })
    const place = { instanceId: harness.instanceId, companyId, language: language.startsWith('fr') ? ('fr-CA' as const) : ('en' as const) }
    return { owner, page: await owner.get(await issueOwnerAccess(harness.deps, place)) }
  }
  return {
    connectHarness: harness,
    work,
    upload,
    open,
    connected: async (language) => {
      const companyId = await harness.addCompany('Boulangerie du Plateau')
      const done = await upload(new Owner(harness.origin), companyId)
      await work()
      const connectionId = new URLSearchParams(done.address.split('?')[1]).get('connections') ?? ''
      return { companyId, connectionId, ...(await open(companyId, language)) }
    },
    close: () => harness.close(),
  }
}
