import { beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openSignInHarness } from './harness.ts'

const signIns = openForTests(openSignInHarness)

beforeAll(async () => {
  await signIns.configure()
})

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const typed = { typ: 'logout+jwt' }
const claims = (): Record<string, unknown> => ({
  ...{ iss: signIns.provider.url, aud: 'countinghouse', iat: signIns.provider.seconds, exp: signIns.provider.seconds + 120 },
  ...{ jti: crypto.randomUUID(), sub: 'person-1', events: { [EVENT]: {} } },
})
/** Status, and the reason of a refusal. */
async function send(token: string): Promise<string> {
  const answer = await signIns.app.inject({
    method: 'POST',
    url: `/sign-in/${signIns.instanceId}/logout`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ logout_token: token }).toString(),
  })
  return answer.statusCode === 200 ? '200' : `${answer.statusCode} ${answer.json().error_description ?? answer.json().error}`
}

describe('a logout token', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['without an id', { jti: undefined }, 'the token is not valid'],
    ['without a time', { iat: undefined }, 'the token is not valid'],
    ['without events', { events: undefined }, 'the token is not valid'],
    ['about nobody', { sub: undefined }, 'jti, and sub or sid, are needed'],
    ['about a session that is no text', { sub: undefined, sid: 7 }, 'jti, and sub or sid, are needed'],
    ['with a nonce', { nonce: 'n' }, 'nonce must not be there'],
    ['with an empty nonce', { nonce: '' }, 'nonce must not be there'],
    ['whose events are a text', { events: EVENT }, 'events names no logout'],
    ['whose events are null', { events: null }, 'events names no logout'],
    ['with another event', { events: { other: {} } }, 'events names no logout'],
    ['whose event is null', { events: { [EVENT]: null } }, 'events names no logout'],
    ['whose event is a text', { events: { [EVENT]: 'yes' } }, 'events names no logout'],
  ])('%s is refused with the reason', async (_name, change, reason) => {
    expect(await send(await signIns.provider.sign({ ...claims(), ...change }, typed))).toBe(`400 ${reason}`)
  })

  it.each([
    ['of 300 seconds and a clock that is 60 off', { iat: -360 }, '200'],
    ['of a second more', { iat: -361 }, '400 the token is not valid'],
    ['of a minute in the future', { iat: 60 }, '200'],
    ['of a second more in the future', { iat: 61 }, '400 the token is not valid'],
    ['that ended 59 seconds ago', { exp: -59 }, '200'],
    ['that ended 60 seconds ago', { exp: -60 }, '400 the token is not valid'],
  ])('%s gets its answer', async (_name, times, expected) => {
    const moved = Object.entries(times).map(([name, seconds]) => [name, signIns.provider.seconds + seconds])
    expect(await send(await signIns.provider.sign({ ...claims(), ...Object.fromEntries(moved) }, typed))).toBe(expected)
  })

  it.each(['at+jwt', 'id_token', ''])('of the type “%s” is refused', async (typ) => {
    expect(await send(await signIns.provider.sign(claims(), { typ }))).toBe('400 typ is not logout+jwt')
  })

  it('is refused when its id was used before', async () => {
    const token = await signIns.provider.sign(claims(), typed)
    expect([await send(token), await send(token)]).toEqual(['200', '400 jti was used before'])
  })

  it('has 16 KiB at most', async () => {
    const empty = await signIns.provider.sign({ ...claims(), more: '' }, typed)
    const of = async (length: number) => await signIns.provider.sign({ ...claims(), more: 'a'.repeat(length) }, typed)
    // Base64 makes four characters of three bytes.
    const most = Math.floor(((16_384 - empty.length) * 3) / 4)
    const [fits, exceeds] = [await of(most), await of(most + 2)]
    expect([fits.length, exceeds.length]).toEqual([16_384, expect.toSatisfy((length) => length > 16_384 && length < 16_390)])
    expect([await send(fits), await send(exceeds)]).toEqual(['200', '400 the token is too long'])
  })

  it.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'])(
    'may be signed with %s',
    async (algorithm) => {
      await signIns.provider.rotateKeys(algorithm)
      await signIns.configure()
      expect(await send(await signIns.provider.sign(claims(), typed))).toBe('200')
    },
  )

  it('waits while the provider names no keys', async () => {
    signIns.provider.metadata = { jwks_uri: undefined }
    await signIns.configure()
    expect(await send(await signIns.provider.sign(claims(), typed))).toBe('503 temporarily_unavailable')
    signIns.provider.metadata = {}
  })

  it('of an instance without a provider is refused', async () => {
    const token = await signIns.provider.sign(claims(), typed)
    await signIns.api.deps.database.query('delete from identity_providers')
    expect(await send(token)).toBe('400 there is no such client')
  })
})
