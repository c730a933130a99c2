import { afterEach, describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { tellerConnector } from '../../../src/connectors/teller/client.ts'
import { failureOf, sessionOf } from '../../harness/asking.ts'
import { BANK, completeLink, link, type Stage, setStage, share, startLink } from './stage.ts'

const stages: Stage[] = []
afterEach(async () => {
  await Promise.all(stages.splice(0).map((each) => each.close()))
})

async function open(options: Parameters<typeof setStage>[0] = {}): Promise<Stage> {
  const stage = await setStage({ institutionCount: 10, ...options })
  stages.push(stage)
  return stage
}

describe('a link by Teller Connect', () => {
  test('gives the enrollment with the bank that the owner chose', async () => {
    const stage = await open()
    const grant = await link(stage)
    expect(grant).toMatchObject({
      entity: { id: BANK, name: 'Peña Valley Bank' },
      institution: { id: BANK },
      credentials: { expiresAt: null },
    })
    expect(grant.reference).toBe(stage.simulator.enrollments()[0]?.id)
  })

  test('tells the page the bank, a nonce and the application, and no key of the operator', async () => {
    const stage = await open({ app: { certificate: 'PEM-1', privateKey: 'PEM-2' } })
    const { widget } = await startLink(stage)
    expect(Object.keys(widget.params).sort()).toEqual(['applicationId', 'environment', 'institution', 'nonce'])
    expect(widget.script).toBe(`${stage.url}/connect/connect.js`)
    expect(JSON.stringify(widget)).not.toMatch(/PEM-|webhook-canary/)
  })

  test.each([
    ['another token', { accessToken: 'token_somebody_elses' }],
    ['another user', { userId: 'usr_other' }],
    ['another enrollment', { enrollmentId: 'enr_other' }],
    ['no signature', { signatures: '' }],
    ['a signature that is none', { signatures: 'bm9uc2Vuc2U= !' }],
  ])('with %s than Teller signed is refused, and nothing is asked with it', async (_what, changes) => {
    const stage = await open()
    const { widget, memo } = await startLink(stage)
    const handed = await share(stage, widget)
    const asked = stage.simulator.listRequests().length
    await expect(completeLink(stage, memo, { ...handed, ...changes })).rejects.toThrow(InputRefused)
    expect(stage.simulator.listRequests()).toHaveLength(asked)
  })

  test('signed for another nonce is refused: what one page handed over is good for that page only', async () => {
    const stage = await open()
    const { widget } = await startLink(stage)
    const handed = await share(stage, widget)
    const { memo } = await startLink(stage)
    await expect(completeLink(stage, memo, handed)).rejects.toThrow(InputRefused)
  })

  test('takes one of several signatures, as there are while the signing key is replaced', async () => {
    const stage = await open()
    const { widget, memo } = await startLink(stage)
    const handed = await share(stage, widget)
    expect(
      await completeLink(stage, memo, { ...handed, signatures: `${Buffer.alloc(64).toString('base64')} ${handed.signatures}` }),
    ).toHaveLength(1)
  })

  test('without a signing key believes what the token opens, not what the browser says', async () => {
    const stage = await open({ app: { tokenSigningKey: '' } })
    const { widget, memo } = await startLink(stage)
    const handed = await share(stage, widget)
    const [grant] = await completeLink(stage, memo, { ...handed, enrollmentId: 'enr_of_the_browser', signatures: '' })
    expect(grant?.reference).toBe(stage.simulator.enrollments()[0]?.id)
    await failureOf(completeLink(stage, memo, { ...handed, accessToken: 'token_of_nobody', signatures: '' }))
  })

  test.each([
    ['a failure', { failure: 'credentials_invalid' }],
    ['nothing', {}],
    ['a token that is none', { accessToken: 'x y' }],
  ])('that hands over %s connects nothing and says so', async (_what, query: Record<string, string>) => {
    const stage = await open()
    const { memo } = await startLink(stage)
    await expect(completeLink(stage, memo, query)).rejects.toThrow(InputRefused)
  })

  test('in which no account was shared connects nothing and says so', async () => {
    const stage = await open()
    await expect(link(stage, { accounts: 0 })).rejects.toThrow(InputRefused)
  })
})

describe('a repair', () => {
  test('mends the very enrollment: same token, same ids of accounts', async () => {
    const stage = await open()
    const grant = await link(stage)
    stage.simulator.disconnect(grant.reference ?? '')
    const failure = await failureOf(tellerConnector.pulls[0]?.fetch(sessionOf(stage, grant), null) ?? Promise.resolve())
    expect([failure.kind, failure.message]).toEqual(['reconnect', expect.stringContaining('enrollment.disconnected.credentials_invalid')])
    const { widget, memo } = await startLink(stage, { reconnect: grant.credentials })
    expect(widget.params.enrollmentId).toBe(grant.reference)
    const [mended] = await completeLink(stage, memo, await share(stage, widget), grant)
    expect(mended).toEqual(grant)
    expect(stage.simulator.enrollments()).toHaveLength(1)
  })

  test('of an enrollment that was deleted links the same bank anew', async () => {
    const stage = await open()
    const grant = await link(stage)
    await tellerConnector.disconnect?.(stage.kit, grant.credentials)
    const { institutionId: _none, ...wish } = { institutionId: undefined, reconnect: grant.credentials }
    const { widget, memo } = await startLink(stage, wish)
    expect([widget.params.enrollmentId, widget.params.institution]).toEqual([undefined, BANK])
    const [fresh] = await completeLink(stage, memo, await share(stage, widget), grant)
    expect([fresh?.entity.id, fresh?.reference === grant.reference]).toEqual([BANK, false])
  })

  test('that ends in another enrollment is refused', async () => {
    const stage = await open({ app: { tokenSigningKey: '' } })
    const grant = await link(stage)
    const other = await startLink(stage)
    const handed = await share(stage, other.widget)
    const { memo } = await startLink(stage, { reconnect: grant.credentials })
    await expect(completeLink(stage, memo, handed, grant)).rejects.toThrow(InputRefused)
  })
})

describe('leaving', () => {
  test('deletes the enrollment at Teller, and twice is once', async () => {
    const stage = await open()
    const grant = await link(stage)
    await tellerConnector.disconnect?.(stage.kit, grant.credentials)
    await tellerConnector.disconnect?.(stage.kit, grant.credentials)
    expect(stage.simulator.enrollments().map(({ isDeleted }) => isDeleted)).toEqual([true])
  })

  test('that fails at Teller is tried again', async () => {
    const stage = await open()
    const grant = await link(stage)
    stage.simulator.fault('outage')
    expect((await failureOf(tellerConnector.disconnect?.(stage.kit, grant.credentials) ?? Promise.resolve())).kind).toBe('unavailable')
  })
})

test('the directory lists banks of the United States by name', async () => {
  const stage = await open()
  const page = await tellerConnector.listInstitutions?.(stage.kit, null)
  expect([page?.institutions.length, page?.next]).toEqual([10, null])
  expect(page?.institutions[0]).toEqual({ id: BANK, name: 'Peña Valley Bank', countries: ['US'], routingNumbers: [], url: null })
})
