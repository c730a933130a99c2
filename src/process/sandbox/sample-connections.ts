import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { SourceError } from '../../connectors/contract/contract.ts'
import { toServiceId } from '../../model/catalogue.ts'
import { deleteConnection, findActiveConnection } from '../../store/connections/connections.ts'
import { withinInstance } from '../../store/db/instance-scope.ts'
import { findPublication } from '../../store/records/publications.ts'
import { beginAuthorization, completeRedirect, startRedirect } from '../../sync/authorize/authorize.ts'
import { submitFiles } from '../../sync/authorize/submit-files.ts'
import type { SyncDeps } from '../../sync/context/deps.ts'
import { issueLink, type OpenLink, openLink } from '../../sync/links/link.ts'
import { runSync } from '../../sync/runs/run.ts'

/** Services connected to the first company of a sandbox. */
export const SAMPLE_SERVICES = { bank: toServiceId('bank-files'), books: toServiceId('sage') }

/** Form of an owner who agrees on the consent page of the simulated Sage; its first sign-in creates one business. */
const AGREED = new URLSearchParams({ decision: 'connect' })

/** A job of this process reads the books in some hundred milliseconds, on a busy machine in some seconds. */
const OWN_WAIT_MS = 15_000
/** Another process reads them, or none at all. */
const OTHERS_WAIT_MS = 5_000
const LOOK_EVERY_MS = 20

interface SampleCompany {
  instanceId: string
  companyId: string
  issuedBy: string
}

/**
 * Sample data: connects a company to a bank by a statement file and to books at a simulator, through the same flow as
 * an owner, so that a newcomer's first requests return data. The file is read at once, the books by a job. Connections
 * of an earlier start are kept.
 */
export async function connectSamples(deps: SyncDeps, company: SampleCompany): Promise<void> {
  await readSampleStatement(deps, company)
  await connectSampleBooks(deps, company)
}

/** Whether the company has books or will have: in a sandbox where nobody has removed them. */
export async function hasSampleBooks(deps: SyncDeps, { instanceId, companyId }: Omit<SampleCompany, 'issuedBy'>): Promise<boolean> {
  return (await findActiveConnection(deps.database, instanceId, companyId, SAMPLE_SERVICES.books)) !== null
}

/** Waits for the first publication of the books; false: it has not come in time. Rejects when `signal` is aborted. */
export async function waitForSampleBooks(
  { database }: Pick<SyncDeps, 'database'>,
  { instanceId, companyId }: Omit<SampleCompany, 'issuedBy'>,
  { hasWorkers, signal }: { hasWorkers: boolean; signal: AbortSignal },
): Promise<boolean> {
  const deadline = performance.now() + (hasWorkers ? OWN_WAIT_MS : OTHERS_WAIT_MS)
  const scope = { instanceId, companyId, serviceId: SAMPLE_SERVICES.books }
  while ((await withinInstance(instanceId, () => findPublication(database, scope))) === null) {
    if (performance.now() > deadline) return false
    await wait(LOOK_EVERY_MS, undefined, { signal })
  }
  return true
}

async function readSampleStatement(deps: SyncDeps, company: SampleCompany): Promise<void> {
  const { instanceId, companyId } = company
  const active = await findActiveConnection(deps.database, instanceId, companyId, SAMPLE_SERVICES.bank)
  const connectionId = active?.id ?? (await linkSampleStatement(deps, company))
  await runSync(deps, { instanceId, connectionId, reason: 'file', isAwaited: false, isStopping: () => false })
}

/** Not scanned for malware: the file comes with the product, and an absent scanner must not prevent a start. */
async function linkSampleStatement({ malwareScanner: _, ...deps }: SyncDeps, company: SampleCompany): Promise<string> {
  const { open } = await openSampleLink(deps, company, SAMPLE_SERVICES.bank)
  const { connectionId } = await beginAuthorization(deps.database, open)
  const address = new URL('../../../simulators/statements/caisse-du-plateau.ofx', import.meta.url)
  await submitFiles(deps, open, connectionId, [{ name: 'caisse-du-plateau.ofx', open: () => readFile(address) }])
  return connectionId
}

/**
 * Does nothing when the operator's own keys have taken the source out of the sandbox. An unreachable simulator loses
 * the sample, not the start.
 */
async function connectSampleBooks(deps: SyncDeps, company: SampleCompany): Promise<void> {
  if (deps.sources.get('sage')?.environment !== 'sandbox' || (await hasSampleBooks(deps, company))) return
  const { open, token } = await openSampleLink(deps, company, SAMPLE_SERVICES.books)
  const { connectionId } = await beginAuthorization(deps.database, open)
  const started = await startRedirect(deps, open, { connectionId, linkToken: token, locale: 'en' })
  if (started.step !== 'redirect') throw new Error('the sample books are authorized on no page of their own')
  try {
    const query = await agreeAtSource(open, started.url)
    await completeRedirect(deps, { state: query.state ?? '', linkToken: token, callback: open.service.source.description.key, query })
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    deps.log.warn({ err: error }, 'the sample books could not be connected')
    await deleteConnection(deps.database, company.instanceId, connectionId)
  }
}

/** Submits the consent form as the owner's browser would; returns the query of the redirect back. */
async function agreeAtSource(open: OpenLink, url: string): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await open.service.source.kit.http({ method: 'POST', url, headers, body: AGREED.toString() })
  const { location } = response.headers
  if (location === undefined) throw new SourceError('unavailable', `the consent page answered ${response.status} and led nowhere`)
  return Object.fromEntries(new URL(location).searchParams)
}

async function openSampleLink(deps: SyncDeps, company: SampleCompany, serviceId: string): Promise<{ open: OpenLink; token: string }> {
  const token = new URL(await issueLink(deps, { ...company, serviceId })).searchParams.get('token') ?? ''
  const open = await openLink(deps, token)
  if (!open) throw new Error('the sample link does not open')
  return { open, token }
}
