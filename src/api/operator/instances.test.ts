import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bareAccess } from '../../../test/harness/app/bare-access.ts'
import { failsWith } from '../../../test/harness/app/bare-operators.ts'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { listAudit } from '../../store/access/audit.ts'
import { findInstanceState, type InstanceState } from '../../store/access/instances.ts'
import { SYSTEM_INSTANCE_ID } from '../../sync/context/system-instance.ts'
import {
  addInstance,
  allowPasswords,
  changeQuotas,
  erase,
  getInstance,
  type InstanceContext,
  rename,
  resume,
  suspend,
} from './instances.ts'
import { resetTwoStepOf } from './two-step-reset.ts'

const PUBLIC_URL = 'https://data.example.com'
const HOUR = 3_600_000

const bare = openForTests(() => bareAccess())
const context = (): InstanceContext => {
  const { keys, hashes, now, hashing } = bare.access
  return { keys, hashes, now, hashing, database: bare.database, publicUrl: PUBLIC_URL }
}
const admin = () => ({ email: `${randomUUID()}@example.com`, name: 'Avery' })
const make = async (name = 'Maple') => (await addInstance(context(), { id: randomUUID(), name, kind: 'live', admin: admin() })).instance

/** Newest entries about an instance in its own chain and in that of the deployment, oldest first. */
async function entriesOf({ id }: Pick<InstanceState, 'id'>) {
  const of = async (chain: string) =>
    (await listAudit(bare.database, chain, 100))
      .map(({ entry: { action, subject, before, after } }) => ({ action, subject, before, after }))
      .filter(({ subject }) => subject === `instance/${id}`)
      .toReversed()
  return { own: await of(id), deployment: await of(SYSTEM_INSTANCE_ID) }
}

/** Entries of one change, which both chains have. */
async function entriesAfter(instance: InstanceState, act: () => Promise<unknown>) {
  const before = await entriesOf(instance)
  await act()
  const after = await entriesOf(instance)
  const own = after.own.slice(before.own.length)
  expect(after.deployment.slice(before.deployment.length)).toEqual(own)
  return own.map(({ action, before: from, after: to }) => [action, from, to])
}

describe('an instance that an operator adds', () => {
  it('has the trimmed name, an administrator, and a link for three days', async () => {
    const id = randomUUID()
    const { email } = admin()
    const { instance, link } = await addInstance(context(), { id, name: ' Maple ', kind: 'test', admin: { email, name: ' Avery ' } })
    expect(instance).toEqual({ id, name: 'Maple', kind: 'test', requiresTwoStep: false, createdOn: expect.any(Date), suspension: null })
    expect(link).toEqual({
      email,
      address: expect.stringMatching(/^https:\/\/data\.example\.com\/portal\/new-password#[\w-]{43}$/),
      expiresAt: new Date(bare.access.now().getTime() + 72 * HOUR),
    })
    const { rows } = await bare.database.query('select name, role from users where instance_id = $1', [id])
    expect(rows).toEqual([{ name: 'Avery', role: 'admin' }])
    expect((await entriesOf(instance)).deployment).toMatchObject([{ action: 'instance.created', after: { name: 'Maple', kind: 'test' } }])
  })

  it('once more, after a lost answer, is the same with another link, unless its administrator has another address since', async () => {
    const wanted = { id: randomUUID(), name: 'Maple', kind: 'live' as const, admin: admin() }
    const first = await addInstance(context(), wanted)
    const again = await addInstance(context(), { ...wanted, name: 'Birch', kind: 'test' })
    expect(again.instance).toEqual(first.instance)
    expect(again.link.address).not.toBe(first.link.address)
    expect((await entriesOf(first.instance)).own).toHaveLength(1)
    const moved = failsWith(409, 'The instance was made, and its first administrator has another address since.')
    await expect(addInstance(context(), { ...wanted, admin: admin() })).rejects.toEqual(moved)
    const elsewhere = admin()
    await addInstance(context(), { ...wanted, id: randomUUID(), admin: elsewhere })
    await expect(addInstance(context(), { ...wanted, admin: elsewhere })).rejects.toEqual(moved)
  })

  it('with the address of somebody else is not made', async () => {
    const [taken, id] = [admin(), randomUUID()]
    await addInstance(context(), { id: randomUUID(), name: 'Maple', kind: 'live', admin: taken })
    await expect(addInstance(context(), { id, name: 'Birch', kind: 'live', admin: taken })).rejects.toEqual(failsWith(409))
    expect(await findInstanceState(bare.database, id)).toBeNull()
  })
})

describe('a change of an instance is in both audit logs, and no other instance has it', () => {
  it('of its name', async () => {
    const [instance, neighbour] = [await make(), await make()]
    const entries = await entriesAfter(instance, async () => {
      expect(await rename(context(), instance.id, ' Birch ')).toEqual({ ...instance, name: 'Birch' })
    })
    expect(entries).toEqual([['instance.renamed', { name: 'Maple' }, { name: 'Birch' }]])
    expect(await getInstance(bare.database, neighbour.id)).toEqual(neighbour)
  })

  it('that suspends it, and that resumes it, with the trimmed reason; each is refused a second time', async () => {
    const [instance, neighbour] = [await make(), await make()]
    const entries = await entriesAfter(instance, async () => {
      const suspended = await suspend(context(), instance.id, ' unpaid ')
      expect(suspended.suspension).toEqual({ since: expect.any(Date), reason: 'unpaid' })
      await expect(suspend(context(), instance.id, 'again')).rejects.toEqual(failsWith(409, 'The instance is suspended already.'))
      expect((await getInstance(bare.database, instance.id)).suspension?.reason).toBe('unpaid')
      expect(await resume(context(), instance.id)).toEqual(instance)
      await expect(resume(context(), instance.id)).rejects.toEqual(failsWith(409, 'The instance is not suspended.'))
    })
    expect(entries).toEqual([
      ['instance.suspended', undefined, { reason: 'unpaid' }],
      ['instance.resumed', { reason: 'unpaid' }, undefined],
    ])
    expect(await getInstance(bare.database, neighbour.id)).toEqual(neighbour)
  })

  it('of its bounds', async () => {
    const instance = await make()
    const entries = await entriesAfter(instance, async () => {
      await changeQuotas(context(), instance.id, { companies: 5 })
      await changeQuotas(context(), instance.id, { companies: null, uploads: 3 })
    })
    expect(entries.map(([action, from, to]) => [action, from ?? {}, to ?? {}])).toEqual([
      ['instance.quotas-changed', expect.not.objectContaining({ companies: 5 }), expect.objectContaining({ companies: 5 })],
      ['instance.quotas-changed', expect.objectContaining({ companies: 5 }), expect.objectContaining({ uploads: 3 })],
    ])
  })

  it('that begins its erasure, once and with its very name; it is not resumed then', async () => {
    const instance = await make('Maple')
    await suspend(context(), instance.id, 'unpaid')
    const entries = await entriesAfter(instance, async () => {
      for (const name of ['maple', 'Maple ', ''])
        await expect(erase(context(), instance.id, name)).rejects.toEqual(
          expect.objectContaining({ status: 400, fields: [{ field: 'name', message: 'is not the name of the instance' }] }),
        )
      expect(await erase(context(), instance.id, 'Maple')).toMatchObject({ instanceId: instance.id, name: 'Maple', completedAt: null })
      await expect(erase(context(), instance.id, 'Maple')).rejects.toEqual(failsWith(409, 'The instance is being erased.'))
      await expect(resume(context(), instance.id)).rejects.toEqual(failsWith(409, 'The instance is being erased.'))
    })
    expect(entries).toEqual([['instance.erasure-requested', undefined, undefined]])
    expect((await getInstance(bare.database, instance.id)).suspension).not.toBeNull()
  })

  it('that lets passwords work again', async () => {
    const instance = await make()
    await expect(allowPasswords(context(), instance.id)).rejects.toEqual(failsWith(409, 'Passwords work in this instance.'))
    await bare.database.query(
      `insert into identity_providers values ($1, gen_random_uuid(), 'https://login.example.com', 'app', 'sealed', '{openid}', '{}', null, '{}', false, false,
         null, '{}', '{}', true, null, gen_random_uuid(), now())`,
      [instance.id],
    )
    const entries = await entriesAfter(instance, async () => {
      expect(await allowPasswords(context(), instance.id)).toEqual(instance)
    })
    expect(entries).toEqual([['instance.passwords-allowed', undefined, undefined]])
  })
})

describe('the second step of a user', () => {
  /** A user with a second step. */
  async function userWith(email: string): Promise<{ id: string; instanceId: string }> {
    const { id: instanceId } = await make()
    await bare.database.query(
      `insert into users (instance_id, id, email, name, role, password_hash, created_at, updated_at) values ($1, $2, $3, 'Kim', 'viewer', 'x', now(), now())`,
      [instanceId, randomUUID(), email],
    )
    const { rows } = await bare.database.query<{ id: string }>('select id from users where email = $1', [email])
    const id = rows[0]?.id ?? ''
    await bare.database.query(
      `insert into two_steps (instance_id, user_id, secret, started_at, confirmed_at) values ($1, $2, 'sealed', now(), now())`,
      [instanceId, id],
    )
    return { id, instanceId }
  }

  it('is taken from a user of the instance, once, with an entry in both audit logs', async () => {
    const email = `${randomUUID()}@example.com`
    const { id, instanceId } = await userWith(email)
    const { id: neighbour } = await make()
    await expect(resetTwoStepOf(bare.access, neighbour, email)).rejects.toEqual(failsWith(404, 'No such user.'))
    await expect(resetTwoStepOf(bare.access, instanceId, 'nobody@example.com')).rejects.toEqual(failsWith(404, 'No such user.'))
    await resetTwoStepOf(bare.access, instanceId, ` ${email.toUpperCase()} `)
    await expect(resetTwoStepOf(bare.access, instanceId, email)).rejects.toEqual(failsWith(409, 'The user has no two-step login.'))
    for (const chain of [instanceId, SYSTEM_INSTANCE_ID]) {
      const entries = (await listAudit(bare.database, chain, 100)).filter(({ entry }) => entry.subject === `user/${id}`)
      expect(entries.map(({ entry }) => entry.action)).toEqual(['user.two-step-reset'])
    }
  })
})

it('workers hear that an instance is resumed', async () => {
  const instance = await make()
  await suspend(context(), instance.id, 'unpaid')
  const listener = await (bare.database.sessions ?? bare.database).connect()
  const heard: string[] = []
  listener.on('notification', ({ channel }) => heard.push(channel))
  await listener.query('listen jobs')
  await resume(context(), instance.id)
  await listener.query('select 1')
  listener.release(true)
  expect(heard).toEqual(['jobs'])
})

it.each<[string, (id: string) => Promise<unknown>]>([
  ['a look', (id) => getInstance(bare.database, id)],
  ['a new name', (id) => rename(context(), id, 'Birch')],
  ['a suspension', (id) => suspend(context(), id, 'unpaid')],
  ['its end', (id) => resume(context(), id)],
  ['an erasure', (id) => erase(context(), id, 'Maple')],
  ['bounds', (id) => changeQuotas(context(), id, { companies: 5 })],
  ['passwords', (id) => allowPasswords(context(), id)],
])('an instance that is not there gets a 404: %s', async (_what, act) => {
  await expect(act(randomUUID())).rejects.toEqual(failsWith(404, 'No such instance.'))
})
