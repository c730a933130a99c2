import { appendFileSync } from 'node:fs'
import type { Ignorer } from '@stryker-mutator/api/ignore'
import { declareClassPlugin, declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'
import type { Reporter } from '@stryker-mutator/api/report'
import { toMutationResult } from './mutation-results.ts'

/** Writes each verdict as a line of JSON to the file in MUTATION_VERDICTS, as soon as it is known. */
class LineReporter implements Reporter {
  onMutantTested(result: Parameters<NonNullable<Reporter['onMutantTested']>>[0]): void {
    const file = process.env.MUTATION_VERDICTS
    if (file) appendFileSync(file, `${JSON.stringify(toMutationResult(result))}\n`)
  }
}

/** The part of a Babel path that is used. */
interface SyntaxPath {
  type: string
  node: { callee?: { name?: string; property?: { name?: string } } }
  parentPath: SyntaxPath | null
}

const NAMED = /(Error|Refusal|Problem)$|^(badField|unauthorized|notFound|conflict|forbidden|faultAt|cutAt|refusedAt|unreadableAt)$/
const LOGGED = new Set(['debug', 'info', 'warn', 'error', 'fatal'])

/** Texts of errors and log messages are not mutated; the class of an error, and whether it is thrown, are. */
const words: Ignorer = {
  shouldIgnore: (path) => {
    const { type, parentPath } = path as SyntaxPath
    if (type !== 'StringLiteral' && type !== 'TemplateLiteral' && type !== 'TemplateElement') return undefined
    for (let around = parentPath; around; around = around.parentPath) {
      if (around.type === 'ThrowStatement') return 'what an error says'
      if (/Statement$|Declaration$/.test(around.type) && around.type !== 'ExpressionStatement') return undefined
      const { callee } = around.node
      if (NAMED.test(callee?.name ?? '') || LOGGED.has(callee?.property?.name ?? '')) return 'what an error says'
    }
    return undefined
  },
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.Reporter, 'lines', LineReporter),
  declareValuePlugin(PluginKind.Ignore, 'words', words),
]
