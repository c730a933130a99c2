import { Countinghouse, eachItem } from '../../sdk/typescript/src/index.ts'
import { exampleOfBody } from '../../src/documentation/reference/examples.ts'
import type { Call } from '../../src/documentation/reference/samples.ts'
import { until } from '../process/deadline.ts'
import type { Service } from '../process/service.ts'

type Ids = Awaited<ReturnType<typeof prepareStates>>

/** Ids of what a fresh sandbox has, or is given here: by the names of parameters, and those of single operations. */
export async function prepareStates(api: Countinghouse, service: Service, login: { email: string; password: string }) {
  const { data: connections } = await api.listConnections()
  const of = async (category: 'Accounting' | 'Banking') => {
    const found = connections.find((connection) => connection.category === category)
    if (!found) return null
    const { companyId, serviceId } = found
    const path = { companyId, serviceId }
    const [account] = (await (category === 'Banking' ? api.listBankingAccounts({ path }) : api.listAccountingAccounts({ path }))).data
    const [entry] = (await (category === 'Banking' ? api.listBankingTransactions({ path }) : api.listAccountingTransactions({ path }))).data
    const [run] = (await api.listConnectionRuns({ path })).data
    return { companyId, serviceId, accountId: account?.origId, transactionId: entry?.id, runId: run?.id }
  }
  const [accounting, banking] = [await of('Accounting'), await of('Banking')]
  const services = await Array.fromAsync(eachItem((page) => api.listServices({ query: page })))
  const directoryId = services.find(({ name }) => /Aggregator|Plaid|Flinks|Finicity/.test(name))?.id ?? ''
  const user = await api.createUser({ body: { email: 'second@example.com', name: 'Second', role: 'viewer' } })
  const key = await api.createApiKey({ body: { name: 'Spare', scopes: ['data:read'] } })
  const heard = await prepareEvents(api, banking)
  const data = await prepareData(api, directoryId)
  const company = await api.createCompany({ body: { name: 'Without connections' } })
  const before = new Set((await api.listSessions()).map(({ id }) => id))
  await new Countinghouse({ baseUrl: service.baseUrl, login }).listSessions()
  const session = (await api.listSessions()).find(({ id }) => !before.has(id))
  return {
    ...{ accounting, banking, directoryId, login },
    byParameter: {
      ...{ userId: user.id, keyId: key.id, sessionId: session?.id, sourceKey: 'quickbooks', key: 'quickbooks' },
      ...heard.byParameter,
      ...data.byParameter,
    } as Record<string, string | undefined>,
    byOperation: {
      ...{ ...heard.byOperation, ...data.byOperation, deleteCompany: { companyId: company.id } },
      createSubscription: { eventNameOrSubscriptionId: 'AccountsChanged' },
    } as Record<string, Record<string, string | undefined>>,
  }
}

/** A subscription and a receiver, and an event that both have got. */
async function prepareEvents(api: Countinghouse, banking: { companyId: string; serviceId: string } | null) {
  const subscription = await api.createSubscription({
    path: { eventNameOrSubscriptionId: 'NormalizedData' },
    body: { callbackUrl: 'http://127.0.0.1:1/' },
  })
  const receiver = await api.createReceiver({ body: { event: 'NormalizedData' } })
  const { companyId = '', serviceId = '' } = banking ?? {}
  await api.refreshConnection({ path: { companyId, serviceId } })
  const path = { receiverId: receiver.id }
  const request = await until('an event', async () => (await api.listReceivedRequests({ path }))[0] ?? null, 60_000)
  const delivery = await until('a delivery', async () => (await api.listDeliveries()).data[0] ?? null, 60_000)
  const [event] = (await api.listEvents()).data
  return {
    byParameter: {
      ...{ subscriptionId: subscription.id, eventNameOrSubscriptionId: subscription.id, receiverId: receiver.id },
      ...{ deliveryId: delivery.id, eventId: event?.Identifier.split('.').at(-1) },
    },
    byOperation: { getReceivedRequest: { ...path, requestId: request.id } },
  }
}

/** An export that is written, destinations of two kinds, a replay, a feed of files and a request for a bank. */
async function prepareData(api: Countinghouse, serviceId: string) {
  const made = await api.requestExport({ body: { companyId: null, category: 'Banking', entity: 'Accounts', format: 'ndjson' } })
  const path = { exportId: made.id }
  await until('the export', async () => ((await api.getExport({ path })).state === 'completed' ? true : null), 60_000)
  const bucket = await api.createExportDestination({
    body: {
      ...{ name: 'Own lake', endpoint: 'https://s3.example.com', region: 'ca-central-1', bucket: 'own-lake' },
      ...{ accessKeyId: 'key', secretAccessKey: 'secret' },
    },
  })
  const database = await api.createExportDestination({
    body: {
      ...{ kind: 'postgres', name: 'Warehouse', host: 'db.example.com', database: 'd', user: 'u', password: 'p', schema: 'countinghouse' },
    },
  })
  const replay = await api.startReplay({ body: {} })
  const feed = await api.createFileFeed({ body: { name: 'Own', source: { kind: 'folder', path: 'caisse' } } })
  const wanted = await api.requestInstitution({ body: { serviceId, name: 'Caisse', country: 'CA' } })
  const asked = { requestId: wanted.id }
  return {
    byParameter: { exportId: made.id, destinationId: bucket.id, replayId: replay.id, feedId: feed.id },
    byOperation: {
      ...{ replicateToDestination: { destinationId: database.id }, deleteExportDestination: { destinationId: database.id } },
      ...{ getInstitutionRequest: asked, answerInstitutionRequest: asked },
    },
  }
}

/** The call about what is there, where its example is about something else. */
export function withIds(call: Call, { accounting, banking, directoryId, login, byParameter, byOperation }: Ids): Call {
  const own = /\/banking\//.test(call.path) ? banking : (accounting ?? banking)
  const known: Record<string, string | undefined> = { ...byParameter, ...own, ...byOperation[call.operation.operationId] }
  if (call.path.includes('/institutions')) known.serviceId = directoryId
  const parameters = (call.operation.parameters ?? []).map((parameter) => {
    const value = parameter.in === 'path' ? known[parameter.name] : undefined
    if (value !== undefined) return { ...parameter, example: value }
    // In words a placeholder, which nobody sends as it stands.
    return parameter.in === 'path' ? { ...parameter, example: '00000000-0000-4000-8000-000000000001' } : parameter
  })
  const bodies: Record<string, object> = {
    login: { email: login.email },
    requestInstitution: { serviceId: directoryId },
    sendExport: { destinationId: byParameter.destinationId },
  }
  const media = call.operation.requestBody?.content['application/json']
  const body = media && { ...Object(exampleOfBody(media)), ...bodies[call.operation.operationId] }
  const requestBody =
    bodies[call.operation.operationId] && call.operation.requestBody
      ? { ...call.operation.requestBody, content: { 'application/json': { ...media, example: body } } }
      : call.operation.requestBody
  return { ...call, operation: { ...call.operation, parameters, ...(requestBody ? { requestBody } : {}) } }
}
