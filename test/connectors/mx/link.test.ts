import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CAISSE, MX_BANK } from '../../../simulators/mx/directory.ts'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import type { InstitutionPage } from '../../../src/connectors/contract/contract.ts'
import { mxConnector } from '../../../src/connectors/mx/client.ts'
import { sessionOf } from '../../harness/asking.ts'
import { API_KEY, COMPANY, completeLink, link, messageIn, run, type Stage, setStage, startLink, submit, walkWidget } from './stage.ts'

describe('linking a bank through MX', () => {
  let stage: Stage
  let companies = 0
  beforeAll(async () => {
    stage = await setStage()
  })
  afterAll(() => stage.close())

  /** A company that nothing was linked for yet. */
  const newCompany = () => `company-${companies++}`

  test('the widget is a frame of MX’s, without a script of theirs, and nothing in it is a key', async () => {
    const { widget } = await startLink(stage)
    expect(widget.script).toBeNull()
    expect(widget.origins).toEqual([new URL(widget.params.url ?? '').origin])
    expect(JSON.stringify(widget)).not.toContain(API_KEY)
  })

  test('the owner’s language goes along', async () => {
    const { widget } = await startLink(stage, { locale: 'fr-CA' })
    expect(await (await fetch(widget.params.url ?? '')).text()).toContain('Ouvrez une session chez Caisse du Plateau-Mont-Royal')
    expect(widget.params.title).toContain('Choix de l’institution')
  })

  test('a bank that was linked gives one connection that names it', async () => {
    const grant = await link(stage, { companyId: newCompany() })
    const entity = { id: CAISSE, name: 'Caisse du Plateau-Mont-Royal' }
    expect(grant).toMatchObject({
      entity,
      institution: entity,
      reference: expect.stringMatching(/^MBR-/),
      credentials: { expiresAt: null },
    })
  })

  test('companies have users of their own, and one company has one', async () => {
    const [one, other] = [newCompany(), newCompany()]
    const users = []
    for (const companyId of [one, one, other]) users.push((await startLink(stage, { companyId })).memo)
    const guids = users.map((memo) => JSON.stringify(memo).match(/USR-[\w-]+/)?.[0])
    expect(guids[0]).toBe(guids[1])
    expect(guids[2]).not.toBe(guids[0])
  })

  test('two authorizations that start at once make one user', async () => {
    const companyId = newCompany()
    const begun = await Promise.all([startLink(stage, { companyId }), startLink(stage, { companyId })])
    expect(new Set(begun.map(({ memo }) => JSON.stringify(memo).match(/USR-[\w-]+/)?.[0])).size).toBe(1)
  })

  test('what the browser hands over is not believed: a member of another company gives nothing', async () => {
    const victim = await link(stage, { companyId: newCompany() })
    const { memo } = await startLink(stage, { companyId: newCompany() })
    await expect(completeLink(stage, memo, { member_guid: victim.reference ?? '' })).rejects.toBeInstanceOf(InputRefused)
  })

  test('an owner who leaves without signing in is told so in both languages', async () => {
    const { memo } = await startLink(stage, { companyId: newCompany() })
    const refusal = await completeLink(stage, memo).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ text: { en: expect.stringMatching(/No bank/), 'fr-CA': expect.stringMatching(/Aucune institution/) } })
  })

  test.each(['INVALID', 'challenge'])('a sign-in that ended at "%s" gives no connection', async (password) => {
    const { widget, memo } = await startLink(stage, { companyId: newCompany() })
    await walkWidget(widget, password)
    await expect(completeLink(stage, memo)).rejects.toBeInstanceOf(InputRefused)
  })

  test('a question of the bank that was answered gives one', async () => {
    const { widget, memo } = await startLink(stage, { companyId: newCompany() })
    await walkWidget(widget, 'challenge')
    await submit(widget.params.url ?? '', { code: 'wrong' })
    expect(messageIn(await submit(widget.params.url ?? '', { code: 'correct' })).member_guid).toMatch(/^MBR-/)
    expect(await completeLink(stage, memo)).toHaveLength(1)
  })

  test('an owner who chooses the bank in the widget is served too', async () => {
    const { widget, memo } = await startLink(stage, { companyId: newCompany(), institutionId: null })
    await fetch(widget.params.url ?? '')
    await submit(widget.params.url ?? '', { institution_code: MX_BANK })
    await submit(widget.params.url ?? '', { username: 'mxuser', password: 'x' })
    expect((await completeLink(stage, memo)).map(({ entity }) => entity.name)).toEqual(['MX Bank'])
  })

  test('members of before are no result of this authorization', async () => {
    const companyId = newCompany()
    await link(stage, { companyId })
    const second = await link(stage, { companyId, institutionId: MX_BANK })
    expect(second.entity.id).toBe(MX_BANK)
    const { widget, memo } = await startLink(stage, { companyId })
    await walkWidget(widget)
    expect(await completeLink(stage, memo)).toHaveLength(1)
  })

  test('the address of the widget is good once, and for ten minutes', async () => {
    const first = (await startLink(stage)).widget.params.url ?? ''
    expect([(await fetch(first)).status, (await fetch(first)).status]).toEqual([200, 410])
    const second = (await startLink(stage)).widget.params.url ?? ''
    stage.moveTime(600_001)
    expect((await fetch(second)).status).toBe(410)
  })

  describe('repair', () => {
    test('shows the same member again, which keeps its guid and its accounts', async () => {
      const grant = await link(stage, { companyId: newCompany() })
      const before = (await run(sessionOf(stage, grant), 'accounts')).items
      stage.simulator.setStatus(grant.reference ?? '', 'EXPIRED')
      const { widget, memo } = await startLink(stage, { reconnect: grant.credentials })
      await walkWidget(widget)
      const [repaired] = await completeLink(stage, memo, {}, grant)
      expect([repaired?.reference, repaired?.entity]).toEqual([grant.reference, grant.entity])
      const after = (await run(sessionOf(stage, grant), 'accounts')).items
      expect(after.map((item) => item.origId)).toEqual(before.map((item) => item.origId))
    })

    test('that was not finished is told to the owner', async () => {
      const grant = await link(stage, { companyId: newCompany() })
      stage.simulator.setStatus(grant.reference ?? '', 'EXPIRED')
      const { memo } = await startLink(stage, { reconnect: grant.credentials })
      const refusal = await completeLink(stage, memo, {}, grant).catch((error: unknown) => error)
      expect(refusal).toMatchObject({
        text: { en: expect.stringMatching(/not renewed/), 'fr-CA': expect.stringMatching(/pas été renouvelée/) },
      })
    })

    test('of a member that was deleted links the same bank anew', async () => {
      const grant = await link(stage, { companyId: newCompany() })
      await mxConnector.disconnect?.(stage.kit, grant.credentials)
      const { widget, memo } = await startLink(stage, { reconnect: grant.credentials, institutionId: null, companyId: COMPANY })
      await walkWidget(widget)
      const [anew] = await completeLink(stage, memo, {}, grant)
      expect(anew?.entity).toEqual(grant.entity)
      expect(anew?.reference).not.toBe(grant.reference)
    })
  })

  test('disconnecting deletes the member at MX, once; a second time is no failure', async () => {
    const grant = await link(stage, { companyId: newCompany() })
    await mxConnector.disconnect?.(stage.kit, grant.credentials)
    expect(stage.simulator.members().map(({ guid }) => guid)).not.toContain(grant.reference)
    await expect(mxConnector.disconnect?.(stage.kit, grant.credentials)).resolves.toBeUndefined()
  })

  test('the directory has the banks of both countries, without hidden ones and those that are switched off', async () => {
    const { institutions = [] } = (await mxConnector.listInstitutions?.(stage.kit, null)) ?? {}
    const ids = institutions.map(({ id }) => id)
    const countries = new Set(institutions.map((each) => each.countries.join()))
    expect([...countries].sort()).toEqual(['CA', 'US'])
    expect(ids).toContain(CAISSE)
    expect(ids.filter((id) => id === 'mx_retired' || id === 'mx_switched_off')).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('the client’s favourites come in MX’s own order', async () => {
    expect(await mxConnector.listPopularInstitutions?.(stage.kit)).toEqual([CAISSE, 'mxbank'])
  })

  test('a directory of several pages is read to its end', async () => {
    const big = await setStage({ institutionCount: 350 })
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
