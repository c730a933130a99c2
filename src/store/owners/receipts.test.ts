import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { addCompany, addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import {
  findReceipt,
  findReceiptOf,
  listReceiptsOfConnections,
  lockReceiptsOfConnection,
  type Receipt,
  replaceSigned,
  saveReceipt,
} from './receipts.ts'

const AT = new Date('2026-11-20T12:00:00Z')

const test = databaseForTests()

describe('receipts', () => {
  it('are found by id, connection and company, and are signed anew once the outcome is known', async () => {
    const { database } = test
    const [instanceId, otherId] = [await addInstance(database), await addInstance(database)]
    const companyId = await addCompany(database, instanceId)
    const connectionId = randomUUID()
    const receipt = (kind: Receipt['kind'], minutes: number): Receipt => ({
      ...{ instanceId, id: randomUUID(), companyId, connectionId, kind, serviceName: 'Bank', signed: `signed ${kind}` },
      issuedAt: new Date(AT.getTime() + minutes * 60_000),
    })
    const [first, second] = [receipt('withdrawal', 0), receipt('deletion', 1)]
    for (const each of [second, first]) await saveReceipt(database, each)
    await expect(saveReceipt(database, { ...first, id: randomUUID() })).rejects.toThrow('duplicate key')
    expect([
      await findReceipt(database, instanceId, first.id),
      await findReceiptOf(database, instanceId, connectionId, 'deletion'),
    ]).toEqual([first, second])
    expect([await findReceipt(database, otherId, first.id), await findReceiptOf(database, instanceId, randomUUID(), 'deletion')]).toEqual([
      null,
      null,
    ])
    expect(await lockReceiptsOfConnection(database, instanceId, connectionId)).toEqual([first, second])
    const listed = ({ id, kind }: Receipt) => ({ id, connectionId, kind })
    const ofConnections = async (instance: string, ids: string[]) => await listReceiptsOfConnections(database, instance, ids)
    expect([await ofConnections(instanceId, [randomUUID(), connectionId]), await ofConnections(instanceId, [])]).toEqual([
      [listed(second), listed(first)],
      [],
    ])
    expect(await ofConnections(otherId, [connectionId])).toEqual([])
    await replaceSigned(database, first, 'complete')
    expect(await findReceipt(database, instanceId, first.id)).toEqual({ ...first, signed: 'complete' })
  })
})
