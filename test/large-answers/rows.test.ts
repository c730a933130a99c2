import { expect, it } from 'vitest'
import { bannoConnector } from '../../src/connectors/banno/client.ts'
import type { Kit, Page } from '../../src/connectors/contract/contract.ts'
import { connectors, exampleConnectors } from '../../src/connectors/registry.ts'
import { tokenForm } from '../../src/connectors/simplefin/authorization.ts'
import { pullNamed } from '../harness/connector-calls.ts'
import { countReturns } from './event-loop.ts'
import { type LargeAnswers, NOW, ROWS, SUBJECTS } from './subjects.ts'

/** Rows that may be looked at in one step. */
const AT_ONCE = 500

function kitOf({ answer, headers = {} }: LargeAnswers): Kit {
  const api = 'https://api.example'
  return {
    app: {},
    hosts: { api, bank: api, bridge: api },
    now: () => NOW,
    http: async ({ url, body }) => {
      const { pathname, searchParams } = new URL(url)
      const bytes = new TextEncoder().encode(answer(pathname, String(body ?? searchParams)))
      // Larger ones come back to the event loop while they are parsed.
      if (bytes.length > 256 * 1024) throw new Error('the answer is not parsed in one step')
      return { status: 200, headers, body: bytes }
    },
  }
}

it.each(SUBJECTS.map((subject) => [subject.connector, subject.pull, subject.passes, subject] as const))(
  '%s looks at the rows of its answers in slices: %s, %d times',
  async (key, pullName, passes, subject) => {
    const connector = await [...connectors, ...exampleConnectors].find((each) => each.key === key)?.load()
    if (!connector) throw new Error('no such connector')
    const { secret, entityId = '', cursor = null } = subject
    const session = { kit: kitOf(subject), credentials: { secret: { ...secret }, expiresAt: null }, entityId, nextFile: async () => null }
    const pages: Page[] = []
    const position = cursor === null ? null : JSON.parse(JSON.stringify(cursor))
    const returns = await countReturns(async () => pages.push(await pullNamed(connector, pullName).fetch(session, position)))
    expect(pages).toHaveLength(1)
    expect(returns).toBeGreaterThanOrEqual((passes * ROWS) / AT_ONCE)
  },
)

it('the list of accounts of Banno is parsed in slices', async () => {
  const name = 'a name that makes the list longer than what is parsed in one step'.repeat(10)
  const list = JSON.stringify({ accounts: Array.from({ length: 1_000 }, (_, index) => ({ id: String(index), name })) })
  const answers: Record<string, string> = { fetch: '{"taskId":"t"}', t: '{"events":[{"type":"TaskEnded"}]}', accounts: list }
  const kit: Kit = {
    app: {},
    hosts: { bank: 'https://bank.example' },
    now: () => NOW,
    http: async ({ url }) => {
      const last = new URL(url).pathname.split('/').at(-1) ?? ''
      return { status: 200, headers: {}, body: new TextEncoder().encode(answers[last]) }
    },
  }
  const credentials = { secret: { accessToken: 'a', refreshToken: 'r' }, expiresAt: null }
  const session = { kit, credentials, entityId: 'e', nextFile: async () => null }
  expect(await countReturns(() => pullNamed(bannoConnector).fetch(session, null))).toBeGreaterThanOrEqual(10)
})

it('the accounts of a SimpleFIN token are looked at in slices', async () => {
  const accounts = Array.from({ length: ROWS }, (_, index) => ({ id: String(index), org: { name: `Bank ${index}` } }))
  const access = 'https://u:p@bridge.example/simplefin'
  const kit: Kit = {
    app: {},
    hosts: { bridge: 'https://bridge.example' },
    now: () => NOW,
    http: async ({ method }) => ({
      ...{ status: 200, headers: {} },
      body: new TextEncoder().encode(method === 'POST' ? access : JSON.stringify({ accounts })),
    }),
  }
  const token = Buffer.from('https://bridge.example/claim/1').toString('base64')
  const returns = await countReturns(async () => {
    const grant = await tokenForm.submit(kit, { token })
    expect(grant).toMatchObject({ entity: { name: 'Bank 0, Bank 1, Bank 2, …' } })
  })
  expect(returns).toBeGreaterThanOrEqual((2 * ROWS) / AT_ONCE)
})
