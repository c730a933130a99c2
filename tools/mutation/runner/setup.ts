import { type InstrumenterContext, INSTRUMENTER_CONSTANTS as NAMES } from '@stryker-mutator/api/core'
import { afterAll, afterEach, beforeAll, beforeEach, inject, type RunnerTestFile } from 'vitest'
import { HOOKS, type MutationRun } from './mutation-run.ts'

/** Loaded before each test file: switches the mutant on, or notes which mutants a test reaches. */

declare module 'vitest' {
  export interface ProvidedContext {
    mutation: MutationRun
  }
}

const { mutantId, isFromStart, hitLimit } = inject('mutation')
const global = globalThis as { [NAMES.NAMESPACE]?: InstrumenterContext }
const context: InstrumenterContext = global[NAMES.NAMESPACE] ?? {}
global[NAMES.NAMESPACE] = context
let file: RunnerTestFile | undefined

const coverage = context.mutantCoverage ?? { static: {}, perTest: {} }
context.mutantCoverage = coverage
// What is reached without a test from here on is reached while modules are loaded, which they are once in a process.
// NOTE mutated modules hold on to the object itself.
coverage.perTest = {}
delete context.currentTestId
beforeAll(() => {
  context.currentTestId = HOOKS
})

if (mutantId === null) {
  delete context.activeMutant
  beforeEach(({ task }) => {
    context.currentTestId = task.id
    file = task.file
  })
  afterEach(() => {
    context.currentTestId = HOOKS
  })
  afterAll(() => {
    if (file) file.meta.mutantCoverage = { static: { ...coverage.static }, perTest: coverage.perTest }
  })
} else {
  if (isFromStart) context.activeMutant = mutantId
  else delete context.activeMutant
  context.hitCount = 0
  context.hitLimit = hitLimit
  beforeAll(() => {
    context.activeMutant = mutantId
    // For threads and processes that tests start.
    process.env[NAMES.ACTIVE_MUTANT_ENV_VARIABLE] = mutantId
  })
  // NOTE not by Vitest's `bail`: it cancels the run, and waits for ever for the answer of a process that has been replaced.
  let isNoticed = false
  beforeEach(({ task, skip, onTestFailed }) => {
    file = task.file
    skip(isNoticed, 'a test has noticed the mutant')
    onTestFailed(() => {
      isNoticed = true
    })
  })
  afterAll(() => {
    if (file) file.meta.hitCount = context.hitCount ?? 0
    delete process.env[NAMES.ACTIVE_MUTANT_ENV_VARIABLE]
    delete context.activeMutant
  })
}
