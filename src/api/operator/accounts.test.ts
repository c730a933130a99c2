import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bareAccess } from '../../../test/harness/app/bare-access.ts'
import { bareOperators, failsWith, MANY, PASSWORD } from '../../../test/harness/app/bare-operators.ts'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { listAudit } from '../../store/access/audit.ts'
import { findOperator } from '../../store/operators/operators.ts'
import { SYSTEM_INSTANCE_ID } from '../../sync/context/system-instance.ts'
import { hashSecret } from '../access/access.ts'
import { addOperator, getOperator, removeOperator, renewLink } from './accounts.ts'
import { type IssuedLink, issueOperatorLink, redeemOperatorLink } from './links.ts'
import { findCaller } from './sign-in.ts'

const HOUR = 3_600_000
const ISSUER = 'http://localhost:8080'
const NEW_PASSWORD = 'amber-harbour-violin-63'

const bare = openForTests(() => bareAccess({ login: MANY }))
const { make, withApp } = bareOperators(bare)

const tokenOf = ({ address }: IssuedLink) => new URL(address).hash.slice(1)
/** What the audit has about an operator, oldest first: fields whose values it does not keep, or else details. */
const auditOf = async (id: string) =>
  (await listAudit(bare.database, SYSTEM_INSTANCE_ID, 200))
    .filter(({ entry }) => entry.subject === `operator/${id}`)
    .map(({ entry: { action, withheld, details } }) => [action, withheld?.toSorted() ?? details ?? null])
    .toReversed()
const unknown = expect.objectContaining({
  status: 400,
  fields: [{ field: 'token', message: 'is unknown, was used or has run out' }],
})

describe('an operator who is added', () => {
  it('has a link for an hour that sets a password, and is in the audit', async () => {
    const id = randomUUID()
    const added = await addOperator(bare.access, { id, email: ` ${id.toUpperCase()}@Example.com `, name: ' Sam Roy ' })
    const operator = { id, email: `${id}@example.com`, name: 'Sam Roy', hasPassword: false, twoStep: false, createdOn: bare.access.now() }
    expect(added).toEqual({
      operator,
      address: expect.stringMatching(/^http:\/\/localhost:8080\/operator\/link#[\w-]{43}$/),
      expiresAt: new Date(bare.access.now().getTime() + HOUR),
    })
    expect(await getOperator(bare.database, id)).toEqual(operator)
    await redeemOperatorLink(bare.access, tokenOf(added), NEW_PASSWORD)
    expect(await getOperator(bare.database, id)).toEqual({ ...operator, hasPassword: true })
    expect(await auditOf(id)).toEqual([
      ['operator.created', expect.arrayContaining(['email', 'name'])],
      ['operator.link-issued', { resetsTwoStep: false }],
      ['operator.password-set', null],
    ])
  })

  it('once more, after a lost answer, is the same with another link, which replaces the first', async () => {
    const id = randomUUID()
    const first = await addOperator(bare.access, { id, email: `${id}@example.com`, name: 'Sam' })
    const again = await addOperator(bare.access, { id, email: 'other@example.com', name: 'Other' })
    expect(again.operator).toEqual(first.operator)
    await expect(redeemOperatorLink(bare.access, tokenOf(first), NEW_PASSWORD)).rejects.toEqual(unknown)
    await redeemOperatorLink(bare.access, tokenOf(again), NEW_PASSWORD)
    expect((await auditOf(id)).map(([action]) => action)).toEqual([
      ...['operator.created', 'operator.link-issued', 'operator.link-issued', 'operator.password-set'],
    ])
  })

  it('with an address that is taken is refused, and nothing is stored', async () => {
    const [{ email }, id] = [await make(), randomUUID()]
    await expect(addOperator(bare.access, { id, email, name: 'Sam' })).rejects.toEqual(failsWith(409, 'The e-mail address is taken.'))
    expect([await findOperator(bare.database, id), await auditOf(id)]).toEqual([null, []])
  })
})

describe('a link of an operator', () => {
  it('of the command adds the account if there is none, by its address where no name is given', async () => {
    const email = `${randomUUID()}@example.com`
    const issue = (name: string | null, address = email) =>
      issueOperatorLink({ ...bare.access, database: bare.database }, { email: address, name, resetsTwoStep: false }, ISSUER)
    const { operator } = await issue('  ', ` ${email.toUpperCase()}`)
    expect(operator).toMatchObject({ email, name: email, hasPassword: false })
    expect((await issue('Another')).operator).toMatchObject({ id: operator.id, name: email })
    expect((await auditOf(operator.id)).map(([action]) => action)).toEqual([
      'operator.created',
      'operator.link-issued',
      'operator.link-issued',
    ])
    expect((await issue(' Kim ', `${randomUUID()}@example.com`)).operator.name).toBe('Kim')
    const unnamed = `${randomUUID()}@example.com`
    const link = await issue(null, unnamed)
    expect(link.operator.name).toBe(unnamed)
    // By this kind of hash later releases find the links of earlier ones.
    const { rows } = await bare.database.query<{ hash: Buffer }>('select token_hash as hash from operator_links where operator_id = $1', [
      link.operator.id,
    ])
    expect(rows).toEqual([{ hash: Buffer.from(hashSecret(bare.access, 'operator link', tokenOf(link))) }])
  })

  it.each([
    [HOUR - 1, null],
    [HOUR, unknown],
  ])('works for an hour: after %i ms', async (ms, expected) => {
    const { id } = await make()
    const link = await renewLink(bare.access, id, false)
    bare.moveClock(ms)
    const outcome = await redeemOperatorLink(bare.access, tokenOf(link), NEW_PASSWORD).catch((error: unknown) => error)
    expect(outcome ?? null).toEqual(expected)
  })

  it('works once, and ends the sessions of the operator alone', async () => {
    const [own, other] = [await withApp(), await withApp()]
    const link = await renewLink(bare.access, own.id, false)
    await redeemOperatorLink(bare.access, tokenOf(link), NEW_PASSWORD)
    const { rows } = await bare.database.query<{ id: string }>(
      'select operator_id as id from operator_sessions where operator_id = any($1)',
      [[own.id, other.id]],
    )
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([other.id]))
    await expect(redeemOperatorLink(bare.access, tokenOf(link), PASSWORD)).rejects.toEqual(unknown)
    expect(await findCaller(bare.access, 'x'.repeat(43))).toBeNull()
  })

  it.each([
    [false, true],
    [true, false],
  ])('that resets the second step: %s — leaves it: %s', async (resetsTwoStep, twoStep) => {
    const { id } = await withApp()
    const link = await renewLink(bare.access, id, resetsTwoStep)
    expect((await getOperator(bare.database, id)).twoStep).toBe(true)
    await redeemOperatorLink(bare.access, tokenOf(link), NEW_PASSWORD)
    expect((await getOperator(bare.database, id)).twoStep).toBe(twoStep)
    expect((await auditOf(id)).at(-2)).toEqual(['operator.link-issued', { resetsTwoStep }])
  })

  it('with a bad password stays good', async () => {
    const { id } = await make()
    const link = await renewLink(bare.access, id, false)
    await expect(redeemOperatorLink(bare.access, tokenOf(link), 'short')).rejects.toEqual(
      expect.objectContaining({ status: 400, fields: [expect.objectContaining({ field: 'password' })] }),
    )
    await redeemOperatorLink(bare.access, tokenOf(link), NEW_PASSWORD)
  })

  it('is made for nobody who is not there', async () => {
    await expect(renewLink(bare.access, randomUUID(), false)).rejects.toEqual(failsWith(404, 'No such operator.'))
  })
})

describe('an operator who is removed', () => {
  it('is gone, with an entry of who it was; one who is not there gets a 404', async () => {
    const [{ id }] = [await make(), await make()]
    await removeOperator(bare.access, id)
    expect([await findOperator(bare.database, id), (await auditOf(id)).at(-1)]).toEqual([
      null,
      ['operator.deleted', expect.arrayContaining(['email', 'name'])],
    ])
    await expect(removeOperator(bare.access, id)).rejects.toEqual(failsWith(404, 'No such operator.'))
  })

  it('is not the last who can sign in', async () => {
    const { id } = await make()
    await bare.database.query('delete from operators where id <> $1', [id])
    await addOperator(bare.access, { id: randomUUID(), email: `${randomUUID()}@example.com`, name: 'Without a password' })
    const last = failsWith(409, 'A deployment keeps at least one operator who can sign in.')
    await expect(removeOperator(bare.access, id)).rejects.toEqual(last)
    expect((await getOperator(bare.database, id)).id).toBe(id)
  })
})
