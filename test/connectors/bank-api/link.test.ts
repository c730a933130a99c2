import { afterEach, describe, expect, it } from 'vitest'
import type { FlavourName } from '../../../simulators/bank-api/index.ts'
import { bankApiConnector } from '../../../src/connectors/bank-api/client.ts'
import type { Profile } from '../../../src/connectors/bank-api/profile.ts'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { type HttpRequest, type Kit, SourceError } from '../../../src/connectors/contract/contract.ts'
import { submit, submitForm } from '../../harness/form.ts'
import { connect, FORMS, type Harness, openHarness } from './harness.ts'

const FLAVOURS: readonly FlavourName[] = ['harbourline', 'peakfield', 'granite']
const harnesses: Harness[] = []
afterEach(async () => {
  await Promise.all(harnesses.splice(0).map((harness) => harness.close()))
})

async function open(flavour: FlavourName): Promise<Harness> {
  const harness = await openHarness(flavour)
  harnesses.push(harness)
  return harness
}

async function failureOf(call: Promise<unknown>): Promise<Error> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof Error) return error
  throw new Error('expected a failure')
}

describe.each(FLAVOURS.map((flavour) => [flavour]))('%s', (flavour) => {
  it('is connected with the customer’s credentials, however they are formatted', async () => {
    const grant = await connect(await open(flavour))
    expect(grant.entity).toEqual({ id: '100245', name: 'Quincaillerie Côté & Fils inc.' })
    expect(grant.credentials.expiresAt).toBe('2026-07-01T12:14:30.000Z')
  })

  it('answers wrong credentials and an unknown customer with the same message', async () => {
    const harness = await open(flavour)
    const good = FORMS[flavour]('good')
    const [number = '', proof = ''] = Object.keys(good)
    const wrong = await failureOf(submit(harness, { ...good, [proof]: 'wrong' }))
    const unknown = await failureOf(submit(harness, { ...good, [number]: '555555' }))
    expect(wrong).toBeInstanceOf(InputRefused)
    expect(unknown.message).toBe(wrong.message)
  })

  it('reports refused keys to the operator, not to the owner', async () => {
    const harness = await open(flavour)
    harness.simulator.fault('invalidClient')
    const failure = await failureOf(connect(harness))
    expect(failure instanceof SourceError && [failure.kind, failure.isClientRefused]).toEqual(['unavailable', true])
  })
})

describe('a form', () => {
  it('refuses a malformed value, or one that could lead to another address, before any call', async () => {
    const harness = await open('harbourline')
    for (const customerId of ['12', '..', '1/2345', '']) {
      const failure = await failureOf(submit(harness, { ...FORMS.harbourline('good'), customerId }))
      expect(failure instanceof InputRefused && failure.field).toBe('customerId')
    }
    expect(harness.exchanges).toEqual([])
  })
})

/** Answers every request, and records it. */
function fakeKit(app: Record<string, string>, answers: Record<string, unknown>): { kit: Kit; asked: HttpRequest[] } {
  const asked: HttpRequest[] = []
  const kit: Kit = {
    app,
    hosts: { api: 'https://api.bank.example', token: 'https://id.bank.example' },
    now: () => new Date(Date.UTC(2026, 6, 1)),
    http: async (request) => {
      asked.push(request)
      const body = answers[new URL(request.url).pathname]
      return { status: body === undefined ? 404 : 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(body ?? {})) }
    },
  }
  return { kit, asked }
}

function profileWith(changes: Partial<Profile>): Profile {
  return {
    ...{ format: 1, key: 'plain', name: 'Plain Bank', description: { 'en-CA': 'x', 'fr-CA': 'x' }, refreshHours: 24, keys: [] },
    hosts: { api: 'https://api.bank.example', token: 'https://id.bank.example' },
    authentication: { kind: 'basic', user: '{user}', password: '{password}' },
    connect: {
      fields: ['user', 'password'].map((name) => ({ name, type: 'text' as const, label: { en: name, 'fr-CA': name } })),
      id: '{user}',
    },
    mapVersion: 1,
    accounts: [
      {
        ...{ name: 'accounts', path: '/accounts', rows: '', id: '/id', paging: { by: 'none' } },
        map: {
          providerName: { value: 'Plain Bank' },
          accountName: { from: '/name' },
          accountStatusSystem: { value: 'ACTIVE' },
          kind: { value: 'Cash/Savings' },
          currency: { value: 'USD' },
          actualBalance: { from: '/balance' },
        },
      },
    ],
    transactions: [],
    ...changes,
  }
}

async function connectWith(profile: Profile, kit: Kit, values: Record<string, string>) {
  const connector = bankApiConnector(profile)
  return { grant: await submitForm(connector, kit, values), refreshCredentials: connector.refreshCredentials }
}

describe('client authentication', () => {
  const accounts = { '/accounts': [{ id: 1 }] }

  it('by Basic sends user and password with every call, accents too, and never expires', async () => {
    const { kit, asked } = fakeKit({}, accounts)
    const { grant, refreshCredentials } = await connectWith(profileWith({}), kit, { user: 'zoë', password: 'pässword' })
    expect(asked.map(({ headers }) => headers?.authorization)).toEqual([`Basic ${Buffer.from('zoë:pässword').toString('base64')}`])
    expect([grant.credentials.expiresAt, refreshCredentials]).toEqual([null, undefined])
  })

  it('by a key in a header uses the bank’s own header name', async () => {
    const { kit, asked } = fakeKit({ apiKey: 'k-1' }, accounts)
    const profile = profileWith({ keys: ['apiKey'], authentication: { kind: 'apiKey', header: 'X-Api-Key', value: '{apiKey}' } })
    await connectWith(profile, kit, { user: 'u', password: 'p' })
    expect(asked[0]?.headers).toMatchObject({ 'x-api-key': 'k-1' })
    expect(asked[0]?.headers).not.toHaveProperty('authorization')
  })

  it('sends no key to a token address on another host', async () => {
    const discovery = { '/.well-known/openid-configuration': { token_endpoint: 'https://evil.example/token' } }
    const { kit, asked } = fakeKit({ secret: 'canary-4410' }, discovery)
    const authentication: Profile['authentication'] = {
      ...{ kind: 'clientCredentials', token: 'discovery', clientId: '{user}', clientSecret: '{secret}', send: 'body' },
    }
    const failure = await failureOf(connectWith(profileWith({ keys: ['secret'], authentication }), kit, { user: 'u', password: 'p' }))
    expect(failure instanceof SourceError && failure.kind).toBe('badData')
    expect(asked.map(({ url }) => url)).toEqual(['https://id.bank.example/.well-known/openid-configuration'])
  })

  it('with an unreadable private key is the operator’s error, and reveals nothing of the key', async () => {
    const { kit } = fakeKit({ key: 'canary-not-a-key' }, {})
    const authentication: Profile['authentication'] = {
      ...{ kind: 'jwtBearer', token: '/token', clientId: '{user}', privateKey: '{key}', algorithm: 'ES256', use: 'grant' },
    }
    const failure = await failureOf(connectWith(profileWith({ keys: ['key'], authentication }), kit, { user: 'u', password: 'p' }))
    expect(failure instanceof SourceError && failure.isClientRefused).toBe(true)
    expect(String(failure.stack)).not.toContain('canary')
  })
})
