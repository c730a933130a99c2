import { randomUUID } from 'node:crypto'
import type { Json } from '../../src/model/values/json.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { issueOwnerAccess } from '../../src/sync/owner/owner-access.ts'
import { Owner, type Shown } from '../connect/kit/owner.ts'
import { openStage, type Stage } from '../connect/kit/stage.ts'

const STATEMENT = new URL('../../simulators/statements/caisse-du-plateau.ofx', import.meta.url)

/** The owner's pages with somebody who does the work behind them when told to. */
export interface OwnersHouse {
  stage: Stage
  /** Does all work that is due, and what follows from it. */
  work(): Promise<void>
  /** A company with bank statements that were read; and its owner, whose own page is open. */
  connected(language?: string): Promise<{ owner: Owner; companyId: string; connectionId: string; page: Shown }>
  /** The owner's own page of a company, opened by a new address in a new browser. */
  open(companyId: string, language?: string): Promise<{ owner: Owner; page: Shown }>
  upload(owner: Owner, companyId: string): Promise<Shown>
  close(): Promise<void>
}

export async function openOwnersHouse(options: Parameters<typeof openStage>[0] = {}): Promise<OwnersHouse> {
  const stage = await openStage(options)
  const { readFile } = await import('node:fs/promises')
  const statement = await readFile(STATEMENT)
  const handlers = syncHandlers(stage.deps)
  const work = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn += 1) {
      const { rows } = await stage.deps.database.query<{
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
      await handlers[job.kind]({ id: randomUUID(), instanceId: job.instance, attempts: 1, ...job }, { isStopping: () => false })
    }
    throw new Error('the work does not end')
  }
  const upload = async (owner: Owner, companyId: string): Promise<Shown> => {
    const page = await owner.agree(await stage.link('bank-files', companyId))
    return await owner.upload(page, [{ name: 'caisse.ofx', bytes: statement }])
  }
  const open = async (companyId: string, language = 'en') => {
    const owner = new Owner(stage.origin, { language })
    const place = { instanceId: stage.instanceId, companyId, language: language.startsWith('fr') ? ('fr-CA' as const) : ('en' as const) }
    return { owner, page: await owner.get(await issueOwnerAccess(stage.deps, place)) }
  }
  return {
    stage,
    work,
    upload,
    open,
    connected: async (language) => {
      const companyId = await stage.addCompany('Boulangerie du Plateau')
      const done = await upload(new Owner(stage.origin), companyId)
      await work()
      const connectionId = new URLSearchParams(done.address.split('?')[1]).get('connections') ?? ''
      return { companyId, connectionId, ...(await open(companyId, language)) }
    },
    close: async () => await stage.close(),
  }
}
