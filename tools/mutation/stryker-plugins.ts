import { appendFileSync, readFileSync } from 'node:fs'
import { PlanKind } from '@stryker-mutator/api/core'
import type { Ignorer } from '@stryker-mutator/api/ignore'
import { declareClassPlugin, declareFactoryPlugin, declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'
import type { Reporter } from '@stryker-mutator/api/report'
import { busyness } from './busyness.ts'
import { drawInOrder } from './drawn-order.ts'
import { findEquivalent } from './equivalent-mutants.ts'
import { toDrawnMutant, toMutationResult } from './mutation-results.ts'
import { ReusingRunner } from './runner/reusing-runner.ts'
import { keepTestDurations } from './test-durations.ts'

/**
 * Writes each verdict as a line of JSON to the file in MUTATION_VERDICTS, as soon as it is known. Puts the mutants into
 * the order of the seed in MUTATION_SEED before: Stryker would judge them file by file, so that a run that is ended
 * would say something about the first files only.
 */
class LineReporter implements Reporter {
  onMutationTestingPlanReady({ mutantPlans }: Parameters<NonNullable<Reporter['onMutationTestingPlanReady']>>[0]): void {
    // NOTE Stryker goes through this array afterwards, and offers no other way to decide the order.
    if (!Array.isArray(mutantPlans)) throw new Error('the order of the mutants cannot be changed')
    const { MUTATION_SEED = '' } = process.env
    const inOrder = drawInOrder([...mutantPlans], MUTATION_SEED, ({ mutant }) => toDrawnMutant(mutant))
    // Code that runs while modules are loaded would come last. The runner takes a new process for it of its own accord.
    for (const each of inOrder) if (each.plan === PlanKind.Run) each.runOptions.reloadEnvironment = false
    mutantPlans.splice(0, mutantPlans.length, ...inOrder)
  }

  onMutantTested(result: Parameters<NonNullable<Reporter['onMutantTested']>>[0]): void {
    const file = process.env.MUTATION_VERDICTS
    if (file) appendFileSync(file, `${JSON.stringify(toMutationResult(result))}\n`)
  }
}

/** The part of a Babel path that is used. */
interface SyntaxPath {
  type: string
  node: {
    id?: { name?: string }
    callee?: { name?: string; object?: { name?: string }; property?: { name?: string } }
    key?: { name?: string }
    properties?: { key?: { name?: string } }[]
  }
  parentPath: SyntaxPath | null
}

const NAMED =
  /(Error|Refusal|Problem)$|^(badField|unauthorized|notFound|conflict|forbidden|faultAt|cutAt|refusedAt|unreadableAt|crashPoint)$/
/** Texts of schemas and routes in the API’s description, which other tests compare with its documents. */
const DOCUMENTED = new Set(['description', 'summary', 'title'])
const LOGGED = new Set(['debug', 'info', 'warn', 'error', 'fatal', 'crashPoint'])

/**
 * Texts of errors, log messages and descriptions are not mutated; the class of an error, and whether it is thrown, are.
 * Neither are the names of crash points, at which only tests end processes that do not judge here.
 */
const words: Ignorer = {
  shouldIgnore: (path) => {
    const here = path as SyntaxPath
    if (isDocumentation(here)) return 'what a description says'
    const { type, parentPath } = here
    if (type !== 'StringLiteral' && type !== 'TemplateLiteral' && type !== 'TemplateElement') return undefined
    for (let around = parentPath; around; around = around.parentPath) {
      if (around.type === 'ThrowStatement') return 'what an error says'
      if (around.type === 'VariableDeclarator' && around.node.id?.name === 'TEXTS') return 'what an error says'
      if (/Statement$|Declaration$/.test(around.type) && around.type !== 'ExpressionStatement') return undefined
      const { callee } = around.node
      if (NAMED.test(callee?.name ?? '') || LOGGED.has(callee?.property?.name ?? '')) return 'what an error says'
    }
    return undefined
  },
}

/** Whether something is, or is within, nothing but texts of a schema or a route. */
function isDocumentation(path: SyntaxPath): boolean {
  let isText = path.type === 'ObjectExpression' && path.node.properties?.every(isDocumented) === true
  for (let around = path.parentPath; around && !/Statement$|Declaration$/.test(around.type); around = around.parentPath) {
    isText ||= around.type === 'ObjectProperty' && isDocumented(around.node)
    const { callee, key } = around.node
    if (callee?.object?.name === 'Type' || callee?.name === 'strict' || key?.name === 'schema') return isText
  }
  return false
}

function isDocumented({ key }: { key?: { name?: string } }): boolean {
  return DOCUMENTED.has(key?.name ?? '')
}

/**
 * In the copy of the tree. The file in MUTATION_TESTS names the tests of each file with mutants; that in
 * MUTATION_FAILING receives those that judge none.
 */
function createRunner(): ReusingRunner {
  const { MUTATION_TESTS = '', MUTATION_FAILING = '', MUTATION_NEW_PROCESSES } = process.env
  return new ReusingRunner({
    root: process.cwd(),
    testsOf: JSON.parse(readFileSync(MUTATION_TESTS, 'utf8')),
    busyness,
    isAlwaysNew: MUTATION_NEW_PROCESSES !== undefined,
    isEquivalent: (mutant) => findEquivalent(mutant) !== null,
    reportFailing: (file, message) => appendFileSync(MUTATION_FAILING, `${file} judges none: ${message}\n`),
    reportDuration: (file, durationMs) => keepTestDurations(new Map([[file, durationMs / busyness()]])),
  })
}

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, 'reusing-vitest', createRunner),
  declareClassPlugin(PluginKind.Reporter, 'lines', LineReporter),
  declareValuePlugin(PluginKind.Ignore, 'words', words),
]
