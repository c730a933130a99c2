import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TEMPLATES = join(import.meta.dirname, 'connector-template')

/** Options of a new connector. */
export interface NewConnector {
  /** Lower-case word, or words with hyphens. */
  key: string
  name: string
  category: 'Accounting' | 'Banking'
  /** OAuth 2 authorization code, or a form with an API key. */
  authorization: 'oauth' | 'form'
  hasTransactions: boolean
}

/** `harborBooks` for `harbor-books`. */
export function variableOf(key: string): string {
  return key.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * Files of a new connector with its simulator, its conformance subject and, for accounting, its chart; by path in the
 * project. `port` is the simulator's.
 */
export function connectorFiles(wanted: NewConnector, port: number): Map<string, string> {
  const { key, category, authorization, hasTransactions } = wanted
  const kind = category.toLowerCase()
  const list = category === 'Accounting' ? 'entries' : 'transactions'
  const fill = (template: string) => fillTemplate(readFileSync(join(TEMPLATES, `${template}.txt`), 'utf8'), wanted, port)
  const connector: [file: string, template: string][] = [
    ...['index.ts', 'client.ts', 'request.ts', 'read.ts', 'wire.ts', 'map.test.ts', 'README.md'].map((file): [string, string] => [
      file,
      file,
    ]),
    ['authorization.ts', `authorization.${authorization}.ts`],
    ['map.ts', `map.${kind}.ts`],
    ['type-table.ts', `type-table.${kind}.ts`],
    ['fixtures/accounts.json', `fixtures.accounts.${kind}.json`],
    ...(hasTransactions ? [[`fixtures/${list}.json`, `fixtures.${list}.json`] satisfies [string, string]] : []),
  ]
  const simulator: [file: string, template: string][] = [
    ...['index.ts', 'faults.ts', 'sandbox.ts', 'index.test.ts', 'README.md'].map((file): [string, string] => [file, file]),
    ['api/routes.ts', 'api.routes.ts'],
    ['data/companies.ts', 'data.companies.ts'],
    ['data/ledger.ts', 'data.ledger.ts'],
    ...(authorization === 'oauth' ? [['oauth.ts', 'oauth.ts'] satisfies [string, string]] : []),
  ]
  return new Map([
    ...connector.map(([file, template]): [string, string] => [`src/connectors/${key}/${file}`, fill(`connector/${template}`)]),
    ...simulator.map(([file, template]): [string, string] => [`simulators/${key}/${file}`, fill(`simulator/${template}`)]),
    [`test/conformance/subjects/${key}.ts`, fill('tests/subject.ts')],
    ...(category === 'Accounting' ? [[`test/mapping/subjects/${key}.ts`, fill('tests/chart.ts')] satisfies [string, string]] : []),
  ])
}

/**
 * Text of a template: `__name__` and similar placeholders are replaced; lines after `//? oauth accounting` are kept if
 * both are wanted, up to the next such line; `//? end` ends it.
 */
function fillTemplate(template: string, { key, name, category, authorization, hasTransactions }: NewConnector, port: number): string {
  const isAccounting = category === 'Accounting'
  const wanted = new Set([authorization, category.toLowerCase(), hasTransactions ? 'transactions' : 'accounts-only', 'end'])
  const variable = variableOf(key)
  const records = isAccounting ? 'the chart of accounts' : 'the bank accounts'
  const movements = isAccounting ? 'all journal entries' : 'all transactions'
  const words: Record<string, string> = {
    key,
    name,
    variable,
    Type: variable.charAt(0).toUpperCase() + variable.slice(1),
    list: isAccounting ? 'entries' : 'transactions',
    token: authorization === 'oauth' ? 'accessToken' : 'apiKey',
    what: hasTransactions ? `${records} and ${movements}` : records,
    port: String(port),
  }
  let isKept = true
  const lines = template.split('\n').filter((line) => {
    const condition = /^\/\/\? (.+)$/.exec(line)?.[1]
    if (condition === undefined) return isKept
    isKept = condition.split(' ').every((word) => wanted.has(word))
    return false
  })
  return lines.join('\n').replace(/__(\w+?)__/g, (whole, word: string) => words[word] ?? whole)
}
