import { Type } from 'typebox'
import { isUuid } from '../../model/values/uuid.ts'
import { type CommandResult, UsageError } from '../command/command.ts'
import { Stopped } from '../command/output.ts'
import { type Api, ApiFailure, fetchReasonOf } from './api.ts'
import type { Progress } from './connections.ts'
import { download } from './download.ts'
import { getCompany } from './find.ts'
import { pollUntil } from './polling.ts'

const PATH = '/normalized-data/exports'
const ExportShape = Type.Object({
  id: Type.String(),
  state: Type.String(),
  records: Type.Integer(),
  expectedRecords: Type.Integer(),
  bytes: Type.Integer(),
  error: Type.Union([Type.String(), Type.Null()]),
})

export interface ExportRequest {
  category: string
  entity: string
  format: string
}

/** Requests an export; returns its id. */
export async function requestExport(api: Api, wanted: ExportRequest, company: string | null): Promise<string> {
  const companyId = company === null ? null : (await getCompany(api, company)).id
  return (await api.read(ExportShape, PATH, { method: 'POST', body: { ...wanted, companyId } })).id
}

export interface FetchedExport {
  id: string
  /** Null: standard output. */
  to: string | null
  /** Whether the deployment's copy is deleted afterwards. */
  isDeleted: boolean
  /** Name given with `--profile`. */
  profile: string | null
}

/** Waits for an export and downloads its file. */
export async function fetchExport(api: Api, wanted: FetchedExport, progress: Progress): Promise<CommandResult> {
  const { id, to, isDeleted, profile } = wanted
  if (!isUuid(id)) throw new UsageError(`--id: ${JSON.stringify(id)} is no id of an export`)
  const path = `${PATH}/${id}`
  try {
    const made = await pollUntil(progress, async () => {
      const now = await api.read(ExportShape, path)
      progress.progress(`${now.state}: ${now.records} of ${now.expectedRecords} records`)
      return now.state === 'waiting' || now.state === 'running' ? null : now
    })
    if (made.state !== 'completed') throw new Error(`the export has no file: ${made.error ?? made.state}`)
    await download(api, { path: `${path}/file`, bytes: made.bytes, to, name: id }, progress)
    if (isDeleted) await deleteCopy(api, path, progress)
    const document = { id, file: to, records: made.records, bytes: made.bytes }
    return { document, text: to === null ? '' : `${to}: ${made.records} records, ${made.bytes} bytes` }
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404)
      throw new UsageError(`there is no export ${id}; exports are kept for seven days`)
    const hint = `countinghouse export --id ${id}${to === null ? '' : ` --to ${quoted(to)}`}${profile === null ? '' : ` --profile ${profile}`}`
    if (error instanceof Stopped) throw new Error(`stopped; the export itself goes on. To take it up: ${hint}`, { cause: error })
    if (error instanceof ApiFailure) throw new Error(`${error.message}\nTo take the export up: ${hint}`, { cause: error })
    throw error
  }
}

/** The file is complete by now, so a failure is only reported. */
async function deleteCopy(api: Api, path: string, { say }: Progress): Promise<void> {
  try {
    await api.act(path, { method: 'DELETE' })
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return
    say(`The deployment keeps its copy for seven days, as it was not deleted: ${fetchReasonOf(error)}`)
  }
}

/** Argument quoted for a shell. */
function quoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
