import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { openTestPostgres } from '../test/harness/global-setup.ts'
import { linesOf, markEquivalent } from './mutation/equivalent-mutants.ts'
import { type MutationOptions, readMutationOptions, USAGE } from './mutation/mutation-options.ts'
import { type MutationResult, readMutationResults, scoreOf, tableOf } from './mutation/mutation-results.ts'
import { nearestTests } from './mutation/nearest-tests.ts'
import type { Piece } from './mutation/pieces.ts'
import { endGroup, killGroup } from './mutation/process-group.ts'
import {
  findBase,
  isWithin,
  listChangedLines,
  listPieces,
  listSources,
  NOT_COPIED,
  piecesOfLines,
  samplePieces,
  toLineRange,
} from './mutation/selection.ts'
import { addCallers } from './mutation/test-coverage/add-callers.ts'
import { readCoverageMap } from './mutation/test-coverage/coverage-map.ts'
import { measureCoverage } from './mutation/test-coverage/measure-coverage.ts'
import { readTestDurations } from './mutation/test-durations.ts'

const ROOT = join(import.meta.dirname, '..')
/** Folders that are not ignored are copied; and Node reads files in node_modules as JavaScript only. */
const FOLDER = join(ROOT, 'tmp', 'mutation')
const COMMITS = 10
/** As when the time is up. */
const ENDING = ['SIGINT', 'SIGTERM'] as const
/** With fewer mutants the percentage is not meaningful. */
const FEWEST = 20

async function choosePieces(wish: MutationOptions): Promise<Piece[]> {
  const ranges = wish.places.map(toLineRange)
  const sources = listSources(ranges.map(({ path }) => path))
  const base = wish.isChanged ? (wish.base ?? (await findBase(COMMITS))) : null
  const changed = base === null ? null : piecesOfLines(await listChangedLines(base)).filter(({ file }) => sources.includes(file))
  if (wish.isChanged) say(base === null ? 'no history to compare with: a share of all' : `what differs from ${base.slice(0, 12)}`)
  const pieces = (changed ?? listPieces(sources)).filter((piece) => isWithin(piece, ranges))
  const lines = pieces.reduce((sum, piece) => sum + piece.lines, 0)
  const wanted = Math.min(wish.lines, (lines * wish.percent) / 100)
  return wanted < lines ? samplePieces(pieces, wish.seed, wanted) : pieces
}

/** Merges adjacent ranges, so that mutants spanning them are included. */
function toRanges(pieces: readonly Piece[]): string[] {
  const ranges: { file: string; from: number; to: number }[] = []
  for (const { file, from, to } of [...pieces].sort((a, b) => (a.file === b.file ? a.from - b.from : a.file < b.file ? -1 : 1))) {
    const last = ranges.at(-1)
    if (last?.file === file && last.to + 1 === from) last.to = to
    else ranges.push({ file, from, to })
  }
  return ranges.map(({ file, from, to }) => `${file}:${from}-${to}`)
}

/** The nearest tests of each file, by what they call where that is known. */
function chooseTests(pieces: readonly Piece[], files: readonly string[], most: number): Record<string, string[]> {
  const map = readCoverageMap()
  const durations = readTestDurations()
  const nearest = nearestTests(files, most, durations)
  return map ? addCallers(nearest, pieces, map, durations) : nearest
}

async function runMutants(
  pieces: readonly Piece[],
  { minutes, seed, tests: named, nearest }: Pick<MutationOptions, 'minutes' | 'seed' | 'tests' | 'nearest'>,
): Promise<{ verdicts: MutationResult[]; isWhole: boolean }> {
  const files = [...new Set(pieces.map(({ file }) => file))]
  const testsOf = named ? Object.fromEntries(files.map((file) => [file, named])) : chooseTests(pieces, files, nearest)
  const tests = new Set(Object.values(testsOf).flat()).size
  say(`${files.length} files, ${pieces.reduce((sum, { lines }) => sum + lines, 0)} lines of code, judged by ${tests} test files`)
  await mkdir(FOLDER, { recursive: true })
  const folder = await mkdtemp(join(FOLDER, 'run-'))
  const postgres = await openTestPostgres()
  try {
    const [config, verdicts, failing, log, testsFile] = ['stryker.json', 'verdicts', 'failing', 'log', 'tests.json'].map((name) =>
      join(folder, name),
    ) as [string, string, string, string, string]
    await writeFile(testsFile, JSON.stringify(testsOf))
    await writeFile(config, JSON.stringify(strykerConfig(toRanges(pieces), join(folder, 'sandbox'))))
    await writeFile(verdicts, '')
    await writeFile(failing, '')
    const code = await runStryker(config, log, minutes, {
      MUTATION_TESTS: testsFile,
      MUTATION_VERDICTS: verdicts,
      MUTATION_FAILING: failing,
      MUTATION_SEED: seed,
      TEST_POSTGRES_URL: postgres.url,
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
    })
    process.stdout.write(await readFile(failing, 'utf8'))
    if (code !== 0 && code !== null) throw new Error(`the mutation run failed:\n${(await readFile(log, 'utf8')).slice(-4_000)}`)
    return { verdicts: readMutationResults(await readFile(verdicts, 'utf8')), isWhole: code === 0 }
  } finally {
    await postgres.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Source: https://stryker-mutator.io/docs/stryker-js/configuration/ */
function strykerConfig(mutate: string[], tempDir: string): object {
  return {
    mutate,
    testRunner: 'reusing-vitest',
    plugins: ['./tools/mutation/stryker-plugins.ts'],
    // The runner finds out which tests reach a mutant.
    coverageAnalysis: 'off',
    concurrency: 1,
    ignorers: ['words'],
    reporters: ['lines'],
    ignorePatterns: NOT_COPIED,
    tempDirName: relative(ROOT, tempDir),
    // It would write a comment into each file; releases of the sign-in element are compared byte for byte.
    disableTypeChecks: false,
    // It would use TypeScript's old programming interface to rewrite this file; Node reads none.
    tsconfigFile: 'none.json',
    allowConsoleColors: false,
    dryRunTimeoutMinutes: 30,
    // The runner has limits of its own, which cost no start of everything.
    timeoutMS: 900_000,
    warnings: { slow: false },
  }
}

/** The exit code; null if the time was up. */
async function runStryker(config: string, log: string, minutes: number, environment: Record<string, string>): Promise<number | null> {
  const output = await open(log, 'w')
  const program = join(ROOT, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')
  const child = spawn(process.execPath, [program, 'run', config], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    // In a group of its own: Stryker leaves the process that runs the tests behind when it is ended.
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
  })
  let isTimeUp = false
  const end = (): void => {
    isTimeUp = true
    endGroup(child)
  }
  const timer = Number.isFinite(minutes) ? setTimeout(end, minutes * 60_000) : undefined
  for (const signal of ENDING) process.once(signal, end)
  const [code] = await once(child, 'exit')
  killGroup(child)
  for (const signal of ENDING) process.off(signal, end)
  clearTimeout(timer)
  await output.close()
  return isTimeUp ? null : (code ?? 1)
}

async function main(): Promise<void> {
  const wish = readMutationOptions(process.argv.slice(2))
  if (wish.measuresCoverage) await measureCoverage()
  const pieces = await choosePieces(wish)
  if (pieces.length === 0) return say('nothing to change here')
  const { verdicts: judged, isWhole } = await runMutants(pieces, wish)
  const verdicts = markEquivalent(judged)
  for (const { status, file, line, mutator, replacement } of verdicts) {
    if (status === 'Survived' || status === 'NoCoverage')
      say(
        `${file}:${line} ${status} ${mutator}\n    ${linesOf(file)[line - 1]?.trim()}\n    ${replacement.replace(/\s+/g, ' ').slice(0, 120)}`,
      )
  }
  say(tableOf(verdicts))
  const broken = verdicts.filter(({ status }) => status === 'RuntimeError' || status === 'CompileError').length
  if (broken > 0) say(`${broken} faults kept the tests from running at all and do not count`)
  if (!isWhole) say(`the time was up: ${verdicts.length} faults were judged, the rest was not`)
  // A mutant that no selected test runs says more about the selection of tests: it is listed, and judged when a module
  // is judged as a whole.
  const score = scoreOf(verdicts.filter(({ status }) => status !== 'NoCoverage'))
  if (score.judged < FEWEST || score.percent >= wish.atLeast) return
  say(`fewer than ${wish.atLeast} % of those that a test ran were noticed`)
  process.exitCode = 1
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`)
  process.exitCode = 2
}
