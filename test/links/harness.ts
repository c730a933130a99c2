import { randomUUID } from 'node:crypto'
import { createOwnerLink, findLink, type OpenLink, openLink } from '../../src/sync/links/link.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { openRecorded, type Recorded } from '../owner/recorded.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

type Request = Parameters<typeof createOwnerLink>[2]
type Options = NonNullable<Parameters<typeof createOwnerLink>[3]>

/** A link as its row has it. */
export interface LinkRow {
  id: string
  companyId: string
  serviceId: string
  issuedBy: string
  applicationId: string | null
  purposeKey: string | null
  language: string | null
  returnUrl: string | null
  parentId: string | null
  hours: number
  isRevoked: boolean
}

/** Links without pages: two sources, and an instance of its own for each test. */
export interface LinksHarness {
  sync: SyncHarness
  recorded: Recorded
  books: ScriptedSource
  files: ScriptedSource
  /** A new company; of a new instance unless one is given. */
  target(instanceId?: string): Promise<{ instanceId: string; companyId: string; serviceId: string }>
  /** Creates and opens a link of the company. */
  open(target: Pick<Request, 'instanceId' | 'companyId' | 'serviceId'>, options?: Options): Promise<{ open: OpenLink; token: string }>
  /** Links of an instance, oldest first. */
  linksOf(instanceId: string): Promise<LinkRow[]>
  isUsable(token: string): Promise<boolean | undefined>
  close(): Promise<void>
}

export async function openLinksHarness(): Promise<LinksHarness> {
  const [books, files] = [new ScriptedSource('books'), new ScriptedSource('files', 'Banking')]
  Object.assign(files.description, { name: 'Bank files', link: 'upload' })
  const sync = await openSyncHarness([books, files])
  const { deps } = sync
  deps.mail = { sealer: deps.sealer, hashToken: deps.hashToken }
  return {
    sync,
    recorded: await openRecorded(deps.database, deps.sealer),
    books,
    files,
    target: async (given) => {
      const instanceId = given ?? (await addInstance(deps.database))
      return { instanceId, companyId: await addCompany(deps.database, instanceId), serviceId: sync.serviceId(books) }
    },
    open: async (target, options = {}) => {
      const token = `${randomUUID()}-link`.replaceAll('-', '_').padEnd(43, '0')
      await createOwnerLink(deps.database, deps, { ...target, issuedBy: 'dev@example.com' }, { ...options, token })
      const open = await openLink(deps, token)
      if (!open) throw new Error('the link cannot be opened')
      return { open, token }
    },
    linksOf: async (instanceId) =>
      (
        await deps.database.query<LinkRow>(
          `select id, company_id as "companyId", service_id as "serviceId", issued_by as "issuedBy", application_id as "applicationId",
             purpose_key as "purposeKey", language, return_url as "returnUrl", parent_id as "parentId",
             round(extract(epoch from expires_at - created_at) / 3600)::int as hours, revoked_at is not null as "isRevoked"
           from links where instance_id = $1 order by created_at`,
          [instanceId],
        )
      ).rows,
    isUsable: async (token) => (await findLink(deps, token))?.usable,
    close: sync.close,
  }
}
