import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isUuid } from '../../model/values/uuid.ts'
import { findReceipt, type Receipt } from '../../store/owners/receipts.ts'
import type { Catalogue, Store, Vault } from '../../sync/context/groups.ts'
import { Problem } from '../http/problem.ts'
import { listReceiptKeys, type ReceiptDocument, readReceipt } from '../owner/receipts.ts'
import { type Sender, sendPage } from '../views/page.ts'
import { receiptPage, receiptText, verifyPage } from '../views/receipt.ts'
import type { Signing } from '../visit/context.ts'
import { requireOwner } from '../visit/owner-visit.ts'
import { readText } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'
import { fileHeaders } from './owner-page.ts'

const HOUR_S = 3600

/** Receipts, for the owner; and their verification, for everyone. */
export function addReceiptRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  app.get('/yours/receipt', async (request, reply) => {
    const { receipt, document } = await requireReceipt(deps, request)
    return sendPage(reply, sender, request.visitor, receiptPage(request.visitor, receipt, document))
  })

  app.get('/yours/receipt/receipt.txt', async (request, reply) => {
    const { receipt, document } = await requireReceipt(deps, request)
    const text = receiptText(request.visitor.locale, receipt, document)
    return reply
      .headers(fileHeaders(`${receipt.kind}-${receipt.id}.txt`))
      .type('text/plain; charset=utf-8')
      .send(text)
  })

  app.get('/yours/receipt/receipt.json', async (request, reply) => {
    const { receipt, document } = await requireReceipt(deps, request)
    const text = `${JSON.stringify({ ...document, signed: receipt.signed }, null, 2)}\n`
    return reply
      .headers(fileHeaders(`${receipt.kind}-${receipt.id}.json`))
      .type('application/json; charset=utf-8')
      .send(text)
  })

  app.get('/receipts/keys', async (_request, reply) => {
    reply.headers({ 'cache-control': `public, max-age=${HOUR_S}`, 'x-content-type-options': 'nosniff', 'access-control-allow-origin': '*' })
    return reply.type('application/jwk-set+json').send(JSON.stringify({ keys: await listReceiptKeys(deps.signing) }))
  })

  app.get('/receipts/verify', async (request, reply) => sendPage(reply, sender, request.visitor, verifyPage(request.visitor, '', null)))

  // Changes nothing and shows only what was sent, so it may come from anywhere.
  app.post('/receipts/verify', { config: { audit: { none: 'checks a signature and keeps nothing' } } }, async (request, reply) => {
    const typed = (readText(request.body, 'signed') ?? '').replace(/\s/g, '')
    const found = (await readReceipt(deps.signing, typed)) ?? 'wrong'
    return sendPage(reply, sender, request.visitor, verifyPage(request.visitor, typed, found))
  })
}

async function requireReceipt(
  deps: Store & Vault & Catalogue & Signing,
  request: FastifyRequest,
): Promise<{ receipt: Receipt; document: ReceiptDocument }> {
  const owner = await requireOwner(deps, request)
  const id = readText(request.query, 'receipt') ?? ''
  const receipt = isUuid(id) ? await findReceipt(deps.database, owner.access.instanceId, id) : null
  if (receipt?.companyId !== owner.access.companyId) throw new Problem('nowhere')
  const document = await readReceipt(deps.signing, receipt.signed)
  if (!document) throw new Error('a receipt that is kept is not as it was signed')
  return { receipt, document }
}
