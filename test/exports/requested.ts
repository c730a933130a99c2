import { expect } from 'vitest'
import type { Job } from '../../src/store/jobs/jobs.ts'
import { type ExportContext, runExport } from '../../src/sync/exports/run-export.ts'
import type { ApiHarness } from '../api/harness.ts'
import { signalOf, takeJobs } from '../harness/app/jobs.ts'

export const PATH = '/normalized-data/exports'

export interface Shown {
  id: string
  state: string
  records: number
  expectedRecords: number
  bytes: number
  error: string | null
}

/** Requests an export; returns it with its job, which no worker takes. */
export async function request(api: ApiHarness, body: object = {}): Promise<{ shown: Shown; job: Job }> {
  const wanted = { companyId: null, category: 'Accounting', entity: 'Accounts', format: 'ndjson', ...body }
  const answer = await api.call('POST', PATH, { body: wanted })
  expect([answer.statusCode, answer.body]).toEqual([202, expect.anything()])
  const [job] = await takeJobs(api.syncHarness.deps.database, 'export')
  if (!job) throw new Error('no job was queued')
  return { shown: answer.json() as unknown as Shown, job }
}

export async function run(api: ApiHarness, job: Job, more: Partial<ExportContext> = {}) {
  return await runExport({ ...api.syncHarness.deps, ...more }, job, signalOf(job))
}

export async function get(api: ApiHarness, id: string): Promise<Shown> {
  return (await api.call('GET', `${PATH}/${id}`)).json() as unknown as Shown
}

export async function download(api: ApiHarness, id: string, headers: Record<string, string> = {}) {
  return await api.call('GET', `${PATH}/${id}/file`, { headers })
}
