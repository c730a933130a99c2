import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DryRunStatus, type MutantRunOptions, type MutantRunResult, MutantRunStatus } from '@stryker-mutator/api/test-runner'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ReusingRunner } from './reusing-runner.ts'

/** As Stryker writes mutants into a module. */
const SOURCE = `
  const context = (globalThis.__stryker__ ??= {})
  function on(id) {
    const coverage = (context.mutantCoverage ??= { static: {}, perTest: {} })
    const reached = context.currentTestId ? (coverage.perTest[context.currentTestId] ??= {}) : coverage.static
    reached[id] = (reached[id] ?? 0) + 1
    context.activeMutant ??= process.env.__STRYKER_ACTIVE_MUTANT__
    if (context.activeMutant !== id) return false
    if (context.hitCount !== undefined && ++context.hitCount > context.hitLimit) throw new Error('a loop')
    return true
  }
  const zero = on('constant') ? 1 : 0
  if (on('broken')) throw new Error('cannot be loaded')
  let remains = 0
  let kept
  export const open = () => { if (on('hook')) throw new Error('not open') }
  export const add = (a, b) => on('sum') ? a - b : a + b + zero + remains + (kept ??= on('kept') ? 1 : 0)
  export const count = () => { while (on('loop')) remains += 0; return on('same') ? 3 : 2 + 1 }
  let opened
  export const lazily = () => (opened ??= on('lazy') ? { answer: 3 } : { answer: 2 })
  export const leave = () => { if (on('remains')) remains = 1; return on('rejected') ? void Promise.reject(new Error('nobody waits')) : undefined }
`
const TESTS = `
  import { appendFileSync } from 'node:fs'
  import { beforeAll, describe, expect, it } from 'vitest'
  import { add, count, lazily, leave, open } from './source.ts'
  beforeAll(() => appendFileSync(import.meta.dirname + '/processes', process.pid + ' '))
  describe('a group', () => {
    beforeAll(() => open())
    it('adds', () => expect(add(1, 2)).toBe(3))
    it('counts', () => expect(count()).toBe(3))
  })
  it('adds again', () => { appendFileSync(import.meta.dirname + '/again', 'x'); expect(add(1, 2)).toBe(3) })
  it('opens', () => expect(lazily()).toBeTypeOf('object'))
  it('answers', () => expect(lazily().answer).toBe(2))
  it('leaves', () => { leave(); expect(add(1, 2)).toBe(3) })
`

/** Of a test file that starts a process, which holds a connection to this port while it runs. */
const neverEnding = (vitest: string, port: number): string => `
  import { spawn } from 'node:child_process'
  import { it } from ${vitest}
  it('never ends', () => new Promise(() => { spawn(process.execPath, ['-e', "require('node:net').connect(${port}, '127.0.0.1')"]) }))
`
const server = createServer()
const leftBehind = once(server, 'connection')

async function openServer(): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen')
  return address.port
}

let root: string
let runner: ReusingRunner
const failing: [string, string][] = []

const optionsOf = (id: string): MutantRunOptions => ({
  activeMutant: {
    id,
    fileName: '',
    mutatorName: '',
    replacement: id,
    location: { start: { line: 1, column: 1 }, end: { line: 1, column: 1 } },
  },
  sandboxFileName: join(root, 'source.ts'),
  mutantActivation: 'static',
  timeout: 60_000,
  disableBail: false,
  reloadEnvironment: false,
})
const run = (id: string): Promise<MutantRunResult> => runner.mutantRun(optionsOf(id))

/** Verdict on a mutant: its status, and how many processes have run tests since the last call. */
async function judge(id: string): Promise<[string, number]> {
  await writeFile(join(root, 'processes'), '')
  const { status } = await run(id)
  return [status, new Set((await readFile(join(root, 'processes'), 'utf8')).match(/\d+/g)).size]
}

/** How many tests were to judge a mutant. */
async function countTests(id: string): Promise<number | undefined> {
  const result = await run(id)
  return 'nrOfTests' in result ? result.nrOfTests : undefined
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'reusing-runner-'))
  await writeFile(join(root, 'package.json'), '{ "type": "module" }')
  await writeFile(join(root, 'source.ts'), SOURCE)
  const vitest = JSON.stringify(import.meta.resolve('vitest'))
  await writeFile(join(root, 'source.test.ts'), TESTS.replace("'vitest'", vitest))
  // Fails without a mutant, too, so it judges none.
  await writeFile(join(root, 'red.test.ts'), `import { expect, it } from ${vitest}\nit('fails', () => expect(1).toBe(2))`)
  await writeFile(join(root, 'slow.test.ts'), neverEnding(vitest, await openServer()))
  const testsOf = { 'source.ts': ['source.test.ts', 'red.test.ts', 'slow.test.ts'] }
  runner = new ReusingRunner({
    ...{ root, testsOf, slowestMs: 2_500, busyness: () => 2, reportFailing: (file, message) => failing.push([file, message]) },
    isEquivalent: ({ file, line, replacement }) => file === 'source.ts' && line === 2 && replacement === 'equivalent',
  })
  await runner.init()
})
afterAll(async () => {
  await runner.dispose()
  await rm(root, { recursive: true })
  server.close()
})

it('the run that Stryker begins with runs no test', async () => {
  expect(await runner.dryRun()).toMatchObject({ status: DryRunStatus.Complete, tests: [{ id: 'source.test.ts' }, {}, {}] })
  expect(existsSync(join(root, 'processes'))).toBe(false)
})

it.each([
  ['in a test', 'same', 1],
  ['in several tests', 'sum', 3],
  ['in a hook, by the tests of the file', 'hook', 6],
  ['while its module is loaded, by all tests of the file', 'constant', 6],
  ['nowhere, by none', 'never', 0],
])('a mutant is judged by the tests that reach it: %s', async (_, id, tests) => {
  expect(await countTests(id)).toBe(tests)
})

it('a test file that fails or is slow without a mutant is reported with the reason', () => {
  expect(failing).toEqual([
    ['red.test.ts', expect.stringContaining('fails: expected 1 to be 2')],
    ['slow.test.ts', 'it takes more than 5 s'],
  ])
})

it('a test file that is ended for its slowness leaves no process behind', async () => {
  const [socket]: Socket[] = await leftBehind
  socket?.on('error', () => undefined).resume()
  if (socket?.closed === false) await once(socket, 'close')
})

it.each([
  ['that a test notices, in the process that is there', 'sum', MutantRunStatus.Killed, 1],
  ['that lets a hook fail', 'hook', MutantRunStatus.Killed, 1],
  ['that never ends, once more in a new process', 'loop', MutantRunStatus.Timeout, 2],
  ['that nothing notices', 'same', MutantRunStatus.Survived, 1],
  ['whose result is kept from the run before, in a new process', 'kept', MutantRunStatus.Killed, 2],
  ['of what one test opens, and another uses, in a new process', 'lazy', MutantRunStatus.Killed, 2],
  ['of code that runs while modules are loaded, in a new process', 'constant', MutantRunStatus.Killed, 1],
  ['that keeps a module from being loaded, before any test', 'broken', MutantRunStatus.Killed, 0],
  ['that rejects what nobody waits for, which lets a test run fail', 'rejected', MutantRunStatus.Killed, 2],
])('a mutant %s', async (_, id, status, processes) => {
  expect(await judge(id)).toEqual([status, processes])
})

it('a mutant that is recorded as equivalent runs no test', async () => {
  expect(await judge('equivalent')).toEqual([MutantRunStatus.Survived, 0])
})

it('a mutant that a test has noticed runs no further test', async () => {
  await writeFile(join(root, 'again'), '')
  expect(await judge('sum')).toEqual([MutantRunStatus.Killed, 1])
  expect(await readFile(join(root, 'again'), 'utf8')).toBe('')
})

it('what a mutant leaves behind does not decide about the next', async () => {
  expect(await judge('remains')).toEqual([MutantRunStatus.Killed, 2])
  expect(await judge('same')).toEqual([MutantRunStatus.Survived, 1])
  expect(await judge('sum')).toEqual([MutantRunStatus.Killed, 1])
})

it('a mutant of a file none of whose tests passes without it says nothing', async () => {
  const other = new ReusingRunner({ root, testsOf: { 'source.ts': ['red.test.ts'] }, reportFailing: () => undefined })
  await other.init()
  expect(await other.mutantRun(optionsOf('sum'))).toMatchObject({ status: MutantRunStatus.Error })
  await other.dispose()
})
