import { describe, expect, test } from 'vitest'
import { CAISSE, DAG_BANK } from '../../../simulators/yodlee/data/institutions.ts'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { yodleeConnector } from '../../../src/connectors/yodlee/client.ts'
import { sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { completeLink, startWidget } from '../../harness/redirect.ts'
import { idOf, link, openFastLink, openHarness, run, SECRET, submit, walkFastLink } from './harness.ts'

describe('linking a bank through FastLink', () => {
  const harness = openForTests(openHarness)
  let companies = 0
  /** A company without links. */
  const newCompany = () => `company-${companies++}`

  test('the widget is FastLink’s own script, and the browser gets no key of the operator', async () => {
    const { widget } = await startWidget(harness)
    expect(widget.script).toBe(`${harness.url}/initialize.js`)
    expect(widget.origins).toEqual([harness.url])
    expect(JSON.stringify(widget)).not.toContain(SECRET)
    expect(widget.params).toMatchObject({
      flow: 'add',
      providerId: String(CAISSE),
      configName: 'Aggregation',
      token: expect.stringMatching(/^Bearer \w+$/),
    })
  })

  test('the operator’s own configuration of FastLink is used if there is one', async () => {
    const kit = { ...harness.kit, app: { ...harness.kit.app, configName: 'Countinghouse' } }
    expect((await startWidget({ ...harness, kit })).widget.params.configName).toBe('Countinghouse')
  })

  test.each([
    ['en', 'en_CA', 'Sign in to Caisse du Vieux-Longueuil'],
    ['fr-CA', 'fr_CA', 'Ouvrez une session chez Caisse du Vieux-Longueuil'],
  ] as const)('FastLink uses the owner’s language: %s', async (locale, wanted, words) => {
    const companyId = newCompany()
    const { widget } = await startWidget(harness, { companyId, locale })
    expect(harness.simulator.localeOf(companyId)).toBe(wanted)
    expect(await openFastLink(widget)).toContain(words)
  })

  test('a linked bank yields one connection that names it', async () => {
    const companyId = newCompany()
    const grant = await link(harness, { companyId })
    const entity = { id: String(CAISSE), name: 'Caisse du Vieux-Longueuil' }
    expect(grant).toMatchObject({ entity, institution: entity, reference: companyId })
    expect(Date.parse(grant.credentials.expiresAt ?? '') - harness.kit.now().getTime()).toBe(29 * 60_000)
  })

  test('several banks linked before FastLink was closed yield as many connections', async () => {
    const { widget, memo } = await startWidget(harness, { companyId: newCompany() })
    const done = await submit(harness, await openFastLink(widget), { username: 'x', password: 'site16441.1' })
    const banks = await submit(harness, done, { another: '1' })
    await submit(harness, await submit(harness, banks, { providerId: String(DAG_BANK) }), { username: 'x', password: 'site16441.1' })
    expect((await completeLink(harness, memo)).map(({ entity }) => entity.name).sort()).toEqual(['Caisse du Vieux-Longueuil', 'Dag Site'])
  })

  test('the browser’s result is not trusted: a provider account of another company yields nothing', async () => {
    const victim = await link(harness, { companyId: newCompany() })
    const { memo } = await startWidget(harness, { companyId: newCompany() })
    await expect(completeLink(harness, memo, { providerAccountIds: String(idOf(victim)) })).rejects.toBeInstanceOf(InputRefused)
  })

  test('an owner who leaves without signing in gets an explanation in both languages', async () => {
    const { memo } = await startWidget(harness, { companyId: newCompany() })
    const refusal = await completeLink(harness, memo).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ text: { en: expect.stringMatching(/No bank/), 'fr-CA': expect.stringMatching(/Aucune institution/) } })
  })

  test.each(['wrong', 'mfa'])('a sign-in that ended with "%s" yields no connection', async (password) => {
    const { widget, memo } = await startWidget(harness, { companyId: newCompany() })
    await walkFastLink(harness, widget, { username: 'x', password })
    await expect(completeLink(harness, memo)).rejects.toBeInstanceOf(InputRefused)
  })

  test('an entered bank code yields one', async () => {
    const { widget, memo } = await startWidget(harness, { companyId: newCompany() })
    const code = await submit(harness, await openFastLink(widget), { username: 'x', password: 'mfa' })
    await submit(harness, await submit(harness, code, { code: '1' }), { code: '123456' })
    expect(await completeLink(harness, memo)).toHaveLength(1)
  })

  test('earlier banks are not a result of this authorization', async () => {
    const companyId = newCompany()
    await link(harness, { companyId })
    const second = await link(harness, { companyId, institutionId: String(DAG_BANK) })
    expect(second.entity.id).toBe(String(DAG_BANK))
  })

  describe('repair', () => {
    test('edits the same provider account, whose accounts keep their ids', async () => {
      const grant = await link(harness, { companyId: newCompany() })
      const before = (await run(sessionOf(harness, grant), 'accounts')).items
      harness.simulator.fail(idOf(grant), 'CREDENTIALS_UPDATE_NEEDED')
      const { widget, memo } = await startWidget(harness, { reconnect: grant.credentials })
      expect(widget.params).toMatchObject({ flow: 'edit', providerAccountId: String(idOf(grant)) })
      await walkFastLink(harness, widget)
      const [repaired] = await completeLink(harness, memo, {}, grant)
      expect([repaired && idOf(repaired), repaired?.entity]).toEqual([idOf(grant), grant.entity])
      const after = (await run(sessionOf(harness, grant), 'accounts')).items
      expect(after.map(({ origId }) => origId)).toEqual(before.map(({ origId }) => origId))
    })

    test('that was not finished is reported to the owner', async () => {
      const grant = await link(harness, { companyId: newCompany() })
      harness.simulator.fail(idOf(grant), 'CONSENT_EXPIRED')
      const { memo } = await startWidget(harness, { reconnect: grant.credentials })
      const refusal = await completeLink(harness, memo, {}, grant).catch((error: unknown) => error)
      expect(refusal).toMatchObject({
        text: { en: expect.stringMatching(/not renewed/), 'fr-CA': expect.stringMatching(/pas été renouvelée/) },
      })
    })

    test('of a deleted provider account links the same bank again', async () => {
      const grant = await link(harness, { companyId: newCompany() })
      await yodleeConnector.disconnect?.(harness.kit, grant.credentials)
      const { widget, memo } = await startWidget(harness, { reconnect: grant.credentials, institutionId: null })
      await walkFastLink(harness, widget)
      const [renewed] = await completeLink(harness, memo, {}, grant)
      expect(renewed?.entity).toEqual(grant.entity)
      expect(renewed && idOf(renewed)).not.toBe(idOf(grant))
    })
  })

  test('a disconnect deletes the provider account, even long after its token has expired; a second one succeeds', async () => {
    const grant = await link(harness, { companyId: newCompany() })
    harness.moveTime(40 * 86_400_000)
    await yodleeConnector.disconnect?.(harness.kit, grant.credentials)
    expect(harness.simulator.providerAccounts().map(({ id }) => id)).not.toContain(idOf(grant))
    await expect(yodleeConnector.disconnect?.(harness.kit, grant.credentials)).resolves.toBeUndefined()
  })

  test('the directory has the supported banks of both countries', async () => {
    const { institutions = [], next } = (await yodleeConnector.listInstitutions?.(harness.kit, null)) ?? {}
    expect([institutions.length, next]).toEqual([38, null])
    expect(new Set(institutions.map(({ countries }) => countries.join()))).toEqual(new Set(['CA', 'US']))
  })

  test('the most popular banks of the operator’s users are in Yodlee’s own order', async () => {
    expect(await yodleeConnector.listPopularInstitutions?.(harness.kit)).toEqual([String(CAISSE), String(DAG_BANK)])
  })

  test('a directory of several pages is read to its end', async () => {
    const big = await openHarness({ institutionCount: 1_200 })
    try {
      const first = await yodleeConnector.listInstitutions?.(big.kit, null)
      const second = await yodleeConnector.listInstitutions?.(big.kit, first?.next ?? null)
      const third = await yodleeConnector.listInstitutions?.(big.kit, second?.next ?? null)
      const pages = [first, second, third].map((page) => page?.institutions.length ?? 0)
      expect([pages.reduce((sum, count) => sum + count, 0), third?.next]).toEqual([1_198, null])
    } finally {
      await big.close()
    }
  })
})
