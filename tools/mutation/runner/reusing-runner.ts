import { join, relative } from 'node:path'
import { type MutantCoverage, INSTRUMENTER_CONSTANTS as NAMES } from '@stryker-mutator/api/core'
import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
} from '@stryker-mutator/api/test-runner'
import { createVitest, type Vitest } from 'vitest/node'
import { dropLeftoverDatabases } from './leftover-databases.ts'
import type { MutationRun } from './mutation-run.ts'
import { ReusedProcess } from './reused-process.ts'
import type { ReusingRunnerOptions } from './runner-options.ts'
import { type FileRun, toFileRun } from './test-files.ts'

const SETUP = join(import.meta.dirname, 'setup.ts')
const MAX_RUNS = 60 // Of a process: faults may leave connections, timers and memory behind.
/** Test files that judge one mutant, those nearest to its file first. */
const MAX_FILES = 12
const MAX_WHOLE_FILES = 3 // Of those in which a single test reaches a mutant.
const HANGS_FACTOR = 5 // A test or a file that takes that many times longer than without a fault hangs.
const HANGS_MS = 15_000
const START_MS = 60_000 // Of a new process, which loads everything.
const SLOWEST_MS = 25_000
const NO_LIMIT = Number.MAX_SAFE_INTEGER
/** Code that a mutant lets run that many times as often is a loop without an end. */
const LOOP_FACTOR = 100

interface Judgement {
  /** The run that noticed the mutant; null if none did. */
  noticed: { run: FileRun; file: string; isTimeUp: boolean } | null
  /** Whether the changed code was run: not, if its result is kept from an earlier run. */
  isReached: boolean
}

/**
 * Runs tests for Stryker, which takes its own Vitest runner half a minute where tests need a database: modules, the
 * embedded PostgreSQL and its template stay loaded from mutant to mutant. A mutant is switched on at run time; only the
 * tests that reach it are run, file by file, until one fails, and then whole files in which a single test reaches it.
 * What a fault leaves behind must not decide about the next one: a test that notices a mutant is run again without it,
 * and if it fails then too, a new process decides. So it does on code that runs while modules are loaded, and on code
 * that was not run again because its result is kept.
 */
export class ReusingRunner implements TestRunner {
  readonly #options: ReusingRunnerOptions
  readonly #used = new ReusedProcess(() => ({}))
  /** The run of each test file without a mutant; null if it failed or was slow. */
  readonly #first = new Map<string, FileRun | null>()
  /** By test file, the number of mutants that it noticed. */
  readonly #noticed = new Map<string, number>()
  #vitest: Vitest | undefined
  #newMutant: string | null = null
  readonly #new = new ReusedProcess(() => ({ [NAMES.ACTIVE_MUTANT_ENV_VARIABLE]: this.#newMutant ?? undefined }))

  constructor(options: ReusingRunnerOptions) {
    this.#options = options
  }

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true }
  }

  async init(): Promise<void> {
    this.#vitest = await createVitest('test', {
      root: this.#options.root,
      config: false,
      watch: false,
      include: [...new Set(Object.values(this.#options.testsOf).flat())],
      setupFiles: [SETUP],
      pool: { name: this.#used.name, createPoolWorker: () => (this.#newMutant === null ? this.#used : this.#new).createPoolWorker() },
      maxWorkers: 1,
      isolate: false,
      reporters: [{}],
      coverage: { enabled: false },
      experimental: { viteModuleRunner: false, nodeLoader: false },
    })
  }

  /**
   * Runs nothing: which tests reach a mutant is known when its file is judged. Run at the start, the tests of a whole
   * module would take the time in which a sample of it is to be judged.
   */
  async dryRun(): Promise<DryRunResult> {
    const tests = [...new Set(Object.values(this.#options.testsOf).flat())].map((file) => {
      return { id: file, name: file, timeSpentMs: 0, status: TestStatus.Success as const }
    })
    return { status: DryRunStatus.Complete, tests }
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    if (this.#isEquivalent(options)) return { status: MutantRunStatus.Survived, nrOfTests: 0 }
    const nearest = this.#options.testsOf[relative(this.#options.root, options.sandboxFileName)] ?? []
    for (const file of nearest) await this.#runFirst(file)
    const passing = nearest.filter((file) => this.#first.get(file))
    if (passing.length === 0 && nearest.length > 0)
      return { status: MutantRunStatus.Error, errorMessage: `without a fault none of these passes: ${nearest.join(', ')}` }
    const { id } = options.activeMutant
    const isStatic = [...this.#first.values()].some((first) => (first?.coverage.static[id] ?? 0) > 0)
    const wanted = isStatic ? new Map(passing.map((file) => [file, null])) : this.#choose(id, nearest)
    if (!isStatic && this.#options.isAlwaysNew !== true) {
      const judgement = await this.#judge(wanted, id, false)
      if (wanted.size === 0 || (await this.#isFinal(judgement))) return this.#toResult(judgement, wanted)
      if (judgement.noticed) await this.#used.replace()
    }
    this.#newMutant = id
    try {
      return this.#toResult(await this.#judge(wanted, id, true), wanted)
    } finally {
      await this.#new.replace()
      this.#newMutant = null
    }
  }

  /** Runs a test file without a mutant, once. One that fails or is slow judges none, and is reported. */
  async #runFirst(file: string): Promise<void> {
    if (this.#first.has(file)) return
    const slowestMs = (this.#options.slowestMs ?? SLOWEST_MS) * this.#busyness()
    this.#first.set(file, null)
    const first = await this.#runWithin(slowestMs, this.#used, () => this.#run(file, null))
    this.#options.reportDuration?.(file, first.isTimeUp ? slowestMs : first.run.durationMs)
    if (first.isTimeUp) return this.#options.reportFailing(file, `it takes more than ${Math.round(slowestMs / 1_000)} s`)
    let run = first.run
    if (run.failed.length > 0 || run.fault !== null) {
      await this.#used.replace()
      run = await this.#run(file, null)
    }
    if (run.failed.length > 0 || run.fault !== null) return this.#options.reportFailing(file, run.fault ?? run.message)
    this.#first.set(file, run)
  }

  #isEquivalent({ activeMutant: { location, replacement }, sandboxFileName }: MutantRunOptions): boolean {
    const file = relative(this.#options.root, sandboxFileName)
    // NOTE counted from 0 here, and from 1 in reports.
    return this.#options.isEquivalent?.({ file, line: location.start.line + 1, replacement }) ?? false
  }

  /** Whether a verdict in the used process counts. */
  async #isFinal({ noticed, isReached }: Judgement): Promise<boolean> {
    if (noticed === null) return isReached
    if (noticed.isTimeUp || noticed.run.failed.length === 0) return false
    const { failed, fault } = await this.#run(noticed.file, noticed.run.failed)
    return failed.length === 0 && fault === null
  }

  async dispose(): Promise<void> {
    await this.#used.replace()
    await this.#new.replace()
    await this.#vitest?.close()
  }

  /** The tests that reach a mutant, by file: those likely to notice it first, then the fastest. */
  #choose(mutant: string, nearest: readonly string[]): Map<string, readonly string[] | null> {
    const reaching = [...this.#first].flatMap(([file, first]): [string, string[]][] => {
      const ids = (first?.tests ?? []).flatMap(({ id }) => ((first?.coverage.perTest[id]?.[mutant] ?? 0) > 0 ? [id] : []))
      return ids.length > 0 ? [[file, ids]] : []
    })
    const rank = (file: string): number => (nearest.includes(file) ? nearest.indexOf(file) : nearest.length)
    // Of the tests of other files, those in which few tests reach it: these are about it.
    const share = ([file, ids]: [string, string[]]): number => ids.length / (this.#first.get(file)?.tests.length ?? 1)
    const chosen = reaching.sort((a, b) => rank(a[0]) - rank(b[0]) || share(a) - share(b)).slice(0, MAX_FILES)
    const noticed = (file: string): number => this.#noticed.get(file) ?? 0
    const duration = (file: string): number => this.#first.get(file)?.durationMs ?? 0
    return new Map(chosen.sort(([a], [b]) => noticed(b) - noticed(a) || duration(a) - duration(b)))
  }

  async #judge(wanted: ReadonlyMap<string, readonly string[] | null>, mutantId: string, isFromStart: boolean): Promise<Judgement> {
    let isReached = false
    for (const [file, ids] of [...wanted, ...this.#wholeFilesOf(wanted)]) {
      const judging = isFromStart ? this.#new : this.#used
      const first = this.#first.get(file)
      const limitMs = (HANGS_MS + HANGS_FACTOR * (first?.durationMs ?? START_MS)) * this.#busyness()
      const hitLimit = Math.max(1, hitsOf(first?.coverage, mutantId)) * LOOP_FACTOR
      const { run, isTimeUp: isLate } = await this.#runWithin(limitMs, judging, () =>
        this.#run(file, ids, { mutantId, isFromStart, hitLimit }),
      )
      const isTimeUp = isLate || run.hitCount > hitLimit
      isReached ||= run.hitCount > 0
      if (run.failed.length > 0 || run.fault !== null || isTimeUp) return { noticed: { run, file, isTimeUp }, isReached }
    }
    return { noticed: null, isReached }
  }

  /**
   * Of what one test of a file reaches, others may use a result that is kept, such as an application that the first of
   * them opens: the whole file decides, if that test alone did not notice.
   */
  #wholeFilesOf(wanted: ReadonlyMap<string, readonly string[] | null>): [string, null][] {
    const files = [...wanted].filter(([file, ids]) => ids?.length === 1 && (this.#first.get(file)?.tests.length ?? 1) > 1)
    return files.slice(0, MAX_WHOLE_FILES).map(([file]) => [file, null])
  }

  #busyness(): number {
    return this.#options.busyness?.() ?? 1
  }

  /** Ends the process when the time is up, and with it the run. */
  async #runWithin(limitMs: number, judging: ReusedProcess, start: () => Promise<FileRun>): Promise<{ run: FileRun; isTimeUp: boolean }> {
    let isTimeUp = false
    const end = (): void => {
      isTimeUp = true
      void judging.kill()
    }
    const timer = setTimeout(end, limitMs + (judging.isOpen ? 0 : START_MS))
    const run = await start()
    clearTimeout(timer)
    return { run, isTimeUp }
  }

  async #run(
    file: string,
    ids: readonly string[] | null,
    about: MutationRun = { mutantId: null, isFromStart: false, hitLimit: NO_LIMIT },
  ): Promise<FileRun> {
    const vitest = this.#vitest
    if (!vitest) throw new Error('the runner is not open')
    if (!about.isFromStart && this.#used.runs >= MAX_RUNS) {
      await this.#used.replace()
      await dropLeftoverDatabases()
    }
    const path = join(this.#options.root, file)
    const project = vitest.getRootProject()
    project.provide('mutation', about)
    const slowest = Math.max(0, ...(this.#first.get(file)?.tests.map(({ durationMs }) => durationMs) ?? [START_MS]))
    project.config.testTimeout = (HANGS_MS + HANGS_FACTOR * slowest) * this.#busyness()
    project.config.hookTimeout = project.config.testTimeout + START_MS
    vitest.state.filesMap.clear()
    return toFileRun(
      path,
      await vitest.runTestSpecifications([project.createSpecification(path, ids === null ? [] : { testIds: [...ids] })]),
    )
  }

  #toResult({ noticed }: Judgement, wanted: ReadonlyMap<string, readonly string[] | null>): MutantRunResult {
    const nrOfTests = [...wanted].reduce((sum, [file, ids]) => sum + (ids ?? this.#first.get(file)?.tests ?? []).length, 0)
    if (!noticed) return { status: MutantRunStatus.Survived, nrOfTests }
    const { run, file, isTimeUp } = noticed
    this.#noticed.set(file, (this.#noticed.get(file) ?? 0) + 1)
    if (isTimeUp) return { status: MutantRunStatus.Timeout, reason: file }
    return { status: MutantRunStatus.Killed, killedBy: run.failed, failureMessage: run.fault ?? run.message, nrOfTests }
  }
}

function hitsOf(coverage: MutantCoverage | undefined, mutant: string): number {
  const counts = coverage ? [coverage.static, ...Object.values(coverage.perTest)] : []
  return counts.reduce((sum, reached) => sum + (reached[mutant] ?? 0), 0)
}
