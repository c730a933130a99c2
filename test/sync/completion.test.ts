import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { InputRefused } from '../../src/connectors/contract/authorization.ts'
import { type Grant, SourceError } from '../../src/connectors/contract/contract.ts'
import type { Outcome } from '../../src/jobs/worker.ts'
import { findConnection } from '../../src/store/connections/connections.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { beginAuthorization, completeRedirect, startRedirect, UnknownState } from '../../src/sync/authorize/authorize.ts'
import { BooksChoice } from '../../src/sync/authorize/books-choice.ts'
import { handleCompletionJob } from '../../src/sync/authorize/completion.ts'
import { issueLink, openLink } from '../../src/sync/links/link.ts'
import { handleWebhook } from '../../src/sync/provider-webhooks/hints.ts'
import { openSyncHarness, type SyncHarness } from './harness.ts'
import { HostedSource, matchOf } from './hosted-source.ts'

let keysFolder: string
let source: HostedSource
let harness: SyncHarness
let connectionId: string
/** Callback parameters of the owner's browser. */
let browser: { state: string; linkToken: string; callback: string; query: Record<string, string> }

beforeEach(async () => {
  keysFolder = await mkdtemp(join(tmpdir(), 'countinghouse-completion-'))
  source = new HostedSource('hosted')
  harness = await openSyncHarness([source], [], await openKeys(keysFolder))
  const { instanceId, companyId } = harness
  const address = await issueLink(harness.deps, {
    instanceId,
    companyId,
    serviceId: harness.serviceId(source),
    issuedBy: 'dev@example.com',
  })
  const linkToken = new URL(address).searchParams.get('token') ?? ''
  const open = await openLink(harness.deps, linkToken)
  if (!open) throw new Error('the link cannot be opened')
  connectionId = (await beginAuthorization(harness.deps.database, open)).connectionId
  await startRedirect(harness.deps, open, { connectionId, linkToken, locale: 'en' })
  browser = { state: source.state, linkToken, callback: source.description.key, query: {} }
})
afterEach(async () => {
  await harness.close()
  await rm(keysFolder, { recursive: true, force: true })
})

const match = () => harness.deps.hashToken(matchOf(harness.companyId))
const status = async () => (await findConnection(harness.deps.database, harness.instanceId, connectionId))?.status
const job = async (attempt: number): Promise<Outcome> => await handleCompletionJob(harness.deps, { match: match(), attempt })
const books = (id: string): Grant => ({ credentials: source.credentials(), entity: { id, name: `Books ${id}` } })

/** Outcome, and what the log has of it. */
async function logged(attempt = 1): Promise<{ outcome: Outcome; lines: object[] }> {
  const lines: object[] = []
  const log = { ...harness.deps.log, info: (fields: object) => void lines.push(fields), warn: (fields: object) => void lines.push(fields) }
  return { outcome: await handleCompletionJob({ ...harness.deps, log }, { match: match(), attempt }), lines }
}

it('retries as long as the source is away', async () => {
  source.refusals = [new SourceError('unavailable', '503'), new SourceError('unavailable', '503')]
  expect(await job(1)).toMatchObject({ done: false, isFailure: true })
  expect(await job(2)).toMatchObject({ done: false })
  expect(await status(), 'still waiting').toBe(6)
  expect(await job(3)).toEqual({ done: true })
  expect(await status()).toBe(9)
  expect(await job(4), 'nothing is left to complete').toEqual({ done: true })
  expect(source.asked).toBe(3)
})

it('never uses up its last attempt while the source is away', async () => {
  source.refusals = [new SourceError('unavailable', '503')]
  expect(await job(7)).toMatchObject({ done: false, isFailure: false })
})

it('continues with the source’s grant if the process was killed before it was connected', async () => {
  const script = join(import.meta.dirname, 'completion-process.ts')
  const killed = spawn(process.execPath, [script, harness.url, keysFolder, Buffer.from(match()).toString('hex')], { stdio: 'inherit' })
  expect(await once(killed, 'exit')).toEqual([null, 'SIGKILL'])
  expect(await status()).toBe(6)
  expect(await job(2)).toEqual({ done: true })
  expect(await status()).toBe(9)
  expect(source.asked, 'a code is good for one exchange').toBe(0)
})

it('lets the browser finish while waiting for the source, but not during a call', async () => {
  source.refusals = [new SourceError('unavailable', '503')]
  source.whileAsked = async () => await expect(completeRedirect(harness.deps, browser)).rejects.toBeInstanceOf(UnknownState)
  await job(1)
  source.whileAsked = null
  expect(await completeRedirect(harness.deps, browser)).toMatchObject([{ connectionId }])
  expect(await job(2)).toEqual({ done: true })
  expect(source.asked).toBe(2)
})

it('ends if the source refuses permanently, and the connection says so', async () => {
  source.refusals = [new SourceError('reconnect', 'the session is unknown')]
  expect(await job(1)).toEqual({ done: true })
  expect(await status()).toBe(7)
  await expect(completeRedirect(harness.deps, browser)).rejects.toBeInstanceOf(UnknownState)
})

it('ends if the keys with which it was started are gone, and the connection says so', async () => {
  await harness.deps.database.query('update authorizations set source_keys_id = gen_random_uuid()')
  expect(await job(1)).toEqual({ done: true })
  expect(await status()).toBe(7)
  expect((await harness.deps.database.query('select from authorizations')).rowCount).toBe(0)
})

it('by the browser ends likewise', async () => {
  await harness.deps.database.query('update authorizations set source_keys_id = gen_random_uuid()')
  await expect(completeRedirect(harness.deps, browser)).rejects.toMatchObject({ kind: 'reconnect' })
  expect(await status()).toBe(7)
})

it('leaves a choice of books to the owner, who comes back for it', async () => {
  source.grants = [books('north'), books('south')]
  expect(await logged()).toEqual({ outcome: { done: true }, lines: [{ connectionId }] })
  expect(await status(), 'nothing is connected yet').toBe(6)
  expect(await completeRedirect(harness.deps, browser)).toBeInstanceOf(BooksChoice)
})

it('names the connections in the log', async () => {
  expect(await logged()).toEqual({ outcome: { done: true }, lines: [{ connectionIds: [connectionId] }] })
  expect((await harness.deps.database.query('select from authorizations')).rowCount).toBe(0)
})

it('asks nobody once the source is no longer offered', async () => {
  expect(await handleCompletionJob({ ...harness.deps, sources: new Map() }, { match: match(), attempt: 1 })).toEqual({ done: true })
  expect([source.asked, await status()]).toEqual([0, 6])
})

it.each([
  ['a limit with its own time', new SourceError('rateLimited', '429', { retryAfterMs: 30_000 }), 1, { inMs: 30_000, isFailure: false }],
  ['a limit of a moment', new SourceError('rateLimited', '429', { retryAfterMs: 1 }), 1, { inMs: 1_000, isFailure: false }],
  ['an outage with its own time', new SourceError('unavailable', '503', { retryAfterMs: 45_000 }), 6, { inMs: 45_000, isFailure: true }],
  ['an outage at the last attempt', new SourceError('unavailable', '503', { retryAfterMs: 45_000 }), 7, { inMs: 45_000, isFailure: false }],
  ['keys that are refused', new SourceError('reconnect', 'keys', { isClientRefused: true }), 1, { inMs: 300_000, isFailure: false }],
])('waits after %s, and the connection says why', async (_what, refusal, attempt, waits) => {
  source.refusals = [refusal]
  const log = { ...harness.deps.log, error: () => undefined }
  const outcome = await handleCompletionJob({ ...harness.deps, log }, { match: match(), attempt })
  expect(outcome).toEqual({ done: false, reason: refusal.message, ...waits })
  const connection = await findConnection(harness.deps.database, harness.instanceId, connectionId)
  expect([connection?.status, typeof connection?.trouble?.code]).toEqual([6, 'string'])
})

it.each([
  ['an outage', new SourceError('unavailable', '503')],
  ['a limit', new SourceError('rateLimited', '429')],
])('waits longer after each attempt that met %s without a time', async (_what, refusal) => {
  source.refusals = [refusal]
  const outcome = await job(1)
  expect(outcome).toMatchObject({ done: false, inMs: expect.toSatisfy((ms: number) => ms >= 1_000 && ms <= 4_500) })
})

it.each([
  ['the owner shared nothing', [], 'declined'],
  ['the owner’s input is refused', new InputRefused({ en: 'No.', 'fr-CA': 'Non.' }), 'internal'],
])('ends when %s', async (_what, given, reason) => {
  if (Array.isArray(given)) source.grants = given
  else source.refusals = [given]
  const { outcome, lines } = await logged()
  expect([outcome, lines]).toEqual([{ done: true }, [{ err: expect.any(Error), connectionId }]])
  expect(await status()).toBe(7)
  expect((await findConnection(harness.deps.database, harness.instanceId, connectionId))?.faultCode).toBe(reason)
})

it('is tried again after a fault of our own', async () => {
  source.refusals = [new TypeError('ours')]
  await expect(job(1)).rejects.toThrow('ours')
  expect(await status()).toBe(6)
  expect((await harness.deps.database.query('select from authorizations')).rowCount).toBe(1)
})

it('waits longer than an owner may stay away once the webhook has reported that the owner finished', async () => {
  const { database } = harness.deps
  await database.query(`update authorizations set expires_at = clock_timestamp() + interval '1 minute'`)
  expect(await handleWebhook(harness.deps, 'hosted', { headers: {}, body: Buffer.from(matchOf(harness.companyId)), query: {} })).toBe('')
  const { rows } = await database.query<{ isLong: boolean; jobs: number }>(
    `select expires_at > clock_timestamp() + interval '5 hours' as "isLong", (select count(*)::int from jobs where kind = 'complete') as jobs from authorizations`,
  )
  expect(rows).toEqual([{ isLong: true, jobs: 1 }])
})
