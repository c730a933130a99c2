import { describe, expect, test } from 'vitest'
import { CAISSE, MX_BANK } from '../../../simulators/mx/data/institutions.ts'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import type { InstitutionPage } from '../../../src/connectors/contract/contract.ts'
import { mxConnector } from '../../../src/connectors/mx/client.ts'
import { sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { completeLink, startWidget } from '../../harness/redirect.ts'
import { API_KEY, COMPANY, link, messageIn, openHarness, run, submit, walkWidget } from './harness.ts'

describe('linking a bank through MX', () => {
  const harness = openForTests(openHarness)
  let companies = 0
  /** A company without links. */
  const newCompany = () => `company-${companies++}`

  test('the widget is a frame of MX, without its script, and contains no key', async () => {
    const { widget } = await startWidget(harness)
    expect(widget.script).toBeNull()
    expect(widget.origins).toEqual([new URL(widget.params.url ?? '').origin])
    expect(JSON.stringify(widget)).not.toContain(API_KEY)
  })

  test('the owner’s language is passed on', async () => {
    const { widget } = await startWidget(harness, { locale: 'fr-CA' })
    expect(await (await fetch(widget.params.url ?? '')).text()).toContain('Ouvrez une session chez Caisse du Plateau-Mont-Royal')
    expect(widget.params.title).toContain('Choix de l’institution')
  })

  test('a linked bank yields one connection that names it', async () => {
    const grant = await link(harness, { companyId: newCompany() })
    const entity = { id: CAISSE, name: 'Caisse du Plateau-Mont-Royal' }
    expect(grant).toMatchObject({
      entity,
      institution: entity,
      reference: expect.stringMatching(/^MBR-/),
      credentials: { expiresAt: null },
    })
  })

  test('companies have separate users, and each company has one', async () => {
    const [one, other] = [newCompany(), newCompany()]
    const users = []
    for (const companyId of [one, one, other]) users.push((await startWidget(harness, { companyId })).memo)
    const guids = users.map((memo) => JSON.stringify(memo).match(/USR-[\w-]+/)?.[0])
    expect(guids[0]).toBe(guids[1])
    expect(guids[2]).not.toBe(guids[0])
  })

  test('two concurrent authorizations create one user', async () => {
    const companyId = newCompany()
    const begun = await Promise.all([startWidget(harness, { companyId }), startWidget(harness, { companyId })])
    expect(new Set(begun.map(({ memo }) => JSON.stringify(memo).match(/USR-[\w-]+/)?.[0])).size).toBe(1)
  })

  test('the browser’s result is not trusted: a member of another company yields nothing', async () => {
    const victim = await link(harness, { companyId: newCompany() })
    const { memo } = await startWidget(harness, { companyId: newCompany() })
    await expect(completeLink(harness, memo, { member_guid: victim.reference ?? '' })).rejects.toBeInstanceOf(InputRefused)
  })

  test('an owner who leaves without signing in gets an explanation in both languages', async () => {
    const { memo } = await startWidget(harness, { companyId: newCompany() })
    const refusal = await completeLink(harness, memo).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ text: { en: expect.stringMatching(/No bank/), 'fr-CA': expect.stringMatching(/Aucune institution/) } })
  })

  test.each(['INVALID', 'challenge'])('a sign-in that ended with "%s" yields no connection', async (password) => {
    const { widget, memo } = await startWidget(harness, { companyId: newCompany() })
    await walkWidget(widget, password)
    await expect(completeLink(harness, memo)).rejects.toBeInstanceOf(InputRefused)
  })

  test('an answered question of the bank yields one', async () => {
    const { widget, memo } = await startWidget(harness, { companyId: newCompany() })
    await walkWidget(widget, 'challenge')
    await submit(widget.params.url ?? '', { code: 'wrong' })
    expect(messageIn(await submit(widget.params.url ?? '', { code: 'correct' })).member_guid).toMatch(/^MBR-/)
    expect(await completeLink(harness, memo)).toHaveLength(1)
  })

  test('an owner may also select the bank in the widget', async () => {
    const { widget, memo } = await startWidget(harness, { companyId: newCompany(), institutionId: null })
    await fetch(widget.params.url ?? '')
    await submit(widget.params.url ?? '', { institution_code: MX_BANK })
    await submit(widget.params.url ?? '', { username: 'mxuser', password: 'x' })
    expect((await completeLink(harness, memo)).map(({ entity }) => entity.name)).toEqual(['MX Bank'])
  })

  test('earlier members are not a result of this authorization', async () => {
    const companyId = newCompany()
    await link(harness, { companyId })
    const second = await link(harness, { companyId, institutionId: MX_BANK })
    expect(second.entity.id).toBe(MX_BANK)
    const { widget, memo } = await startWidget(harness, { companyId })
    await walkWidget(widget)
    expect(await completeLink(harness, memo)).toHaveLength(1)
  })

  test('the widget’s address can be opened once, within ten minutes', async () => {
    const first = (await startWidget(harness)).widget.params.url ?? ''
    expect([(await fetch(first)).status, (await fetch(first)).status]).toEqual([200, 410])
    const second = (await startWidget(harness)).widget.params.url ?? ''
    harness.moveTime(600_001)
    expect((await fetch(second)).status).toBe(410)
  })

  describe('repair', () => {
    test('shows the same member again, which keeps its guid and its accounts', async () => {
      const grant = await link(harness, { companyId: newCompany() })
      const before = (await run(sessionOf(harness, grant), 'accounts')).items
      harness.simulator.setStatus(grant.reference ?? '', 'EXPIRED')
      const { widget, memo } = await startWidget(harness, { reconnect: grant.credentials })
      await walkWidget(widget)
      const [repaired] = await completeLink(harness, memo, {}, grant)
      expect([repaired?.reference, repaired?.entity]).toEqual([grant.reference, grant.entity])
      const after = (await run(sessionOf(harness, grant), 'accounts')).items
      expect(after.map((item) => item.origId)).toEqual(before.map((item) => item.origId))
    })

    test('that was not finished is reported to the owner', async () => {
      const grant = await link(harness, { companyId: newCompany() })
      harness.simulator.setStatus(grant.reference ?? '', 'EXPIRED')
      const { memo } = await startWidget(harness, { reconnect: grant.credentials })
      const refusal = await completeLink(harness, memo, {}, grant).catch((error: unknown) => error)
      expect(refusal).toMatchObject({
        text: { en: expect.stringMatching(/not renewed/), 'fr-CA': expect.stringMatching(/pas été renouvelée/) },
      })
    })

    test('of a deleted member links the same bank again', async () => {
      const grant = await link(harness, { companyId: newCompany() })
      await mxConnector.disconnect?.(harness.kit, grant.credentials)
      const { widget, memo } = await startWidget(harness, { reconnect: grant.credentials, institutionId: null, companyId: COMPANY })
      await walkWidget(widget)
      const [renewed] = await completeLink(harness, memo, {}, grant)
      expect(renewed?.entity).toEqual(grant.entity)
      expect(renewed?.reference).not.toBe(grant.reference)
    })
  })

  test('a disconnect deletes the member at MX, once; a second one succeeds', async () => {
    const grant = await link(harness, { companyId: newCompany() })
    await mxConnector.disconnect?.(harness.kit, grant.credentials)
    expect(harness.simulator.members().map(({ guid }) => guid)).not.toContain(grant.reference)
    await expect(mxConnector.disconnect?.(harness.kit, grant.credentials)).resolves.toBeUndefined()
  })

  test('the directory has the banks of both countries, without hidden and disabled ones', async () => {
    const { institutions = [] } = (await mxConnector.listInstitutions?.(harness.kit, null)) ?? {}
    const ids = institutions.map(({ id }) => id)
    const countries = new Set(institutions.map((each) => each.countries.join()))
    expect([...countries].sort()).toEqual(['CA', 'US'])
    expect(ids).toContain(CAISSE)
    expect(ids.filter((id) => id === 'mx_retired' || id === 'mx_switched_off')).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('the client’s favorites are in MX’s own order', async () => {
    expect(await mxConnector.listPopularInstitutions?.(harness.kit)).toEqual([CAISSE, 'mxbank'])
  })

  test('a directory of several pages is read to its end', async () => {
    const big = await openHarness({ institutionCount: 350 })
    try {
      let count = 0
      let pages = 0
      for (let cursor: Parameters<NonNullable<typeof mxConnector.listInstitutions>>[1] = null; ; ) {
        const page: InstitutionPage | undefined = await mxConnector.listInstitutions?.(big.kit, cursor)
        count += page?.institutions.length ?? 0
        pages += 1
        cursor = page?.next ?? null
        if (cursor === null) break
      }
      expect([pages, count]).toEqual([4, 348])
    } finally {
      await big.close()
    }
  })
})
