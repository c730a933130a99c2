import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoadedPage, Owner } from '../connect/kit/owner.ts'
import { decideAtIntuit } from '../connect/kit/quickbooks-owner.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { uploadStatement } from '../journey/http-walks.ts'
import { findFreePort, type Service, startService } from '../process/service.ts'

const BAKERY = '4620816365200000101'

describe('the service killed during an owner’s actions, and restarted', () => {
  const folder = folderForTests()
  let service: Service
  let client: Client
  /** An owner whose browser is at the source during the kill. */
  let away: { owner: Owner; companyId: string; back: string }
  /** An owner whose request was in flight. */
  let sending: { owner: Owner; companyId: string; form: LoadedPage }
  /** An owner who has just withdrawn. */
  let leaving: { owner: Owner; companyId: string; form: LoadedPage; receipt: LoadedPage }

  beforeAll(async () => {
    const port = await findFreePort()
    service = await startService({ dataDir: folder.path, port })
    client = await Client.logIn(service)
    const { baseUrl } = service
    const files = (await client.service('Bank files')).id
    const books = (await client.service('QuickBooks Online')).id

    const withdrawn = await client.addCompany('Boulangerie du départ')
    const done = await uploadStatement(baseUrl, await client.link(withdrawn, files))
    const connection = await client.connectionInStatus(withdrawn, [19])
    const owner = new Owner(baseUrl)
    await owner.get(done.linkTo('See, pause or withdraw'))
    const form = await owner.get(`/connect/yours/withdraw?connection=${connection.sessionId}`)

    away = { owner: new Owner(baseUrl), companyId: await client.addCompany('Boulangerie au loin'), back: '' }
    const consent = await away.owner.submit(await away.owner.agree(await client.link(away.companyId, books)))
    away.back = await decideAtIntuit(consent, BAKERY)

    const hasty = new Owner(baseUrl)
    const companyId = await client.addCompany('Boulangerie coupée')
    sending = { owner: hasty, companyId, form: await hasty.agree(await client.link(companyId, files)) }

    const cut = hasty.upload(sending.form, [{ name: 'a.ofx', bytes: 'nothing yet' }]).catch(() => null)
    leaving = { owner, companyId: withdrawn, form, receipt: await owner.submit(form) }
    await service.kill()
    await cut
    service = await startService({ dataDir: folder.path, port })
  })
  afterAll(async () => {
    await service?.stop()
  })

  const connectionsOf = async (companyId: string): Promise<unknown[]> => {
    const { body } = await client.ask(`/normalized-data/company/${companyId}/data-connection/statuses`)
    return (JSON.parse(body) as { data: unknown[] }).data
  }

  it('lets an owner return from the source, once', async () => {
    const page = await away.owner.get(away.back)
    const again = await away.owner.get(away.back)
    expect([page.title, again.address.split('?')[0]]).toEqual(['You are connected', '/connect/done'])
    expect(await connectionsOf(away.companyId)).toHaveLength(1)
  })

  it('lets an owner whose connection broke send the same form again', async () => {
    const link = await sending.owner.get('/connect/source')
    expect([link.status, link.address]).toEqual([200, '/connect/source'])
    const again = await sending.owner.upload(sending.form, [{ name: 'a.ofx', bytes: 'still nothing' }])
    expect([again.status, again.title]).toEqual([422, 'Upload your bank statements'])
    expect(await connectionsOf(sending.companyId)).toHaveLength(1)
  })

  it('keeps a withdrawal, with one receipt, and reports it', async () => {
    const again = await leaving.owner.submit(leaving.form)
    expect([again.title, again.address]).toEqual(['Your permission has been withdrawn', leaving.receipt.address])
    const connection = await client.connectionInStatus(leaving.companyId, [26])
    expect((await client.ask(`/normalized-data/${leaving.companyId}/banking/accounts/${connection.serviceId}`)).status).toBe(404)
    const { data } = JSON.parse((await client.ask('/normalized-data/receipts')).body) as { data: { companyId: string; signed: string }[] }
    expect(data.map(({ companyId }) => companyId)).toEqual([leaving.companyId])
  })
})
