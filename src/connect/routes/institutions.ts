import type { FastifyInstance } from 'fastify'
import { searchInstitutions } from '../../store/sources/institution-search.ts'
import type { Catalogue, Store, Vault } from '../../sync/context/groups.ts'
import { ensureDirectory } from '../../sync/sources/directory.ts'
import { type BankSearch, bankPage, suggestionsOf } from '../views/bank.ts'
import { choosesBank, resumePath, type Sender, sendPage } from '../views/page.ts'
import { toListPage } from '../views/pager.ts'
import { requireVisit } from '../visit/guards.ts'
import { readText, type Visit } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'

const PAGE_SIZE = 12
/** Number of suggestions while typing. */
const SUGGESTIONS = 8
const MAX_SEARCH = 100
/** Wait for a directory that is loaded for the first time; after that the page says that it is not available yet. */
const DIRECTORY_WAIT_MS = 3_000

/** Choice of a bank, for aggregators. */
export function addInstitutionRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  app.get('/institutions', async (request, reply) => {
    const visit = await requireVisit(deps, request)
    if (!visit.agreed || !choosesBank(visit)) return reply.redirect(resumePath(visit), 303)
    const search = await searchBanks(deps, visit, request.query, PAGE_SIZE)
    return sendPage(reply, sender, request.visitor, bankPage(request.visitor, visit, search))
  })

  // Called by the page's script while typing.
  app.get('/institutions/suggestions', async (request, reply) => {
    const visit = await requireVisit(deps, request)
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    if (!visit.agreed || !choosesBank(visit)) return reply.code(409).send({})
    const search = await searchBanks(deps, visit, request.query, SUGGESTIONS)
    return reply.send(suggestionsOf(request.visitor, visit, search))
  })
}

async function searchBanks(deps: Store & Vault & Catalogue, visit: Visit, query: unknown, pageSize: number): Promise<BankSearch> {
  await ensureDirectory(deps, visit.open.service.source, DIRECTORY_WAIT_MS)
  const { directory: key } = visit.open.service.source
  const text = (readText(query, 'search') ?? '').toWellFormed().replaceAll('\0', '').trim().slice(0, MAX_SEARCH)
  const showsAllCountries = readText(query, 'countries') === 'all'
  const country = showsAllCountries || visit.open.company.country === '' ? null : visit.open.company.country
  const search = { text, ...(country === null ? {} : { country }) }
  const searchFrom = async (offset: number) => await searchInstitutions(deps.database, key, search, { limit: pageSize, offset })
  const pageIn = (total: number) => toListPage(readText(query, 'page'), total, pageSize).page
  const asked = pageIn(Number.POSITIVE_INFINITY)
  const atAsked = await searchFrom((asked - 1) * pageSize)
  const page = pageIn(atAsked.total)
  const found = page === asked ? atAsked : await searchFrom((page - 1) * pageSize)
  const isEmptyDirectory =
    found.total === 0 && (await searchInstitutions(deps.database, key, { text: '' }, { limit: 1, offset: 0 })).total === 0
  return { ...found, text, country, showsAllCountries, page, pageSize, isEmptyDirectory }
}
