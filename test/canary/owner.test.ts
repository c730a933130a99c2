import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openConnectHarness, type SourceKey } from '../connect/kit/harness.ts'
import { Owner } from '../connect/kit/owner.ts'
import { dumpRows } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { Inputs } from './inputs.ts'
import { listShown, recordSpans } from './searches.ts'

const SOURCES: readonly SourceKey[] = ['form-source', 'shared-login', 'plaid', 'quickbooks', 'bank-files', 'widget-source']
/** Pages of one link that are followed. */
const MOST_PAGES = 40
/** Kinds of fields that a person types into; what is typed as a password or an address of a person is secret. */
const TYPED = /^(text|url|search|tel|email|password|textarea)$/
const SECRET = /^(password|email)$/

const harness = openForTests(openConnectHarness)
let spans: ReturnType<typeof recordSpans>
const inputs = new Inputs({})
const logged: string[] = []
const pages: string[] = []
const submitted = new Set<string>()
/** Forms that were taken. */
const accepted = new Set<string>()
const links: string[] = []
let rows: string

beforeAll(async () => {
  const line = (fields: object, text: string) => void logged.push(`${JSON.stringify(fields, errorsToo)} ${text}`)
  const { sealer, hashToken } = harness.deps
  Object.assign(harness.deps, { mail: { sealer, hashToken }, log: { info: line, warn: line, error: line, debug: line } })
  spans = recordSpans()
  for (const source of SOURCES) {
    const link = await harness.link(source)
    links.push(link)
    await walk(link)
  }
  rows = await dumpRows(harness.deps.database)
}, 180_000)
afterAll(() => {
  spans?.stop()
})

function errorsToo(_key: string, value: unknown): unknown {
  return value instanceof Error ? { ...value, said: value.message, stack: value.stack } : value
}

interface Form {
  action: string
  hidden: [string, string][]
  typed: { name: string; type: string }[]
  /** Values that buttons send. */
  buttons: [string, string][]
}

const plain = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'")
const attribute = (tag: string, name: string) => plain(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '')

function hrefsOf(markup: string): string[] {
  return [...markup.matchAll(/<a [^>]*?href="(\/[^"]*)"/g)].map(([, href = '']) => plain(href))
}

function formsOf(markup: string): Form[] {
  return [...markup.matchAll(/(<form [^>]*>)([\s\S]*?)<\/form>/g)].map(([, tag = '', content = '']) => {
    const fields = [...content.matchAll(/<(input|textarea|button)[^>]*>/g)].map(([field = '', kind = '']) => ({
      name: attribute(field, 'name'),
      type: kind === 'input' ? attribute(field, 'type') || 'text' : kind,
      value: attribute(field, 'value'),
    }))
    const pairs = (type: string) =>
      fields.filter((each) => each.type === type && each.name !== '').map(({ name, value }): [string, string] => [name, value])
    return {
      action: attribute(tag, 'action'),
      hidden: pairs('hidden'),
      typed: fields.filter(({ name, type }) => name !== '' && TYPED.test(type)),
      buttons: pairs('button'),
    }
  })
}

/** Submits every form that a link leads to, with a canary in each field. */
async function walk(link: string): Promise<void> {
  const owner = new Owner(harness.origin)
  const asked = await owner.get(link)
  const agreed = await owner.submit(asked, { choice: 'agree' })
  const waiting = [agreed.address, ...hrefsOf(asked.markup), '/connect/hand-off']
  const seen = new Set<string>()
  while (waiting.length > 0 && seen.size < MOST_PAGES) {
    const address = waiting.shift() ?? ''
    const path = new URL(address, harness.origin).pathname
    if (seen.has(path)) continue
    seen.add(path)
    const { markup } = await owner.get(address)
    pages.push(markup)
    waiting.push(...hrefsOf(markup))
    for (const form of formsOf(markup)) {
      if (form.typed.length === 0) continue
      submitted.add(form.action.replace(/[\w-]{30,}/g, ':id'))
      await submit(owner, form)
    }
  }
}

async function submit(owner: Owner, { action, hidden, typed, buttons }: Form): Promise<void> {
  // Addresses that the source does not know, does not answer at, and answers nonsense at.
  for (const address of [null, 'down', 'odd']) {
    const values = typed.map(({ name, type }): [string, string] => {
      const value = inputs.canary(`${action} ${name}`, SECRET.test(type))
      if (name === 'address' && address !== null) return [name, address]
      return [name, type === 'email' ? `${value}@owner.example` : value]
    })
    const body = new URLSearchParams([...hidden, ...values, ...buttons.slice(0, 1)])
    const response = await owner.ask(action, { method: 'POST', body, headers: { origin: 'null', 'sec-fetch-site': 'same-origin' } })
    pages.push(await response.text())
    if (response.status === 303) accepted.add(action)
  }
}

const secrets = () => inputs.canaries.filter(({ isSecret }) => isSecret)
const tokens = () => links.map((link) => ({ value: new URL(link).searchParams.get('token') ?? '', at: 'the link', isSecret: true }))

describe('canaries in every form of the owner’s pages', () => {
  it('are submitted', () => {
    expect([...submitted].sort()).toEqual([
      '/connect/hand-off',
      '/connect/institutions',
      '/connect/institutions/missing',
      '/connect/source',
    ])
    expect([...accepted].some((action) => action.startsWith('/connect/hand-off'))).toBe(true)
    expect(secrets().length).toBeGreaterThan(5)
    expect(tokens().every(({ value }) => value.length > 30)).toBe(true)
  })

  it('that are secret are in no row, nor are links', () => {
    expect(rows).toContain(harness.instanceId)
    expect(listShown(rows, [...secrets(), ...tokens()])).toEqual([])
  })

  it('are in no line of the log and in no span, whatever they are', () => {
    expect(logged.length).toBeGreaterThan(0)
    expect(listShown([...logged, ...spans.said].join('\n'), [...inputs.canaries, ...tokens()])).toEqual([])
  })

  it('that are passwords are on no page', () => {
    expect(
      listShown(
        pages.join('\n'),
        secrets().filter(({ at }) => /password/i.test(at)),
      ),
    ).toEqual([])
  })
})
