import { describe, expect, it } from 'vitest'
import { CALLBACK, failureOf, kindOf, link, openingStages, redirectStep, refresh, type Stage } from './stage.ts'

const open = openingStages()

describe('a refresh', () => {
  it('uses each token once; who comes with an old one ends the consent', async () => {
    const stage = await open('fdx-caisse-du-confluent')
    const { credentials } = await link(stage)
    const newest = await refresh(stage, await refresh(stage, credentials))
    expect(Object(newest.secret).refreshToken).not.toBe(Object(credentials.secret).refreshToken)
    expect(kindOf(await failureOf(refresh(stage, credentials)))).toBe('reconnect')
    expect(kindOf(await failureOf(refresh(stage, newest)))).toBe('reconnect')
  })

  it('keeps the token that Flinks does not renew', async () => {
    const stage = await open('flinks-outbound')
    const { credentials } = await link(stage)
    const fresh = await refresh(stage, credentials)
    expect(Object(fresh.secret).refreshToken).toBe(Object(credentials.secret).refreshToken)
    await refresh(stage, fresh)
  })

  it('keeps the token where the answer holds none', async () => {
    const stage = await open('flinks-outbound')
    const { credentials } = await link(stage)
    const http: Stage['kit']['http'] = async (call) => {
      const response = await stage.kit.http(call)
      const text = new TextDecoder().decode(response.body).replace('"refresh_token"', '"something_else"')
      return { ...response, body: new TextEncoder().encode(text) }
    }
    const fresh = await refresh({ ...stage, kit: { ...stage.kit, http } }, credentials)
    expect(Object(fresh.secret).refreshToken).toBe(Object(credentials.secret).refreshToken)
  })

  it('sends Akoya the keys in the form, and opens the data with the id_token', async () => {
    const stage = await open('akoya')
    const { credentials } = await link(stage)
    stage.exchanges.length = 0
    await refresh(stage, credentials)
    const [{ request } = { request: null }] = stage.exchanges
    expect(request?.headers?.authorization).toBeUndefined()
    expect(String(request?.body)).toContain('client_secret=')
    expect(Object(credentials.secret).bearer.split('.')).toHaveLength(3)
  })
})

describe('the banks behind an aggregator', () => {
  it('are those that the operator lists, or those that the aggregator has', async () => {
    const found = await Promise.all(
      (['akoya', 'flinks-outbound'] as const).map(async (key) => {
        const stage = await open(key)
        return (await stage.connector.listInstitutions?.(stage.kit, null))?.institutions.map(({ id, name, countries }) => [
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

  it('have to be chosen first, and are children of the aggregator', async () => {
    const stage = await open('akoya')
    const step = redirectStep(stage)
    const request = { callbackUrl: CALLBACK, state: 's', locale: 'fr-CA', webhookUrl: CALLBACK, companyId: 'c' } as const
    expect(kindOf(await failureOf(step.start(stage.kit, request)))).toBe('refused')
    const grant = await link(stage, 'business', { institutionId: 'erie' })
    expect(grant.institution).toEqual({ id: 'erie', name: 'Erie Lakeshore Bank' })
    const again = new URL((await step.start(stage.kit, { ...request, reconnect: grant.credentials })).url)
    expect(again.searchParams.get('connector')).toBe('erie')
  })

  it('fail clearly where the operator’s list is no list', async () => {
    const stage = await open('akoya', { app: { connectors: 'Mikomo Bank, Erie' } })
    const listing = stage.connector.listInstitutions?.(stage.kit, null) ?? Promise.resolve()
    expect((await failureOf(listing)).message).toContain('id=Name')
  })
})
