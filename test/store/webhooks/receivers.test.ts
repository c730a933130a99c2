import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../../../src/store/db/database.ts'
import {
  clearRequests,
  deleteOldRequests,
  deleteRequestsOfCompany,
  findRequest,
  listRequests,
  type NewRequest,
  saveRequest,
} from '../../../src/store/webhooks/receiver-requests.ts'
import {
  deleteReceiver,
  findReceiver,
  findReceiverByToken,
  insertReceiver,
  isReceiverOf,
  listReceivers,
  writeBehaviour,
} from '../../../src/store/webhooks/receivers.ts'
import { insertSubscription } from '../../../src/store/webhooks/subscriptions.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { listColumn, storeTenants } from '../stored.ts'

const test = databaseForTests()
let [instanceId, otherId] = ['', '']
beforeEach(async () => {
  ;({ instanceId, otherId } = await storeTenants(test.database))
})

async function newReceiver(of = instanceId) {
  const [id, subscriptionId] = [randomUUID(), randomUUID()]
  await insertSubscription(test.database, of, subscriptionId, { event: 'RawData', callbackUrl: `https://a.example/${id}` })
  return { id, subscriptionId, tokenHash: randomBytes(32) }
}

async function store(of = instanceId) {
  const receiver = await newReceiver(of)
  await insertReceiver(test.database, of, receiver, 100)
  return receiver
}

describe('a receiver', () => {
  it('is found by its id and by its token, with the event and the address of its subscription', async () => {
    const { database } = test
    const { id, subscriptionId, tokenHash } = await store()
    const found = {
      ...{ instanceId, id, subscriptionId, event: 'RawData', callbackUrl: `https://a.example/${id}`, behaviour: 'accept' },
      createdAt: expect.any(Date),
    }
    expect(await findReceiver(database, instanceId, id)).toEqual(found)
    expect(await findReceiverByToken(database, [randomBytes(32), tokenHash])).toEqual(found)
    expect([await findReceiverByToken(database, [randomBytes(32)]), await findReceiver(database, otherId, id)]).toEqual([null, null])
    const scope = { instanceId, subscriptionId }
    expect([
      await isReceiverOf(database, scope, [randomBytes(32), tokenHash]),
      await isReceiverOf(database, scope, [randomBytes(32)]),
      await isReceiverOf(database, { ...scope, instanceId: otherId }, [tokenHash]),
      await isReceiverOf(database, { ...scope, subscriptionId: randomUUID() }, [tokenHash]),
    ]).toEqual([true, false, false, false])
  })

  it('is stored while the instance has fewer than the limit', async () => {
    const { database } = test
    const [first, second, third, foreign] = [await newReceiver(), await newReceiver(), await newReceiver(), await newReceiver(otherId)]
    expect([
      await insertReceiver(database, instanceId, first, 0),
      await insertReceiver(database, instanceId, first, 2),
      await insertReceiver(database, instanceId, second, 2),
      await insertReceiver(database, instanceId, third, 2),
      await insertReceiver(database, otherId, foreign, 1),
    ]).toEqual([false, true, true, false, true])
    expect((await listReceivers(database, instanceId)).map(({ id }) => id)).toEqual([first.id, second.id])
  })

  it('changes its behaviour and is deleted in its instance only; the subscription stays', async () => {
    const { database } = test
    const { id, subscriptionId } = await store()
    await writeBehaviour(database, otherId, id, 'gone')
    expect((await findReceiver(database, instanceId, id))?.behaviour).toBe('accept')
    await writeBehaviour(database, instanceId, id, 'slow')
    expect((await findReceiver(database, instanceId, id))?.behaviour).toBe('slow')
    await deleteReceiver(database, otherId, id)
    expect(await listReceivers(database, instanceId)).toHaveLength(1)
    await deleteReceiver(database, instanceId, id)
    expect(await listReceivers(database, instanceId)).toEqual([])
    expect(await listColumn(database, 'subscriptions', 'id', instanceId)).toEqual([subscriptionId])
  })
})

describe('a request to a receiver', () => {
  const newRequest = (text: string, more: Partial<NewRequest> = {}): NewRequest => ({
    ...{ id: randomUUID(), headers: { 'webhook-id': text }, body: Buffer.from(text), answered: 200 },
    ...{ checks: { timestamp: true, headers: false, body: true }, ...more },
  })
  const roomy = { requests: 10, bytes: 1_000 }
  let key = { instanceId: '', receiverId: '' }
  const save = (request: NewRequest, most = roomy, of = key) => inTransaction(test.database, (db) => saveRequest(db, of, request, most))
  const texts = async (of = key) => (await listRequests(test.database, of)).map(({ headers }) => headers['webhook-id'])
  beforeEach(async () => {
    key = { instanceId, receiverId: (await store()).id }
  })

  it('is kept as it came, newest first, and marked when it came before', async () => {
    const { database } = test
    const [first, again, other] = [newRequest('a'), newRequest('a', { answered: 503 }), newRequest('bcd')]
    for (const each of [first, again, other]) await save(each)
    const stored = ({ body, ...request }: NewRequest, isRepeat: boolean) => ({
      ...request,
      ...{ bodyBytes: body.length, isRepeat, receivedAt: expect.any(Date) },
    })
    expect(await listRequests(database, key)).toEqual([stored(other, false), stored(again, true), stored(first, false)])
    expect(await findRequest(database, key, other.id)).toEqual({ ...stored(other, false), body: other.body })
    const stranger = { ...key, instanceId: otherId }
    expect([await listRequests(database, stranger), await findRequest(database, stranger, other.id)]).toEqual([[], null])
    expect(await findRequest(database, { ...key, receiverId: randomUUID() }, other.id)).toBe(null)
  })

  it.each([
    ['the newest two', { requests: 2, bytes: 1_000 }, ['ccc', 'bbb']],
    ['as many as fit', { requests: 10, bytes: 8 }, ['ccc', 'bbb']],
    ['those that fill the bound', { requests: 10, bytes: 9 }, ['ccc', 'bbb', 'aaa']],
    ['the newest, however long it is', { requests: 10, bytes: 1 }, ['ccc']],
  ])('is stored beside %s', async (_what, most, kept) => {
    const neighbour = { instanceId, receiverId: (await store()).id }
    await save(newRequest('neighbour'), roomy, neighbour)
    for (const text of ['aaa', 'bbb']) await save(newRequest(text))
    await save(newRequest('ccc'), most)
    expect([await texts(), await texts(neighbour)]).toEqual([kept, ['neighbour']])
  })

  it('goes with the others of its receiver, of a company, or of an age', async () => {
    const { database } = test
    const [neighbour, foreign] = [
      { instanceId, receiverId: (await store()).id },
      { instanceId: otherId, receiverId: (await store(otherId)).id },
    ]
    const companyId = randomUUID()
    for (const receiver of [key, neighbour, foreign]) {
      await save(newRequest('about', { body: Buffer.from(`{"id":"${companyId}"}`) }), roomy, receiver)
      await save(newRequest('old'), roomy, receiver)
      await save(newRequest('new'), roomy, receiver)
    }
    await database.query(`update receiver_requests set received_at = now() - interval '2 days' where headers->>'webhook-id' = 'old'`)
    await deleteRequestsOfCompany(database, instanceId, companyId.toUpperCase())
    expect([await texts(), await texts(neighbour), await texts(foreign)]).toEqual([
      ['new', 'old'],
      ['new', 'old'],
      ['new', 'about', 'old'],
    ])
    await deleteOldRequests(database, instanceId, 2)
    await deleteOldRequests(database, otherId, 3)
    expect([await texts(), await texts(neighbour), await texts(foreign)]).toEqual([['new'], ['new'], ['new', 'about', 'old']])
    await clearRequests(database, { ...key, instanceId: otherId })
    expect(await texts()).toEqual(['new'])
    await clearRequests(database, key)
    expect([await texts(), await texts(neighbour)]).toEqual([[], ['new']])
  })
})
