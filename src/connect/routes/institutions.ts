import type { FastifyInstance } from 'fastify'
import { v5 as uuidv5 } from 'uuid'
import { createInstitutionRequest, listInstitutionRequests, searchInstitutions } from '../../store/institutions.ts'
import { wantDirectory } from '../../sync/directory.ts'
import { requirePostedForm, requireVisit } from '../guards.ts'
import { type BankSearch, bankPage } from '../views/bank.ts'
import { bankNotedPage, type MissingBank, missingBankPage } from '../views/missing-bank.ts'
import { choosesBank, resumePath, type Sender, sendPage } from '../views/page.ts'
import { type ConnectDeps, pathTo, readText, type Visit } from '../visitor.ts'

const PAGE_SIZE = 12
const LAST_PAGE = 500
const LONGEST_SEARCH = 100

/** The choice of a bank, for aggregators; and the word about one that is missing. */
export function addInstitutionRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  app.get('/institutions', async (request, reply) => {
    const visit = await requireVisit(deps, request)
    if (!visit.agreed || !choosesBank(visit)) return reply.redirect(resumePath(visit), 303)
    const search = await searchBanks(deps, visit, request.query)
    return sendPage(reply, sender, request.visitor, bankPage(request.visitor, visit, search))
  })

  app.get('/institutions/missing', async (request, reply) => {
    const visit = await requireVisit(deps, request)
    if (!visit.agreed || !choosesBank(visit)) return reply.redirect(resumePath(visit), 303)
    const typed = { name: '', country: visit.open.company.country, website: '' }
    return sendPage(reply, sender, request.visitor, missingBankPage(request.visitor, visit, typed, []))
  })

  app.post('/institutions/missing', async (request, reply) => {
    const visit = await requirePostedForm(deps, request)
    const typed: MissingBank = {
      name: (readText(request.body, 'name') ?? '').trim().slice(0, 200),
      country: /^(CA|US)$/.exec(readText(request.body, 'country') ?? '')?.[0] ?? '',
      website: (readText(request.body, 'website') ?? '').trim().slice(0, 200),
    }
    if (typed.name === '') {
      const problems = [{ field: 'name', text: request.visitor.texts.missing.nameNeeded }]
      return sendPage(reply, sender, request.visitor, missingBankPage(request.visitor, visit, typed, problems))
    }
    const id = await noteMissingBank(deps, visit, typed)
    return reply.redirect(pathTo(visit, '/connect/institutions/noted', { request: id }), 303)
  })

  app.get('/institutions/noted', async (request, reply) => {
    const visit = await requireVisit(deps, request)
    const requests = await listInstitutionRequests(deps.database, visit.open.link.instanceId)
    const noted = requests.find(({ id }) => id === readText(request.query, 'request'))
    if (noted?.requestedBy !== requesterOf(visit)) return reply.redirect(pathTo(visit, '/connect/institutions'), 303)
    return sendPage(reply, sender, request.visitor, bankNotedPage(request.visitor, visit, noted))
  })
}

async function searchBanks(deps: ConnectDeps, visit: Visit, query: unknown): Promise<BankSearch> {
  await wantDirectory(deps, visit.open.service.source)
  const { key } = visit.open.service.source.description
  const text = (readText(query, 'search') ?? '').toWellFormed().replaceAll('\0', '').trim().slice(0, LONGEST_SEARCH)
  const page = Math.min(LAST_PAGE, Math.max(1, Number.parseInt(readText(query, 'page') ?? '1', 10) || 1))
  const showsAllCountries = readText(query, 'countries') === 'all'
  const country = showsAllCountries || visit.open.company.country === '' ? null : visit.open.company.country
  const found = await searchInstitutions(
    deps.database,
    key,
    { text, ...(country === null ? {} : { country }) },
    { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE },
  )
  const isEmptyDirectory =
    found.total === 0 && (await searchInstitutions(deps.database, key, { text: '' }, { limit: 1, offset: 0 })).total === 0
  return { ...found, text, country, showsAllCountries, page, pageSize: PAGE_SIZE, isEmptyDirectory }
}

/** The same bank named twice with one link is one request. */
async function noteMissingBank(deps: ConnectDeps, visit: Visit, bank: MissingBank): Promise<string> {
  const { link, service } = visit.open
  const id = uuidv5(bank.name.toLowerCase(), link.id)
  try {
    await createInstitutionRequest(deps.database, link.instanceId, {
      id,
      serviceId: service.id,
      name: bank.name,
      country: bank.country,
      url: bank.website,
      note: '',
      requestedBy: requesterOf(visit),
    })
  } catch (error) {
    const isKnown = error instanceof Error && 'code' in error && error.code === '23505'
    if (!isKnown) throw error
  }
  return id
}

/** The owner has no account with us: the business stands for the person. */
function requesterOf(visit: Visit): string {
  return visit.open.company.name
}
