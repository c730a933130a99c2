import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, expect, it, onTestFinished } from 'vitest'

const BENCH = resolve(import.meta.dirname, '..', '..', 'bench', 'run.ts')
const COMPANIES = 12
/** More than a page takes in the time that each query has otherwise. */
const SAMPLES = 600

/** `npm run bench -- PART --short` with more options. */
const bench = (part: string, ...options: string[]) =>
  new Promise<{ code: unknown; output: string; errors: string }>((done) => {
    const args = [BENCH, part, '--short', ...options]
    execFile(process.execPath, args, (error, output, errors) => done({ code: error?.code ?? 0, output, errors }))
  })
/** One query at one size. */
const benchScale = (...options: string[]) => bench('scale', '--companies', String(COMPANIES), '--matching', 'page of accounts', ...options)

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countinghouse-scale-bench-'))
  await chmod(folder, 0o711)
  return () => rm(folder, { recursive: true, force: true })
})

it('a short run prints what it measured, and judges nothing', async () => {
  const { code, output } = await benchScale('--folder', folder)
  expect(output).toMatch(/^page of accounts: p99 growth .*p50\/p99: [\d.]+\/[\d.]+ ms, 3 each\) +<= 1\.50$/m)
  expect(output).toMatch(/\nA short run only shows that the bench works\.\n$/)
  expect(code).toBe(0)
}, 120_000)

it('--samples requests each query that often, however long it takes', async () => {
  const { output } = await benchScale('--folder', folder, '--samples', String(SAMPLES))
  expect(output).toContain(` ms, ${SAMPLES} each)`)
}, 120_000)

it('a query that fails ends the bench with an error', async () => {
  const file = join(folder, `scale-${COMPANIES}.json`)
  const text = await readFile(file, 'utf8')
  onTestFinished(() => writeFile(file, text))
  const note = JSON.parse(text) as { scope: object }
  await writeFile(file, JSON.stringify({ ...note, scope: { ...note.scope, serviceId: randomUUID() } }))
  const { code, output, errors } = await benchScale('--folder', folder)
  expect(errors).toMatch(/\/banking\/accounts\/\S+ answered 404: /)
  expect({ code, output }).toEqual({ code: 1, output: '' })
}, 120_000)

it('a bench that cannot run ends with an error', async () => {
  const { code, output } = await benchScale('--folder', join(folder, `scale-${COMPANIES}.json`))
  expect({ code, output }).toEqual({ code: 1, output: '' })
}, 120_000)

it('two workers refresh each connection once, those with a change too', async () => {
  const { code, output, errors } = await bench('refreshes', '--connections', '20')
  expect(errors).not.toContain('Error')
  expect(output).toMatch(/^20 connections of 20 records, due at once, refreshed by 2 workers: s +[\d.]+$/m)
  expect(output).toMatch(/^ {2}processor time of one, s of the worker; of PostgreSQL +0\.\d+; 0\.\d+$/m)
  expect(output).toMatch(/^ {4}as a share, % +[\d.]+; [\d.]+$/m)
  expect(output).toMatch(/^ {2}refreshes of a day at this rate, multiples of 1,000,000 +[\d.]+ +>= 1\.00$/m)
  expect(code).toBe(0)
}, 180_000)
