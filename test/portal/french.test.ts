import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keyAnswerInFrench } from '../../src/portal/texts/messages/key-answers.ts'
import { fieldInFrench } from '../../src/portal/texts/messages/problems.ts'
import { reasonInFrench } from '../../src/portal/texts/messages/reasons.ts'
import { ruleInFrench } from '../../src/portal/texts/messages/rules.ts'

const SOURCE = join(import.meta.dirname, '../../src')
const TEXTS = join(SOURCE, 'portal/texts')

/** Every French text of the portal by file and key, with placeholders filled in. */
async function listFrench(): Promise<[string, string][]> {
  const names = readdirSync(TEXTS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const modules = await Promise.all(
    names.map(async (name): Promise<[string, unknown]> => {
      // NOTE the imports of these files are written for a browser, whose types this program does not have.
      const path: string = join(TEXTS, name)
      return [name, await import(path)]
    }),
  )
  return modules.flatMap(([name, module]) => tablesOf(module).flatMap((table) => listTexts(table, name)))
}

function tablesOf(module: unknown): unknown[] {
  if (typeof module !== 'object' || module === null) return []
  return Object.values(module).flatMap((value: unknown) =>
    typeof value === 'object' && value !== null && 'en' in value && 'fr' in value ? [value.fr] : [],
  )
}

function listTexts(node: unknown, path: string): [string, string][] {
  if (typeof node === 'string') return [[path, node]]
  if (typeof node === 'function') return [[path, String(node({ name: 'X', service: 'X', company: 'X', link: 'X' }, 'X'))]]
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, child]) => listTexts(child, `${path}.${key}`))
}

/** Whether the text is a piece of JSON. */
function isCode(text: string): boolean {
  return text.includes(',"Signature":')
}

/** All messages about records that were set aside, by pattern. */
function listReasons(): string[] {
  const rooms = ['connectors', 'model', 'sync/runs/normalize.ts', 'egress/egress-error.ts']
  const files = rooms.flatMap((room) =>
    room.endsWith('.ts')
      ? [join(SOURCE, room)]
      : readdirSync(join(SOURCE, room), { recursive: true }).map((name) => join(SOURCE, room, String(name))),
  )
  const texts = files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/fixtures|unused/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
  const found = texts.flatMap((text) =>
    [...text.matchAll(/\bunreadable: (['`])((?:[^'`\\]|\\.)+?)\1|return (['`])((?:an?|its) (?:[^'`\\]|\\.)+?)\3$/gm)].map(
      ([, , one, , other]) => one ?? other ?? '',
    ),
  )
  return [...new Set(found)]
    .filter((text) => !/^a \$\{|^a (manual )?journal \$\{/.test(text) && text.includes(' '))
    .map((text) => text.replace(/\$\{wrong\}/, 'amount').replace(/\$\{[^}]*\}/g, '7'))
}

describe('French in the portal', () => {
  it('keeps a colon, a percent sign and guillemets from starting or ending a line', async () => {
    const texts = await listFrench()
    expect(texts.length).toBeGreaterThan(500)
    expect(texts.filter(([, text]) => / [:»%$]|« |[^\u00a0\d]:(?![\d/])/.test(text) && !isCode(text))).toEqual([])
  })

  it('has no space before other signs, and no straight quotes', async () => {
    expect((await listFrench()).filter(([, text]) => /[ \u00a0][;!?,.](?![a-z])|['"]/.test(text) && !isCode(text))).toEqual([])
  })

  it('explains why a record was set aside', () => {
    const reasons = listReasons()
    expect(reasons.length).toBeGreaterThan(40)
    expect(reasons.filter((reason) => reasonInFrench(reason) === null)).toEqual([])
  })

  it.each([
    ['amount: no amount', 'amount\u00a0: aucun montant'],
    ['/Name: must be string', '/Name\u00a0: n’est pas du bon type (string)'],
    ['Harbor Bank says only to an owner whether keys are good', 'Harbor Bank ne dit qu’à un propriétaire si les clés sont bonnes'],
    ['a journal whose debits and credits differ', 'un journal dont les débits et les crédits diffèrent'],
    ['its voucher has no possible day', 'sa pièce\u00a0: date impossible'],
  ])('%s', (english, french) => {
    expect(reasonInFrench(english, fieldInFrench)).toBe(french)
  })

  it.each([
    ['statusSystem table of QuickBooks Online: "true" → ACTIVE', 'table statusSystem de QuickBooks Online\u00a0: "true" → ACTIVE'],
    ['worked out from /a, /b and 3 more', 'calculé d’après /a, /b et 3 de plus'],
    ['the service that was asked for', 'le service demandé'],
  ])('%s, of a rule', (english, french) => {
    expect(ruleInFrench(english)).toBe(french)
  })

  it.each([
    [
      'Intuit answered 401 to the request for a token (invalid_client): the clientId or clientSecret was refused',
      'Intuit a répondu 401 à la demande de jeton (invalid_client)\u00a0: clientId ou clientSecret refusé',
    ],
    ['POST token: no complete answer within 30000 ms', 'POST token\u00a0: aucune réponse complète en 30000 ms'],
    ['POST token: the address could not be reached', 'POST token\u00a0: l’adresse n’a pu être jointe'],
    ['xero: the source asked to wait', 'xero\u00a0: la source a demandé d’attendre'],
    [
      'Stripe /customers: invalid_request_error / no error code (HTTP 401)',
      'Stripe /customers\u00a0: invalid_request_error, sans code d’erreur (HTTP 401)',
    ],
    ['Harbor Bank says only to an owner whether keys are good', 'Harbor Bank ne dit qu’à un propriétaire si les clés sont bonnes'],
    ['Harbor Bank: this application has been retired', null],
  ])('%s, of keys', (english, french) => {
    expect(keyAnswerInFrench(english)).toBe(french)
  })

  it('leaves a source’s own words unchanged', () => {
    expect(reasonInFrench('Plaid /accounts/get: INVALID_INPUT (HTTP 400)', fieldInFrench)).toBeNull()
  })
})
