import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { finicity } from '../../../src/connectors/finicity/index.ts'
import { keepSubscribed, webhookUrlOf } from '../../../src/sync/sources/subscribe.ts'
import { type Door, openDoor } from '../../hooks/stage.ts'
import { accountWithRole, link, type Stage, setStage, startLink, walkLink } from './stage.ts'

let stage: Stage
let door: Door

beforeAll(async () => {
  stage = await setStage({ historyDays: 3, app: { txPush: 'yes' } })
  door = await openDoor({ finicity: stage.kit })
})
beforeEach(async () => {
  await door.sync.database.query('delete from jobs')
})
afterAll(async () => {
  await door.close()
  await stage.close()
})

const listKinds = async () => (await door.sync.database.query('select kind from jobs')).rows.map(({ kind }: { kind: string }) => kind)

describe('the door for Finicity’s webhooks', () => {
  test('after a sync TxPUSH is asked for; our address says the code back, and a notice queues a reading', async () => {
    const { credentials, reference = '' } = await link(stage)
    const connectionId = await door.addConnection({ connectorKey: 'finicity', reference, credentials: { ...credentials, expiresAt: null } })
    await keepSubscribed(door.sync, { instanceId: door.instanceId, connectionId })
    stage.simulator.push(accountWithRole(stage, { credentials, entity: { id: '', name: '' } }, 'card'))
    await stage.simulator.webhooksSettled()
    expect(stage.simulator.verified.length).toBeGreaterThan(10)
    expect(await door.listJobs()).toEqual([expect.objectContaining({ connectionId, reason: 'hint' })])
  })

  test('a finished session queues its completion', async () => {
    const { url } = await startLink(stage, { webhookUrl: webhookUrlOf(door.sync, finicity) })
    await walkLink(url)
    await stage.simulator.webhooksSettled()
    expect(await listKinds()).toContain('complete')
  })

  test.each([
    ['without the secret', () => `${door.hookUrl('finicity')}?txpush_verify_code=abc`, 404],
    ['with a code that is no code', () => `${webhookUrlOf(door.sync, finicity)}?txpush_verify_code=%3Cb%3E`, 401],
    ['without a code', () => webhookUrlOf(door.sync, finicity), 401],
  ])('a request to say a code back %s is refused', async (_what, url, status) => {
    const response = await fetch(url())
    expect([response.status, (await response.text()).includes('<b>')]).toEqual([status, false])
  })
})
