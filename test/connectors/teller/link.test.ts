import { describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { tellerConnector } from '../../../src/connectors/teller/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { completeLink, startWidget } from '../../harness/redirect.ts'
import { BANK, link, openHarness, share } from './harness.ts'

const open = closedAfterEach((options: Parameters<typeof openHarness>[0] = {}) => openHarness({ institutionCount: 10, ...options }))

describe('a link by Teller Connect', () => {
  test('returns the enrollment with the bank that the owner selected', async () => {
    const harness = await open()
    const grant = await link(harness)
    expect(grant).toMatchObject({
      entity: { id: BANK, name: 'Peña Valley Bank' },
      institution: { id: BANK },
      credentials: { expiresAt: null },
    })
    expect(grant.reference).toBe(harness.simulator.enrollments()[0]?.id)
  })

  test('gives the page the bank, a nonce and the application, and no key of the operator', async () => {
    const harness = await open({ app: { certificate: 'PEM-1', privateKey: 'PEM-2' } })
    const { widget } = await startWidget(harness)
    expect(Object.keys(widget.params).sort()).toEqual(['applicationId', 'environment', 'institution', 'nonce'])
    expect(widget.script).toBe(`${harness.url}/connect/connect.js`)
    expect(JSON.stringify(widget)).not.toMatch(/PEM-|webhook-canary/)
  })

  test.each([
    ['another token', { accessToken: 'token_somebody_elses' }],
    ['another user', { userId: 'usr_other' }],
    ['another enrollment', { enrollmentId: 'enr_other' }],
    ['no signature', { signatures: '' }],
    ['a signature that is none', { signatures: 'bm9uc2Vuc2U= !' }],
  ])('with %s than Teller signed is refused, without any call', async (_what, changes) => {
    const harness = await open()
    const { widget, memo } = await startWidget(harness)
    const handed = await share(harness, widget)
    const asked = harness.simulator.listRequests().length
    await expect(completeLink(harness, memo, { ...handed, ...changes })).rejects.toThrow(InputRefused)
    expect(harness.simulator.listRequests()).toHaveLength(asked)
  })

  test('signed for another nonce is refused: the result of one page is valid for that page only', async () => {
    const harness = await open()
    const { widget } = await startWidget(harness)
    const handed = await share(harness, widget)
    const { memo } = await startWidget(harness)
    await expect(completeLink(harness, memo, handed)).rejects.toThrow(InputRefused)
  })

  test('accepts one of several signatures, as during a rotation of the signing key', async () => {
    const harness = await open()
    const { widget, memo } = await startWidget(harness)
    const handed = await share(harness, widget)
    expect(
      await completeLink(harness, memo, { ...handed, signatures: `${Buffer.alloc(64).toString('base64')} ${handed.signatures}` }),
    ).toHaveLength(1)
  })

  test('without a signing key trusts what the token returns, not what the browser says', async () => {
    const harness = await open({ app: { tokenSigningKey: '' } })
    const { widget, memo } = await startWidget(harness)
    const handed = await share(harness, widget)
    const [grant] = await completeLink(harness, memo, { ...handed, enrollmentId: 'enr_of_the_browser', signatures: '' })
    expect(grant?.reference).toBe(harness.simulator.enrollments()[0]?.id)
    await failureOf(completeLink(harness, memo, { ...handed, accessToken: 'token_of_nobody', signatures: '' }))
  })

  test.each([
    ['a failure', { failure: 'credentials_invalid' }],
    ['nothing', {}],
    ['a token that is none', { accessToken: 'x y' }],
  ])('with %s from the browser connects nothing and says so', async (_what, query: Record<string, string>) => {
    const harness = await open()
    const { memo } = await startWidget(harness)
    await expect(completeLink(harness, memo, query)).rejects.toThrow(InputRefused)
  })

  test('without any shared account connects nothing and says so', async () => {
    const harness = await open()
    await expect(link(harness, { accounts: 0 })).rejects.toThrow(InputRefused)
  })
})

describe('a repair', () => {
  test('repairs the same enrollment: same token, same account ids', async () => {
    const harness = await open()
    const grant = await link(harness)
    harness.simulator.disconnect(grant.reference ?? '')
    const failure = await failureOf(tellerConnector.pulls[0]?.fetch(sessionOf(harness, grant), null) ?? Promise.resolve())
    expect([failure.kind, failure.message]).toEqual(['reconnect', expect.stringContaining('enrollment.disconnected.credentials_invalid')])
    const { widget, memo } = await startWidget(harness, { reconnect: grant.credentials })
    expect(widget.params.enrollmentId).toBe(grant.reference)
    const [mended] = await completeLink(harness, memo, await share(harness, widget), grant)
    expect(mended).toEqual(grant)
    expect(harness.simulator.enrollments()).toHaveLength(1)
  })

  test('of a deleted enrollment links the same bank again', async () => {
    const harness = await open()
    const grant = await link(harness)
    await tellerConnector.disconnect?.(harness.kit, grant.credentials)
    const { institutionId: _none, ...wish } = { institutionId: undefined, reconnect: grant.credentials }
    const { widget, memo } = await startWidget(harness, wish)
    expect([widget.params.enrollmentId, widget.params.institution]).toEqual([undefined, BANK])
    const [fresh] = await completeLink(harness, memo, await share(harness, widget), grant)
    expect([fresh?.entity.id, fresh?.reference === grant.reference]).toEqual([BANK, false])
  })

  test('that ends in another enrollment is refused', async () => {
    const harness = await open({ app: { tokenSigningKey: '' } })
    const grant = await link(harness)
    const other = await startWidget(harness)
    const handed = await share(harness, other.widget)
    const { memo } = await startWidget(harness, { reconnect: grant.credentials })
    await expect(completeLink(harness, memo, handed, grant)).rejects.toThrow(InputRefused)
  })
})

describe('a disconnect', () => {
  test('deletes the enrollment at Teller, and succeeds a second time', async () => {
    const harness = await open()
    const grant = await link(harness)
    await tellerConnector.disconnect?.(harness.kit, grant.credentials)
    await tellerConnector.disconnect?.(harness.kit, grant.credentials)
    expect(harness.simulator.enrollments().map(({ isDeleted }) => isDeleted)).toEqual([true])
  })

  test('that fails at Teller is retried', async () => {
    const harness = await open()
    const grant = await link(harness)
    harness.simulator.fault('outage')
    expect((await failureOf(tellerConnector.disconnect?.(harness.kit, grant.credentials) ?? Promise.resolve())).kind).toBe('unavailable')
  })
})

test('the directory lists banks of the United States by name', async () => {
  const harness = await open()
  const page = await tellerConnector.listInstitutions?.(harness.kit, null)
  expect([page?.institutions.length, page?.next]).toEqual([10, null])
  expect(page?.institutions[0]).toEqual({ id: BANK, name: 'Peña Valley Bank', countries: ['US'], routingNumbers: [], url: null })
})
