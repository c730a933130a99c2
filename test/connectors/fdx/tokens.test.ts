import { describe, expect, it } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { failureOf, refusalOf } from '../../harness/connector-calls.ts'
import { CALLBACK, redirectStep, refresh } from '../../harness/redirect.ts'
import { type Harness, link, trackedHarnesses } from './harness.ts'

const open = trackedHarnesses()

describe('a refresh', () => {
  it('uses each token once; reusing an old one ends the consent', async () => {
    const harness = await open('fdx-caisse-du-confluent')
    const { credentials } = await link(harness)
    const newest = await refresh(harness, await refresh(harness, credentials))
    expect(Object(newest.secret).refreshToken).not.toBe(Object(credentials.secret).refreshToken)
    expect((await failureOf(refresh(harness, credentials))).kind).toBe('reconnect')
    expect((await failureOf(refresh(harness, newest))).kind).toBe('reconnect')
  })

  it('keeps the token that Flinks does not rotate', async () => {
    const harness = await open('flinks-outbound')
    const { credentials } = await link(harness)
    const fresh = await refresh(harness, credentials)
    expect(Object(fresh.secret).refreshToken).toBe(Object(credentials.secret).refreshToken)
    await refresh(harness, fresh)
  })

  it('keeps the token if the answer contains none', async () => {
    const harness = await open('flinks-outbound')
    const { credentials } = await link(harness)
    const http: Harness['kit']['http'] = async (call) => {
      const response = await harness.kit.http(call)
      const text = new TextDecoder().decode(response.body).replace('"refresh_token"', '"something_else"')
      return { ...response, body: new TextEncoder().encode(text) }
    }
    const fresh = await refresh({ ...harness, kit: { ...harness.kit, http } }, credentials)
    expect(Object(fresh.secret).refreshToken).toBe(Object(credentials.secret).refreshToken)
  })

  it.each(['fdx-caisse-du-confluent', 'fdx-ohio-valley', 'flinks-outbound', 'akoya'] as const)(
    'that %s refuses with 400 and not a word is for the owner to fix',
    async (key) => {
      const harness = await open(key)
      const { credentials } = await link(harness)
      const http: Harness['kit']['http'] = async (call) => {
        const response = await harness.kit.http(call)
        return call.method === 'POST' ? { ...response, status: 400, headers: {}, body: new Uint8Array() } : response
      }
      expect((await failureOf(refresh({ ...harness, kit: { ...harness.kit, http } }, credentials))).kind).toBe('reconnect')
    },
  )

  it('sends Akoya the keys in the form, and uses the id_token for the data', async () => {
    const harness = await open('akoya')
    const { credentials } = await link(harness)
    harness.exchanges.length = 0
    await refresh(harness, credentials)
    const [{ request } = { request: null }] = harness.exchanges
    expect(request?.headers?.authorization).toBeUndefined()
    expect(String(request?.body)).toContain('client_secret=')
    expect(Object(credentials.secret).bearer.split('.')).toHaveLength(3)
  })
})

describe('the banks behind an aggregator', () => {
  it('are those that the operator lists, or else those of the aggregator', async () => {
    const found = await Promise.all(
      (['akoya', 'flinks-outbound'] as const).map(async (key) => {
        const harness = await open(key)
        return (await harness.connector.listInstitutions?.(harness.kit, null))?.institutions.map(({ id, name, countries }) => [
          id,
          name,
          ...countries,
        ])
      }),
    )
    expect(found).toEqual([
      [
        ['mikomo', 'Mikomo Bank', 'US'],
        ['erie', 'Erie Lakeshore Bank', 'US'],
      ],
      [
        ['dp-lac-superieur', 'Caisse du Lac-Supérieur', 'CA'],
        ['dp-prairie', 'Prairie Commerce Bank', 'CA'],
      ],
    ])
  })

  it('must be selected first, and are children of the aggregator', async () => {
    const harness = await open('akoya')
    const step = redirectStep(harness)
    const request = { callbackUrl: CALLBACK, state: 's', locale: 'fr-CA', webhookUrl: CALLBACK, companyId: 'c' } as const
    expect(await refusalOf(step.start(harness.kit, request))).toBeInstanceOf(InputRefused)
    const grant = await link(harness, 'business', { institutionId: 'erie' })
    expect(grant.institution).toEqual({ id: 'erie', name: 'Erie Lakeshore Bank' })
    const again = new URL((await step.start(harness.kit, { ...request, reconnect: grant.credentials })).url)
    expect(again.searchParams.get('connector')).toBe('erie')
  })

  it('fail with a clear error if the operator’s list is invalid', async () => {
    const harness = await open('akoya', { app: { connectors: 'Mikomo Bank, Erie' } })
    const listing = harness.connector.listInstitutions?.(harness.kit, null) ?? Promise.resolve()
    expect((await failureOf(listing)).message).toContain('id=Name')
  })
})
