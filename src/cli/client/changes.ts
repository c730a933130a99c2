import { readFile, rename, writeFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { reasonOf } from '../../model/texts/reason-of.ts'
import { type CommandResult, UsageError } from '../command/command.ts'
import { Stopped } from '../command/output.ts'
import { type Api, ApiFailure, fetchReasonOf } from './api.ts'
import type { Progress } from './connections.ts'
import { toStandardOutput } from './download.ts'
import { splitItems } from './json-items.ts'
import { pollUntil } from './polling.ts'

const PAGE_SIZE = '500'
const PageShape = Type.Object({ data: Type.Array(Type.Unknown()), cursor: Type.String(), hasMore: Type.Boolean() })

export interface ChangesRequest {
  companyId: string | null
  entity: string | null
  cursor: string | null
  /** File that keeps the cursor between two calls; null: it is printed at the end. */
  cursorFile: string | null
  /** Continues until Ctrl-C. */
  isFollowing: boolean
}

/**
 * Writes changed records as lines of JSON, each as the API returns it. The cursor is saved once its page is written.
 */
export async function printChanges(api: Api, wanted: ChangesRequest, progress: Progress): Promise<CommandResult> {
  const { companyId, entity, cursorFile, isFollowing } = wanted
  const output = toStandardOutput()
  let cursor = wanted.cursor ?? (cursorFile === null ? null : await readCursor(cursorFile))
  let count = 0
  let reached: string | null = null
  const readPage = async () => {
    const query = { ...(cursor && { Cursor: cursor }), ...(companyId && { CompanyId: companyId }), ...(entity && { Entity: entity }) }
    const page = parsePage(api, await api.readText(`/normalized-data/changes?${new URLSearchParams({ ...query, Limit: PAGE_SIZE })}`))
    if (page.items.length > 0) await output.write(Buffer.from(`${page.items.join('\n')}\n`))
    if (cursorFile !== null && page.cursor !== cursor) await writeCursor(cursorFile, page.cursor)
    cursor = page.cursor
    reached = cursor
    count += page.items.length
    progress.progress(`${count} changes`)
    return page.hasMore
  }
  try {
    await pollUntil(progress, async () => {
      while (await readPage());
      return isFollowing ? null : true
    })
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 410 && cursorFile !== null)
      throw new Error(`${error.message}\nThe cursor is in ${cursorFile}; remove the file to begin again.`, { cause: error })
    if (!(error instanceof Stopped) || !isFollowing) throw error
  } finally {
    // Also after a failure, so that printed changes are not repeated.
    if (cursorFile === null && reached !== null) progress.say(`cursor: ${reached}`)
  }
  return { document: undefined, text: '' }
}

function parsePage(api: Api, text: string): { items: string[]; cursor: string; hasMore: boolean } {
  const items = splitItems(text)
  try {
    const page: unknown = JSON.parse(text)
    if (items && Check(PageShape, page) && page.data.length === items.length) return { ...page, items }
  } catch (error) {
    throw new ApiFailure(`${api.address} broke its answer off: ${fetchReasonOf(error)}`, null, error)
  }
  throw new ApiFailure(`${api.address} answers, but not with a feed of changes`, 200)
}

async function readCursor(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new UsageError(`${path} cannot be read: ${error.message}`)
  })
  if (text === null) return null
  const cursor = text.trim()
  if (cursor === '') throw new UsageError(`${path} is empty; remove it to begin again`)
  return cursor
}

async function writeCursor(path: string, cursor: string): Promise<void> {
  try {
    await writeFile(`${path}.new`, `${cursor}\n`, { mode: 0o600 })
    await rename(`${path}.new`, path)
  } catch (error) {
    throw new Error(`${path} cannot be written: ${reasonOf(error)}`, { cause: error })
  }
}
